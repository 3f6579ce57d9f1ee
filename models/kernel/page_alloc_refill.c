/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rmqueue() and what is below it: a block from this CPU's pcp, a refill of an
 * empty list, a block straight from the zone (mm/page_alloc.c, 6.12).
 */
#include "models/kernel/page_alloc_parts.h"

void page_alloc_unlock_zone(struct page_alloc *alloc, struct zone *zone, struct cpu *cpu,
			    const struct zone_lock_times *times, enum zone_hold kind, uint64_t pages)
{
	const sim_ps irqs_off_ps = zone_unlock(zone, cpu, times, kind, pages);
	struct page_alloc_cpu *mine = &alloc->cpus[cpu->id];

	alloc->counters.spin_ps += times->locked_ps - times->asked_ps;
	mine->irqs_off_max_ps = ps_max(mine->irqs_off_max_ps, irqs_off_ps);
}

/* The loop of rmqueue_bulk() under the lock: up to nr blocks to the tail of the list. */
static int take_blocks(struct page_alloc *alloc, struct zone *zone, struct cpu *cpu, struct pcp_list *list, int nr,
		       const struct page_request *request)
{
	const int64_t block_pages = INT64_C(1) << request->order;
	enum rmqueue_mode mode = RMQUEUE_NORMAL;
	int i;

	for (i = 0; i < nr; i++) {
		const pfn_t pfn = buddy_rmqueue(zone->buddy, cpu, request->order, request->migratetype, &mode);

		if (pfn == NO_PAGE)
			break;
		pcp_list_push_tail(list, alloc->site.arena, &pfn, 1);
		if (!alloc->high->design.refill_counts_once)
			mod_zone_free_pages(zone, cpu, -block_pages);
	}
	if (alloc->high->design.refill_counts_once)
		mod_zone_free_pages(zone, cpu, -i * block_pages);
	return i;
}

int rmqueue_refill(struct page_alloc *alloc, struct task *task, struct zone *zone, struct per_cpu_pages *pcp,
		   const struct page_request *request)
{
	const int wanted = alloc->high->nr_pcp_alloc(alloc->high_params, pcp, zone->flags, request->order);
	struct pcp_list *list = &pcp->lists[order_to_pindex(request->migratetype, request->order)];
	struct cpu *cpu = task->cpu;
	struct zone_lock_times times;
	int nr;

	zone_lock(zone, cpu, &times);
	nr = take_blocks(alloc, zone, cpu, list, wanted, request);
	page_alloc_unlock_zone(alloc, zone, cpu, &times, ZONE_HOLD_REFILL, (uint64_t)nr << request->order);
	alloc->cpus[cpu->id].blocks.taken += (uint64_t)nr;
	pcp->count += nr << request->order;
	alloc->counters.refills++;
	alloc->counters.pages_refilled += (uint64_t)nr << request->order;
	return nr;
}

static pfn_t rmqueue_pcplist(struct page_alloc *alloc, struct task *task, struct zone *zone,
			     const struct page_request *request)
{
	struct per_cpu_pages *pcp = pcp_spin_trylock(alloc, task, zone);
	struct pcp_list *list;
	pfn_t pfn = NO_PAGE;

	if (!pcp)
		return NO_PAGE;
	alloc->high->allocated(alloc->high_params, pcp, 1);
	list = &pcp->lists[order_to_pindex(request->migratetype, request->order)];
	if (list->nr || rmqueue_refill(alloc, task, zone, pcp, request)) {
		pcp_list_pop_head(list, &pfn, 1);
		pcp->count -= 1 << request->order;
		task_kernel(task, alloc->alloc_ps);
		buddy_page_used(zone->buddy, task->cpu, pfn);
	}
	pcp_spin_unlock(alloc, task, pcp);
	return pfn;
}

static pfn_t rmqueue_buddy(struct page_alloc *alloc, struct task *task, struct zone *zone,
			   const struct page_request *request)
{
	enum rmqueue_mode mode = RMQUEUE_NORMAL;
	struct cpu *cpu = task->cpu;
	struct zone_lock_times times;
	uint64_t pages = 0;
	pfn_t pfn;

	zone_lock(zone, cpu, &times);
	pfn = buddy_rmqueue(zone->buddy, cpu, request->order, request->migratetype, &mode);
	if (pfn != NO_PAGE) {
		pages = UINT64_C(1) << request->order;
		mod_zone_free_pages(zone, cpu, -(int64_t)pages);
	}
	page_alloc_unlock_zone(alloc, zone, cpu, &times, ZONE_HOLD_DIRECT_ALLOC, pages);
	alloc->counters.direct_allocs += pages > 0;
	alloc->cpus[cpu->id].blocks.taken += pages > 0;
	return pfn;
}

pfn_t rmqueue(struct page_alloc *alloc, struct task *task, struct zone *zone, const struct page_request *request)
{
	pfn_t pfn = NO_PAGE;

	if (pcp_allowed_order(request->order))
		pfn = rmqueue_pcplist(alloc, task, zone, request);
	if (pfn == NO_PAGE)
		pfn = rmqueue_buddy(alloc, task, zone, request);
	return pfn;
}
