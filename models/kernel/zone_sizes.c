/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many pages a zone has, and its watermarks.
 *
 * Assumes that 98.5 % of a node's memory is managed by the allocator (the rest
 * is struct pages, the kernel's image and firmware), and a DMA and a DMA32
 * zone of 3,840 and 491,520 pages on node 0, as on x86-64. Watermark boosts and
 * the reserves between zones are left out.
 *
 * Mirrors calculate_min_free_kbytes() and __setup_per_zone_wmarks() of
 * mm/page_alloc.c and set_recommended_min_free_kbytes() of mm/khugepaged.c,
 * v6.12. At boot min_free_kbytes is computed before any watermark is set, so
 * the pages "above the high watermark" that it counts are all of them;
 * khugepaged comes later and finds the watermarks of the first round.
 */
#include "models/kernel/zone.h"

#define MANAGED_PER_MILLE 985
#define DMA_PAGES 3840
#define DMA32_PAGES 491520
#define NR_DMA_ZONES 2

#define KBYTES_PER_PAGE (PAGE_BYTES / 1024)
#define MIN_FREE_KBYTES_LOW 128
#define MIN_FREE_KBYTES_HIGH 262144
#define WATERMARK_SCALE_FACTOR 10 /* the sysctl's default: parts of 10000 */

/* Pageblocks that khugepaged wants free in each zone: 2, and one for each pair of migratetypes that may mix. */
#define RECOMMENDED_PAGEBLOCKS (2 + MIGRATE_PCPTYPES * MIGRATE_PCPTYPES)

/* What all zones of the machine come to, node 0's DMA zones included (it has none when they would take half of it). */
struct lowmem {
	uint64_t managed_pages;
	uint64_t dma_pages[NR_DMA_ZONES]; /* 0: no such zone */
	uint64_t nr_zones;
};

static uint64_t square_root(uint64_t value)
{
	uint64_t root = 0;

	for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
		if ((root + bit) * (root + bit) <= value)
			root += bit;
	return root;
}

static void set_watermarks(struct zone_sizes *zone, const struct lowmem *lowmem, uint64_t min_free_kbytes)
{
	uint64_t all_pages = lowmem->managed_pages ? lowmem->managed_pages : 1;
	uint64_t min_pages = min_free_kbytes / KBYTES_PER_PAGE * zone->managed_pages / all_pages;
	uint64_t gap_pages = zone->managed_pages * WATERMARK_SCALE_FACTOR / 10000;

	if (gap_pages < min_pages / 4)
		gap_pages = min_pages / 4;
	zone->watermark_pages[WMARK_MIN] = min_pages;
	zone->watermark_pages[WMARK_LOW] = min_pages + gap_pages;
	zone->watermark_pages[WMARK_HIGH] = min_pages + 2 * gap_pages;
}

static uint64_t above_high_watermark(const struct zone_sizes *zone)
{
	uint64_t high_pages = zone->watermark_pages[WMARK_HIGH];

	return zone->managed_pages > high_pages ? zone->managed_pages - high_pages : 0;
}

/* nr_free_buffer_pages(): pages above the high watermarks that this minimum gives, of all zones */
static uint64_t nr_free_buffer_pages(const struct zone_sizes *sizes, int nr_nodes, const struct lowmem *lowmem,
				     uint64_t min_free_kbytes)
{
	uint64_t pages = 0;

	for (int node = 0; node < nr_nodes; node++)
		pages += above_high_watermark(&sizes[node]);
	for (int i = 0; i < NR_DMA_ZONES; i++) {
		struct zone_sizes zone = { .managed_pages = lowmem->dma_pages[i] };

		set_watermarks(&zone, lowmem, min_free_kbytes);
		pages += above_high_watermark(&zone);
	}
	return pages;
}

static uint64_t calculate_min_free_kbytes(const struct lowmem *lowmem)
{
	uint64_t kbytes = square_root(lowmem->managed_pages * KBYTES_PER_PAGE * 16);

	if (kbytes < MIN_FREE_KBYTES_LOW)
		return MIN_FREE_KBYTES_LOW;
	return kbytes < MIN_FREE_KBYTES_HIGH ? kbytes : MIN_FREE_KBYTES_HIGH;
}

/* set_recommended_min_free_kbytes(): at most a twentieth of what there is */
static uint64_t recommended_min_free_kbytes(const struct lowmem *lowmem, uint64_t free_pages)
{
	uint64_t pages = RECOMMENDED_PAGEBLOCKS * lowmem->nr_zones << PAGEBLOCK_ORDER;

	return (pages < free_pages / 20 ? pages : free_pages / 20) * KBYTES_PER_PAGE;
}

static struct lowmem size_zones(const uint64_t *node_bytes, int nr_nodes, struct zone_sizes *sizes)
{
	struct lowmem lowmem = { .nr_zones = (uint64_t)nr_nodes };

	for (int node = 0; node < nr_nodes; node++) {
		sizes[node].managed_pages = node_bytes[node] / PAGE_BYTES * MANAGED_PER_MILLE / 1000;
		lowmem.managed_pages += sizes[node].managed_pages;
	}
	if (sizes[0].managed_pages > 2 * (DMA_PAGES + DMA32_PAGES)) {
		sizes[0].managed_pages -= DMA_PAGES + DMA32_PAGES;
		lowmem.dma_pages[0] = DMA_PAGES;
		lowmem.dma_pages[1] = DMA32_PAGES;
		lowmem.nr_zones += NR_DMA_ZONES;
	}
	return lowmem;
}

void zone_sizes_compute(const uint64_t *node_bytes, int nr_nodes, bool transparent_hugepages, struct zone_sizes *sizes)
{
	const struct lowmem lowmem = size_zones(node_bytes, nr_nodes, sizes);
	uint64_t min_free_kbytes = calculate_min_free_kbytes(&lowmem);
	uint64_t recommended;

	for (int node = 0; node < nr_nodes; node++)
		set_watermarks(&sizes[node], &lowmem, min_free_kbytes);
	recommended =
		recommended_min_free_kbytes(&lowmem, nr_free_buffer_pages(sizes, nr_nodes, &lowmem, min_free_kbytes));
	if (!transparent_hugepages || recommended <= min_free_kbytes)
		return;
	for (int node = 0; node < nr_nodes; node++)
		set_watermarks(&sizes[node], &lowmem, recommended);
}
