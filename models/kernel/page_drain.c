/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What empties pcps beside frees: the vmstat worker (refresh_cpu_vm_stats() in
 * mm/vmstat.c, 6.12), which also folds counters, and drain_all_pages().
 */
#include "models/kernel/page_alloc_parts.h"

#define REMOTE_ZONE_PASSES 3 /* of the worker without a change, after which pages of another node go back */
#define DRAIN_BATCHES_SHIFT 5 /* CONFIG_PCP_BATCH_SCALE_MAX */

static struct pcp_flush flush_of(struct page_alloc *alloc, struct task *task, struct zone *zone, int cpu)
{
	return (struct pcp_flush){
		.alloc = alloc,
		.task = task,
		.zone = zone,
		.pcp = &zone->pcps[cpu],
		.kind = ZONE_HOLD_DECAY,
	};
}

/* Under one hold of pcp->lock: at most so many pages, from list 0 on. */
static void drain_some(const struct pcp_flush *flush, int nr_pages)
{
	pcp_spin_lock(flush);
	if (flush->pcp->count)
		free_pcppages_bulk(flush, nr_pages);
	pcp_spin_unlock(flush->alloc, flush->task, flush->pcp);
}

/* decay_pcp_high(). Returns whether there is something left to do in the next pass. */
static bool decay_pcp_high(const struct pcp_flush *flush)
{
	struct page_alloc *alloc = flush->alloc;
	const int to_drain = alloc->high->decay(alloc->high_params, flush->pcp);

	if (to_drain > 0)
		alloc->free->decay(alloc->free_params, flush, to_drain);
	return to_drain > 0 || flush->pcp->high > flush->pcp->high_min;
}

/* Pages of another node that nobody asked for during some passes. Returns whether there is more to do. */
static bool expire_remote(const struct pcp_flush *flush)
{
	struct per_cpu_pages *pcp = flush->pcp;

	if (!pcp->expire || !pcp->count)
		return false;
	if (flush->zone->node == flush->task->cpu->place->node) {
		pcp->expire = 0;
		return false;
	}
	if (--pcp->expire)
		return true;
	drain_some(flush, pcp->batch); /* drain_zone_pages() */
	return true;
}

/* One pass. Returns whether anything changed, or will. */
static bool refresh_cpu_vm_stats(struct page_alloc *alloc, struct task *task)
{
	int64_t global = 0;
	bool changed = false;

	for (int node = 0; node < alloc->nr_zones; node++) {
		struct zone *zone = &alloc->zones[node];
		const struct pcp_flush flush = flush_of(alloc, task, zone, task->cpu->id);

		if (zone_fold_free_pages(zone, task->cpu, &global)) {
			flush.pcp->expire = REMOTE_ZONE_PASSES;
			changed = true;
		}
		changed |= decay_pcp_high(&flush);
		changed |= expire_remote(&flush);
	}
	if (global)
		global_free_pages_add(alloc->zones, task->cpu, global);
	return changed;
}

void vmstat_update(struct page_alloc *alloc, struct task *task)
{
	struct page_alloc_cpu *mine = &alloc->cpus[task->cpu->id];
	sim_ps due_ps = mine->stat_due_ps;
	bool busy = true;

	mine->stat_due_ps = SIM_PS_MAX; /* what is below does not come here again */
	for (; due_ps <= task->cpu->date; due_ps += alloc->stat_interval_ps)
		busy = busy && refresh_cpu_vm_stats(alloc, task);
	mine->stat_due_ps = due_ps;
}

/* drain_pages_zone(): a limited number of pages under each hold, until there are none. */
static void drain_pages_zone(const struct pcp_flush *flush)
{
	while (flush->pcp->count)
		drain_some(flush, flush->pcp->batch << DRAIN_BATCHES_SHIFT);
}

void drain_all_pages(struct page_alloc *alloc, struct task *task)
{
	cpu_sync(task->cpu);
	for (int cpu = 0; cpu < alloc->nr_cpus; cpu++) {
		for (int node = 0; node < alloc->nr_zones; node++) {
			const struct pcp_flush flush = flush_of(alloc, task, &alloc->zones[node], cpu);

			drain_pages_zone(&flush);
		}
	}
}
