/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pcp->lock: the lock of a struct that only its own CPU uses, but for drainers.
 * So it is a flag here, its line's price a hit or, for a drainer, a transfer.
 */
#include "models/kernel/page_alloc_parts.h"

struct per_cpu_pages *pcp_spin_trylock(struct page_alloc *alloc, struct task *task, struct zone *zone)
{
	struct per_cpu_pages *pcp = &zone->pcps[task->cpu->id];

	task_kernel(task, alloc->lock_ps);
	if (pcp_is_wanted(pcp))
		cpu_sync(task->cpu); /* it may be free by this CPU's clock */
	if (pcp_is_wanted(pcp)) {
		alloc->counters.trylock_failures++;
		return NULL;
	}
	pcp->holder = task;
	return pcp;
}

void pcp_spin_lock(const struct pcp_flush *flush)
{
	const struct page_alloc *alloc = flush->alloc;
	struct cpu *cpu = flush->task->cpu;
	const int owner = (int)(flush->pcp - flush->zone->pcps);
	sim_ps price_ps = alloc->lock_ps;

	if (owner != cpu->id)
		price_ps = alloc->transfer_ps[machine_distance(alloc->site.machine, cpu->id, owner)];
	task_kernel(flush->task, price_ps);
	cpu_sync(cpu);
	flush->pcp->nr_waiting++;
	while (flush->pcp->holder) {
		task_kernel(flush->task, price_ps);
		cpu_sync(cpu);
	}
	flush->pcp->nr_waiting--;
	flush->pcp->holder = flush->task;
}

void pcp_spin_unlock(struct page_alloc *alloc, struct task *task, struct per_cpu_pages *pcp)
{
	task_kernel(task, alloc->unlock_ps);
	pcp->holder = NULL;
}
