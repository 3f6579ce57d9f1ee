/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The starting state of a replay, from /proc/zoneinfo as it was when recording began.
 */
#include "models/workloads/replay.h"

#include <inttypes.h>
#include <limits.h>

#define ZONE_NAME "Normal"

/* A number of the file where it has one that fits. */
static void take(int *field, int64_t value)
{
	if (value >= 0 && value <= INT_MAX)
		*field = (int)value;
}

static const struct zoneinfo_pageset *pageset_of(const struct zoneinfo_zone *info, int cpu)
{
	for (int i = 0; i < info->nr_pagesets; i++)
		if (info->pagesets[i].cpu == cpu)
			return &info->pagesets[i];
	return NULL;
}

/* Blocks onto a list. False when the zone has too few. */
static bool fill(const struct replay_start *start, struct zone *zone, struct per_cpu_pages *pcp, int pindex,
		 int64_t nr_blocks)
{
	const unsigned order = pindex_to_order(pindex);
	enum rmqueue_mode mode = RMQUEUE_NORMAL;

	for (int64_t i = 0; i < nr_blocks; i++) {
		const pfn_t pfn = buddy_rmqueue(zone->buddy, NULL, order, pindex_to_migratetype(pindex), &mode);

		if (pfn == NO_PAGE)
			return false;
		pcp_list_push_tail(&pcp->lists[pindex], start->arena, &pfn, 1);
		pcp->count += 1 << order;
	}
	return true;
}

static void empty(struct zone *zone, struct per_cpu_pages *pcp)
{
	for (int pindex = 0; pindex < NR_PCP_LISTS; pindex++) {
		pfn_t pfn;

		while ((pfn = pcp_list_pop_tail(&pcp->lists[pindex])) != NO_PAGE)
			buddy_free(zone->buddy, NULL, pfn, pindex_to_order(pindex));
	}
	pcp->count = 0;
}

/* Of lists about which the events do not tell all, the one where most pages are likely to be; -1: they tell of all. */
static int find_untold_list(const struct replay_stream *stream)
{
	static const enum migratetype likely[] = { MIGRATE_MOVABLE, MIGRATE_UNMOVABLE, MIGRATE_RECLAIMABLE };

	for (unsigned order = 0; order <= PAGE_ALLOC_COSTLY_ORDER; order++) {
		for (int i = 0; i < MIGRATE_PCPTYPES; i++) {
			const int pindex = order_to_pindex(likely[i], order);

			if (!stream->refilled[pindex])
				return pindex;
		}
	}
	return -1;
}

bool replay_start_lists(const struct replay_start *start, struct zone *zone, int index, int64_t nr_pages)
{
	const struct replay_stream *stream = &start->script->streams[index];
	struct per_cpu_pages *pcp = &zone->pcps[start->cpus[index]];
	const int untold = find_untold_list(stream);
	bool enough = true;

	empty(zone, pcp);
	for (int pindex = 0; pindex < NR_PCP_LISTS; pindex++)
		enough = enough && fill(start, zone, pcp, pindex, stream->nr_listed[pindex]);
	if (untold >= 0 && nr_pages > pcp->count)
		enough = enough && fill(start, zone, pcp, untold, (nr_pages - pcp->count) >> pindex_to_order(untold));
	return enough;
}

static bool knows_lists(const struct replay_start *start, const struct zone *zone, int index)
{
	return index != start->recorder && machine_place(start->machine, start->cpus[index])->node == zone->node;
}

static int start_cpu(const struct replay_start *start, struct zone *zone, const struct zoneinfo_zone *info, int index,
		     struct error *err)
{
	const int recorded = start->script->streams[index].cpu;
	const struct zoneinfo_pageset *pageset = pageset_of(info, recorded);
	struct per_cpu_pages *pcp = &zone->pcps[start->cpus[index]];

	if (!pageset)
		return error_plain(err, "zoneinfo has no CPU %d in zone " ZONE_NAME " of node %d; the trace has one",
				   recorded, zone->node);
	take(&pcp->high, pageset->high);
	take(&pcp->high_min, pageset->high_min);
	take(&pcp->high_max, pageset->high_max);
	take(&pcp->batch, pageset->batch);
	if (pcp->batch < 1)
		pcp->batch = 1;
	if (knows_lists(start, zone, index)
		    ? !replay_start_lists(start, zone, index, pageset->count)
		    : !fill(start, zone, pcp, order_to_pindex(MIGRATE_MOVABLE, 0), pageset->count))
		return error_plain(err,
				   "zoneinfo has %" PRId64
				   " pages on the lists of CPU %d; the machine has no more than %d",
				   pageset->count, recorded, pcp->count);
	return 0;
}

static int start_zone(const struct replay_start *start, struct zone *zone, const struct zoneinfo_zone *info,
		      struct error *err)
{
	const int64_t marks[NR_WMARKS] = {
		[WMARK_MIN] = info->watermark_min_pages,
		[WMARK_LOW] = info->watermark_low_pages,
		[WMARK_HIGH] = info->watermark_high_pages,
	};

	for (int mark = 0; mark < NR_WMARKS; mark++)
		if (marks[mark] >= 0)
			zone->size.watermark_pages[mark] = (uint64_t)marks[mark];
	for (int i = 0; i < start->script->nr_streams; i++)
		if (start_cpu(start, zone, info, i, err))
			return -1;
	return 0;
}

int replay_start_from(const struct replay_start *start, const struct zoneinfo *zoneinfo, struct error *err)
{
	for (int node = 0; node < page_alloc_nr_zones(start->alloc); node++) {
		const struct zoneinfo_zone *info = zoneinfo_find(zoneinfo, node, ZONE_NAME);

		if (!info && node == 0)
			return error_plain(err, "zoneinfo has no zone " ZONE_NAME " of node 0");
		if (info && start_zone(start, page_alloc_zone(start->alloc, node), info, err))
			return -1;
	}
	return 0;
}
