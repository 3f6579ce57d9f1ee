/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What empties pcps beside frees: the vmstat worker (refresh_cpu_vm_stats() in
 * mm/vmstat.c, 6.12), which also folds counters, and drain_all_pages().
 *
 * The kernel's worker stops after a pass that changed nothing; its shepherd
 * starts it again once counters of the CPU differ. Passes in between would
 * find nothing to do, so here they are made.
 */
#include "models/kernel/page_alloc_parts.h"

#define REMOTE_ZONE_PASSES 3 /* of the worker without a change, after which pages of another node go back */

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

void pcp_decay_in_chunks(const struct pcp_flush *flush, int nr_pages, int chunk)
{
	for (; nr_pages > 0; nr_pages -= chunk) {
		pcp_spin_lock(flush);
		free_pcppages_bulk(flush, nr_pages < chunk ? nr_pages : chunk);
		pcp_spin_unlock(flush->alloc, flush->task, flush->pcp);
	}
}

static void decay_pcp_high(const struct pcp_flush *flush)
{
	struct page_alloc *alloc = flush->alloc;
	const int to_drain = alloc->high->decay(alloc->high_params, flush->pcp);

	if (to_drain > 0)
		alloc->free->decay(alloc->free_params, flush, to_drain);
}

/* Pages of another node that nobody asked for during some passes. */
static void expire_remote(const struct pcp_flush *flush)
{
	struct per_cpu_pages *pcp = flush->pcp;

	if (!pcp->expire || !pcp->count)
		return;
	if (flush->zone->node == flush->task->cpu->place->node)
		pcp->expire = 0;
	else if (!--pcp->expire)
		drain_some(flush, pcp->batch); /* drain_zone_pages() */
}

/* One pass. */
static void refresh_cpu_vm_stats(struct page_alloc *alloc, struct task *task)
{
	int64_t global = 0;

	for (int node = 0; node < alloc->nr_zones; node++) {
		struct zone *zone = &alloc->zones[node];
		const struct pcp_flush flush = flush_of(alloc, task, zone, task->cpu->id);

		if (zone_fold_free_pages(zone, task->cpu, &global))
			flush.pcp->expire = REMOTE_ZONE_PASSES;
		decay_pcp_high(&flush);
		expire_remote(&flush);
	}
	if (global)
		global_free_pages_add(alloc->zones, task->cpu, global);
}

void vmstat_update(struct page_alloc *alloc, struct task *task)
{
	struct page_alloc_cpu *mine = &alloc->cpus[task->cpu->id];
	sim_ps next_ps = mine->stat_due_ps;

	if (next_ps <= task->cpu->date)
		next_ps += ((task->cpu->date - next_ps) / alloc->stat_interval_ps + 1) * alloc->stat_interval_ps;
	mine->stat_due_ps = SIM_PS_MAX; /* what is below does not come here again */
	refresh_cpu_vm_stats(alloc, task);
	mine->stat_due_ps = next_ps;
}

static void drain_pages_zone(const struct pcp_flush *flush)
{
	const struct page_alloc *alloc = flush->alloc;

	while (flush->pcp->count)
		drain_some(flush, alloc->high->drain(alloc->high_params, flush->pcp));
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
