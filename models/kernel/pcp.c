/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits and lists of struct per_cpu_pages.
 *
 * Mirrors zone_batchsize(), zone_highsize(), zone_set_pageset_high_and_batch()
 * and zone_pcp_update_cacheinfo() of mm/page_alloc.c, v6.12.
 */
#include "models/kernel/pcp.h"

#include <string.h>

#define HIGH_BATCHES 4 /* high is never below so many batches */
#define HIGH_MAX_FRACTION 8 /* MIN_PERCPU_PAGELIST_HIGH_FRACTION */
#define FREE_HIGH_BATCHES 3 /* of cache, for PCPF_FREE_HIGH_BATCH */
#define PCP_LIST_CAPACITY 64 /* to begin with */
#define HUGE_PINDEX ((PAGE_ALLOC_COSTLY_ORDER + 1) * MIGRATE_PCPTYPES)

int pcp_limits_check(const void *params, const char **key, struct error *err)
{
	const struct pcp_limits *limits = params;
	uint32_t fraction = limits->percpu_pagelist_high_fraction;

	*key = "percpu_pagelist_high_fraction";
	if (fraction > 0 && fraction < HIGH_MAX_FRACTION)
		return error_plain(err, "%s: must be 0 or at least %d, as for the sysctl, not %u", *key,
				   HIGH_MAX_FRACTION, fraction);
	if (fraction && (limits->high_min || limits->high_max))
		return error_plain(err, "%s gives both bounds of high: it cannot stand beside %s", *key,
				   limits->high_min ? "high_min" : "high_max");
	*key = "high_min";
	if (limits->high_max && limits->high_min > limits->high_max)
		return error_plain(err, "high_min %u is above high_max %u", limits->high_min, limits->high_max);
	return 0;
}

int zone_batchsize(uint64_t managed_pages)
{
	uint64_t batch = managed_pages >> 10;
	uint64_t power = 1;

	if (batch > 256)
		batch = 256;
	batch /= 4;
	if (batch < 1)
		batch = 1;
	while (2 * power <= batch + batch / 2)
		power *= 2;
	return power > 1 ? (int)power - 1 : 1;
}

/* zone_highsize(): an equal part of these pages for each CPU */
static int zone_highsize(const struct pcp_zone_size *size, uint64_t pages, int batch)
{
	uint64_t high = pages / (uint64_t)size->nr_cpus;
	uint64_t least = (uint64_t)batch * HIGH_BATCHES;

	return (int)(high > least ? high : least);
}

static void set_high(struct per_cpu_pages *pcp, const struct pcp_zone_size *size, const struct pcp_limits *limits)
{
	uint32_t fraction = limits->percpu_pagelist_high_fraction;

	if (fraction) {
		pcp->high_min = pcp->high_max = zone_highsize(size, size->managed_pages / fraction, pcp->batch);
		return;
	}
	pcp->high_min = zone_highsize(size, size->low_wmark_pages, pcp->batch);
	pcp->high_max = zone_highsize(size, size->managed_pages / HIGH_MAX_FRACTION, pcp->batch);
	if (limits->high_max) {
		pcp->high_max = (int)limits->high_max;
		if (pcp->high_min > pcp->high_max)
			pcp->high_min = pcp->high_max;
	}
	if (limits->high_min) {
		pcp->high_min = (int)limits->high_min;
		if (pcp->high_max < pcp->high_min)
			pcp->high_max = pcp->high_min;
	}
}

void per_cpu_pages_init(struct per_cpu_pages *pcp, const struct pcp_zone_size *size, const struct pcp_limits *limits)
{
	*pcp = (struct per_cpu_pages){ 0 };
	pcp->batch = limits->batch ? (int)limits->batch : zone_batchsize(size->managed_pages);
	set_high(pcp, size, limits);
	if (size->llc_slice_bytes >> PAGE_SHIFT > FREE_HIGH_BATCHES * (uint64_t)pcp->batch)
		pcp->flags |= PCPF_FREE_HIGH_BATCH;
}

bool pcp_allowed_order(unsigned order)
{
	return order <= PAGE_ALLOC_COSTLY_ORDER || order == PMD_ORDER;
}

int order_to_pindex(enum migratetype migratetype, unsigned order)
{
	if (order > PAGE_ALLOC_COSTLY_ORDER)
		return HUGE_PINDEX + (migratetype == MIGRATE_MOVABLE);
	return MIGRATE_PCPTYPES * (int)order + (int)migratetype;
}

unsigned pindex_to_order(int pindex)
{
	return pindex >= HUGE_PINDEX ? PMD_ORDER : (unsigned)pindex / MIGRATE_PCPTYPES;
}

enum migratetype pindex_to_migratetype(int pindex)
{
	return (enum migratetype)((pindex >= HUGE_PINDEX ? pindex - HUGE_PINDEX : pindex) % MIGRATE_PCPTYPES);
}

/* Copy nr blocks out from the head on; they stay. */
static void copy_from_head(const struct pcp_list *list, pfn_t *blocks, uint32_t nr)
{
	uint32_t to_end = list->capacity - list->first;
	uint32_t nr_before = nr < to_end ? nr : to_end;

	memcpy(blocks, list->blocks + list->first, nr_before * sizeof(*blocks));
	if (nr > nr_before)
		memcpy(blocks + nr_before, list->blocks, (nr - nr_before) * sizeof(*blocks));
}

/* Room for nr more. */
static void make_room(struct pcp_list *list, struct arena *arena, uint32_t nr)
{
	uint32_t capacity = list->capacity ? list->capacity : PCP_LIST_CAPACITY;
	pfn_t *blocks;

	while (capacity < list->nr + nr)
		capacity *= 2;
	if (capacity == list->capacity)
		return;
	blocks = arena_calloc(arena, capacity, sizeof(*blocks));
	if (list->nr)
		copy_from_head(list, blocks, list->nr);
	list->blocks = blocks;
	list->capacity = capacity;
	list->first = 0;
}

void pcp_list_push_head(struct pcp_list *list, struct arena *arena, const pfn_t *blocks, uint32_t nr)
{
	make_room(list, arena, nr);
	for (uint32_t i = 0; i < nr; i++)
		list->blocks[(list->first - 1 - i) & (list->capacity - 1)] = blocks[i];
	list->first = (list->first - nr) & (list->capacity - 1);
	list->nr += nr;
}

void pcp_list_push_tail(struct pcp_list *list, struct arena *arena, const pfn_t *blocks, uint32_t nr)
{
	uint32_t end, to_end, nr_before;

	make_room(list, arena, nr);
	end = (list->first + list->nr) & (list->capacity - 1);
	to_end = list->capacity - end;
	nr_before = nr < to_end ? nr : to_end;
	memcpy(list->blocks + end, blocks, nr_before * sizeof(*blocks));
	memcpy(list->blocks, blocks + nr_before, (nr - nr_before) * sizeof(*blocks));
	list->nr += nr;
}

uint32_t pcp_list_pop_head(struct pcp_list *list, pfn_t *blocks, uint32_t nr)
{
	if (nr > list->nr)
		nr = list->nr;
	if (!nr)
		return 0;
	copy_from_head(list, blocks, nr);
	list->first = (list->first + nr) & (list->capacity - 1);
	list->nr -= nr;
	return nr;
}

pfn_t pcp_list_pop_tail(struct pcp_list *list)
{
	if (!list->nr)
		return NO_PAGE;
	list->nr--;
	return list->blocks[(list->first + list->nr) & (list->capacity - 1)];
}
