/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocation: alloc_pages() over get_page_from_freelist(), the bulk allocator,
 * and bursts of page faults (mm/page_alloc.c, 6.12).
 */
#include "models/kernel/page_alloc_parts.h"

#define BURST_PS (1000 * PS_PER_US) /* a small part of a slice */

/* Does the pcp of the task's CPU have such a block, and may it be taken without asking the zone anything? */
static bool pcp_has_block(const struct zone *zone, const struct cpu *cpu, const struct page_request *request)
{
	const struct per_cpu_pages *pcp = &zone->pcps[cpu->id];

	if (!pcp_allowed_order(request->order))
		return false;
	return pcp->lists[order_to_pindex(request->migratetype, request->order)].nr > 0 && !pcp_is_wanted(pcp);
}

/*
 * May the zone give a block? From 6.7 on ZONE_BELOW_HIGH is set when it falls below its high watermark. Before that the
 * flags are read all the same: rmqueue() looks there for a boosted watermark.
 */
static bool zone_may_give(const struct page_alloc *alloc, struct zone *zone, struct cpu *cpu, unsigned order,
			  enum zone_watermark mark)
{
	const unsigned flags = zone_read_flags(zone, cpu);

	if (alloc->high->design.knows_below_high && !(flags & ZONE_BELOW_HIGH)) {
		if (zone_watermark_ok(zone, cpu, order, WMARK_HIGH))
			return true;
		zone_set_flag(zone, cpu, ZONE_BELOW_HIGH);
	}
	return zone_watermark_ok(zone, cpu, order, mark);
}

static pfn_t get_page_from_freelist(struct page_alloc *alloc, struct task *task, const struct page_request *request,
				    enum zone_watermark mark)
{
	const int *zonelist = &alloc->zonelists[task->cpu->place->node * alloc->nr_zones];

	for (int i = 0; i < alloc->nr_zones; i++) {
		struct zone *zone = &alloc->zones[zonelist[i]];
		pfn_t pfn;

		if (!pcp_has_block(zone, task->cpu, request) &&
		    !zone_may_give(alloc, zone, task->cpu, request->order, mark))
			continue;
		pfn = rmqueue(alloc, task, zone, request);
		if (pfn != NO_PAGE)
			return pfn;
	}
	return NO_PAGE;
}

/* __alloc_pages_slowpath() without reclaim: deeper into the zones, then what lies on pcps. */
static pfn_t alloc_pages_slowpath(struct page_alloc *alloc, struct task *task, const struct page_request *request)
{
	pfn_t pfn = get_page_from_freelist(alloc, task, request, WMARK_MIN);

	if (pfn != NO_PAGE)
		return pfn;
	drain_all_pages(alloc, task);
	return get_page_from_freelist(alloc, task, request, WMARK_MIN);
}

pfn_t alloc_pages(struct page_alloc *alloc, struct task *task, unsigned order, enum migratetype migratetype)
{
	const struct page_request request = { .order = order, .migratetype = migratetype };
	pfn_t pfn;

	vmstat_poll(alloc, task);
	pfn = get_page_from_freelist(alloc, task, &request, WMARK_LOW);
	if (pfn == NO_PAGE)
		pfn = alloc_pages_slowpath(alloc, task, &request);
	alloc->counters.allocs += pfn != NO_PAGE;
	return pfn;
}

/* ---- alloc_pages_bulk() ---- */

static struct zone *local_zone(struct page_alloc *alloc, const struct task *task)
{
	return &alloc->zones[task->cpu->place->node];
}

/* Under pcp->lock: the pages asked for, with refills as they are needed. */
static uint32_t take_in_bulk(struct page_alloc *alloc, struct task *task, struct zone *zone, struct per_cpu_pages *pcp,
			     const struct page_request *request)
{
	struct pcp_list *list = &pcp->lists[order_to_pindex(request->migratetype, 0)];
	uint32_t got = 0;

	while (got < request->nr && (list->nr || rmqueue_refill(alloc, task, zone, pcp, request))) {
		const uint32_t run = pcp_list_pop_head(list, request->pages + got, request->nr - got);

		pcp->count -= (int)run;
		task_kernel(task, run * alloc->alloc_ps);
		got += run;
	}
	buddy_pages_used(zone->buddy, task->cpu, request->pages, got, 0);
	return got;
}

/*
 * The local zone must be above its low watermark by all that is asked for. ZONE_BELOW_HIGH, which refills read, is left
 * as it is.
 */
static bool zone_may_give_in_bulk(const struct page_alloc *alloc, struct zone *zone, struct cpu *cpu, uint32_t nr)
{
	if (alloc->high->design.knows_below_high)
		zone_read_flags(zone, cpu);
	return zone_watermark_ok_extra(zone, cpu, WMARK_LOW, nr);
}

static uint32_t bulk_from_pcp(struct page_alloc *alloc, struct task *task, const struct page_request *request)
{
	struct zone *zone = local_zone(alloc, task);
	struct per_cpu_pages *pcp = &zone->pcps[task->cpu->id];
	uint32_t got;

	if (pcp->lists[order_to_pindex(request->migratetype, 0)].nr < request->nr &&
	    !zone_may_give_in_bulk(alloc, zone, task->cpu, request->nr))
		return 0;
	pcp = pcp_spin_trylock(alloc, task, zone);
	if (!pcp)
		return 0;
	got = take_in_bulk(alloc, task, zone, pcp, request);
	pcp_spin_unlock(alloc, task, pcp);
	return got;
}

uint32_t alloc_pages_bulk(struct page_alloc *alloc, struct task *task, enum migratetype migratetype, uint32_t nr,
			  pfn_t *pages)
{
	const struct page_request request = { .migratetype = migratetype, .nr = nr, .pages = pages };
	uint32_t got = 0;

	vmstat_poll(alloc, task);
	if (nr > 1)
		got = bulk_from_pcp(alloc, task, &request);
	alloc->counters.allocs += got;
	if (got || !nr)
		return got;
	pages[0] = alloc_pages(alloc, task, 0, migratetype);
	return pages[0] != NO_PAGE;
}

/* ---- bursts ---- */

void page_alloc_work(struct page_alloc *alloc, struct task *task, const struct page_work *work, uint32_t nr)
{
	task_kernel(task, nr * work->kernel_ps);
	if (alloc->site.memory)
		memory_pass(alloc->site.memory, task->cpu, nr * work->lines);
	task_user(task, nr * work->user_ps);
}

/*
 * How many of the next nr allocations may be done at once: those before the vmstat worker is due, and, because the task may
 * be preempted in their user work, not more than take BURST_PS.
 */
static uint32_t burst_limit(const struct page_alloc *alloc, const struct task *task, const struct page_work *work,
			    uint32_t nr)
{
	const sim_ps work_ps = work->kernel_ps + work->user_ps;
	const sim_ps page_ps = work_ps + alloc->lock_ps + alloc->alloc_ps + alloc->unlock_ps;
	sim_ps left_ps = alloc->cpus[task->cpu->id].stat_due_ps - task->cpu->date - work_ps;

	if (left_ps <= 0)
		return 0;
	if (task->sched)
		left_ps = ps_min(left_ps, BURST_PS);
	if (nr * page_ps <= left_ps)
		return nr;
	return (uint32_t)((left_ps - 1) / page_ps) + 1;
}

/* What the task's CPU has on its list, at once. */
static uint32_t burst_from_pcp(struct page_alloc *alloc, struct task *task, const struct page_request *request,
			       const struct page_work *work)
{
	const sim_ps page_ps = work->kernel_ps + alloc->lock_ps + alloc->alloc_ps + alloc->unlock_ps;
	struct zone *zone = local_zone(alloc, task);
	struct per_cpu_pages *pcp = &zone->pcps[task->cpu->id];
	struct pcp_list *list = &pcp->lists[order_to_pindex(request->migratetype, 0)];
	struct page_request taken = *request;

	if (!list->nr || pcp_is_wanted(pcp))
		return 0;
	taken.nr = pcp_list_pop_head(list, taken.pages, burst_limit(alloc, task, work, request->nr));
	pcp->count -= (int)taken.nr;
	alloc->high->allocated(alloc->high_params, pcp, taken.nr);
	buddy_pages_used(zone->buddy, task->cpu, taken.pages, taken.nr, work->lines);
	alloc->counters.allocs += taken.nr;
	task_kernel(task, taken.nr * page_ps);
	task_user(task, taken.nr * work->user_ps);
	return taken.nr;
}

uint32_t alloc_pages_burst(struct page_alloc *alloc, struct task *task, enum migratetype migratetype, uint32_t nr,
			   const struct page_work *work, pfn_t *pages)
{
	struct page_request request = { .migratetype = migratetype, .nr = nr, .pages = pages };

	while (request.nr) {
		uint32_t got = burst_from_pcp(alloc, task, &request, work);

		if (!got) {
			page_alloc_work(alloc, task, work, 1);
			request.pages[0] = alloc_pages(alloc, task, 0, migratetype);
			got = request.pages[0] != NO_PAGE;
		}
		if (!got)
			break;
		request.nr -= got;
		request.pages += got;
	}
	return nr - request.nr;
}
