/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What can be read off the page allocator: counters, and whether every page is
 * where it must be.
 */
#include "models/kernel/page_alloc_parts.h"

#include <inttypes.h>

struct page_alloc_blocks page_alloc_cpu_blocks(const struct page_alloc *alloc, int cpu)
{
	return alloc->cpus[cpu].blocks;
}

void page_alloc_counters(const struct page_alloc *alloc, struct page_alloc_counters *out)
{
	*out = alloc->counters;
	out->irqs_off_max_ps = 0;
	for (int cpu = 0; cpu < alloc->nr_cpus; cpu++)
		out->irqs_off_max_ps = ps_max(out->irqs_off_max_ps, alloc->cpus[cpu].irqs_off_max_ps);
}

void page_alloc_forget_max(struct page_alloc *alloc)
{
	for (int cpu = 0; cpu < alloc->nr_cpus; cpu++)
		alloc->cpus[cpu].irqs_off_max_ps = 0;
}

int page_alloc_nr_zones(const struct page_alloc *alloc)
{
	return alloc->nr_zones;
}

struct zone *page_alloc_zone(struct page_alloc *alloc, int node)
{
	return &alloc->zones[node];
}

static uint64_t pcp_pages_of(const struct page_alloc *alloc, const struct zone *zone)
{
	uint64_t pages = 0;

	for (int cpu = 0; cpu < alloc->nr_cpus; cpu++)
		pages += (uint64_t)zone->pcps[cpu].count;
	return pages;
}

uint64_t page_alloc_pcp_pages(const struct page_alloc *alloc)
{
	uint64_t pages = 0;

	for (int node = 0; node < alloc->nr_zones; node++)
		pages += pcp_pages_of(alloc, &alloc->zones[node]);
	return pages;
}

double page_alloc_pcp_high_mean(const struct page_alloc *alloc)
{
	uint64_t sum = 0, nr = 0;

	for (int node = 0; node < alloc->nr_zones; node++) {
		for (int cpu = 0; cpu < alloc->nr_cpus; cpu++) {
			const int high = alloc->zones[node].pcps[cpu].high;

			sum += (uint64_t)high;
			nr += high > 0; /* 0 before the first use */
		}
	}
	return nr ? (double)sum / (double)nr : 0;
}

static int check_pcp(const struct zone *zone, int cpu, struct error *err)
{
	const struct per_cpu_pages *pcp = &zone->pcps[cpu];
	uint64_t pages = 0;

	if (pcp_is_wanted(pcp))
		return error_plain(err, "node %d: somebody holds the pcp lock of cpu %d, or waits for it", zone->node,
				   cpu);
	for (int pindex = 0; pindex < NR_PCP_LISTS; pindex++)
		pages += (uint64_t)pcp->lists[pindex].nr << pindex_to_order(pindex);
	if (pages != (uint64_t)pcp->count)
		return error_plain(err, "node %d: the lists of cpu %d have %" PRIu64 " pages, its count is %d",
				   zone->node, cpu, pages, pcp->count);
	return 0;
}

static int check_zone(const struct page_alloc *alloc, const struct zone *zone, struct error *err)
{
	const int64_t counted = zone_counted_free_pages(zone, alloc->nr_cpus);
	const int64_t free_pages = (int64_t)buddy_nr_free_pages(zone->buddy);

	if (zone->lock.holder)
		return error_plain(err, "node %d: cpu %d holds the zone lock", zone->node, zone->lock.holder->id);
	for (int cpu = 0; cpu < alloc->nr_cpus; cpu++)
		if (check_pcp(zone, cpu, err))
			return -1;
	if (counted != free_pages)
		return error_plain(err, "node %d: NR_FREE_PAGES is %" PRId64 ", the free lists have %" PRId64 " pages",
				   zone->node, counted, free_pages);
	return buddy_check(zone->buddy, err);
}

int page_alloc_check(const struct page_alloc *alloc, uint64_t nr_held, struct error *err)
{
	uint64_t managed = 0, found = nr_held;

	for (int node = 0; node < alloc->nr_zones; node++) {
		const struct zone *zone = &alloc->zones[node];

		if (check_zone(alloc, zone, err))
			return -1;
		managed += zone->nr_pages - zone->nr_aged_pages;
		found += buddy_nr_free_pages(zone->buddy) + pcp_pages_of(alloc, zone);
	}
	if (found != managed)
		return error_plain(err, "of %" PRIu64 " pages, %" PRIu64 " are free, on pcp lists or held", managed,
				   found);
	return 0;
}
