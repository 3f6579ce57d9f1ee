/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How a CPU gives pages back to the zone: the axis `pcp_free`.
 *
 * How many is decided before, by the axis `pcp_high`. Here is decided for how
 * long at a time the locks are held: pcp->lock, taken by trylock or by a
 * drainer, with preemption off; inside it zone->lock, with interrupts off.
 */
#ifndef CONTEND_KERNEL_PCP_FREE_H
#define CONTEND_KERNEL_PCP_FREE_H

#include <stdbool.h>

#include "models/kernel/page_alloc.h"
#include "models/kernel/policy.h"

/* Pages of one pcp on their way to its zone. */
struct pcp_flush {
	struct page_alloc *alloc;
	struct task *task; /* who frees */
	struct zone *zone;
	struct per_cpu_pages *pcp;
	int pindex; /* the list to empty first */
	enum zone_hold kind;
};

struct pcp_free_policy {
	struct policy policy;

	/*
	 * The end of free_frozen_page_commit(): free so many pages of the pcp of the task's CPU, whose lock it holds.
	 * Returns whether it still does; when not, the task may be on another CPU. May block.
	 */
	bool (*commit)(const void *params, const struct pcp_flush *flush, int to_free);

	/* decay_pcp_high(): the same by the vmstat worker, which holds no lock before and after. May block. */
	void (*decay)(const void *params, const struct pcp_flush *flush, int to_free);
};

static inline const struct pcp_free_policy *pcp_free_policy(const struct policy_choice *choice)
{
	return (const struct pcp_free_policy *)(const void *)choice->policy;
}

/*
 * At least `nr_pages` blocks' worth of pages, as far as there are any, under one hold of zone->lock: from the tail of
 * list `pindex` until it is empty, then from the next one. The last block may exceed nr_pages by its size less one. The
 * pcp's lock is held. Blocks.
 */
void free_pcppages_bulk(const struct pcp_flush *flush, int nr_pages);

/* decay_pcp_high(): the same, at most `chunk` pages under one hold of both locks. Blocks. */
void pcp_decay_in_chunks(const struct pcp_flush *flush, int nr_pages, int chunk);

/* The pcp of the CPU that the task is on, locked, with preemption off; NULL when somebody else has it. One local atomic. */
struct per_cpu_pages *pcp_spin_trylock(struct page_alloc *alloc, struct task *task, struct zone *zone);

/* Wait for the lock of flush->pcp, whose ever it is, as drainers and the vmstat worker do. Blocks. */
void pcp_spin_lock(const struct pcp_flush *flush);

/* One store; preemption is on again, though only task_preempt_point() acts on that. */
void pcp_spin_unlock(struct page_alloc *alloc, struct task *task, struct per_cpu_pages *pcp);

/* The commit gave up the rest of what it was to free: counted. */
void pcp_free_lost(struct page_alloc *alloc);

#endif
