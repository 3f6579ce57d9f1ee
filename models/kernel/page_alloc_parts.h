/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The page allocator's own: what its files share.
 *
 *	page_alloc_setup.c   creation
 *	page_alloc.c         allocation: entry points
 *	page_alloc_refill.c  rmqueue() and below
 *	page_free.c          freeing
 *	page_contig.c        freeing ranges of pages as blocks; split_page()
 *	page_drain.c         what drains pcps beside frees
 *	pcp_lock.c           pcp->lock
 *	page_check.c         counters, conservation
 */
#ifndef CONTEND_KERNEL_PAGE_ALLOC_PARTS_H
#define CONTEND_KERNEL_PAGE_ALLOC_PARTS_H

#include "models/kernel/page_alloc.h"
#include "models/kernel/pcp_free.h"
#include "models/kernel/sched.h"

#include <assert.h>

/* What the allocator keeps of a CPU beside its pcps. */
struct page_alloc_cpu {
	sim_ps stat_due_ps; /* when its vmstat worker runs next; SIM_PS_MAX: never */
	sim_ps irqs_off_max_ps;
	struct page_alloc_blocks blocks;
};

struct page_alloc {
	struct page_alloc_site site;
	struct page_alloc_params params;
	const struct pcp_high_policy *high;
	const void *high_params;
	const struct pcp_free_policy *free;
	const void *free_params;
	sim_ps alloc_ps, free_ps; /* a block from and to the pcp, beside its lock */
	sim_ps prepare_ps, commit_ps; /* free_ps in parts: free_pages_prepare() and what is left */
	sim_ps split_ps; /* a page of a split block */
	sim_ps lock_ps, unlock_ps; /* pcp->lock: an atomic and a store on a line that is here */
	sim_ps transfer_ps[NR_DISTANCES]; /* of a pcp's line to a drainer */
	sim_ps stat_interval_ps;
	struct zone *zones; /* by node; ascending in pfn */
	const int *zonelists; /* nr_zones nodes by distance from each node */
	struct page_alloc_cpu *cpus;
	int nr_zones, nr_cpus;
	struct page_alloc_counters counters;
};

/* Blocks that somebody asks for, and where they go. */
struct page_request {
	unsigned order;
	enum migratetype migratetype;
	uint32_t nr;
	pfn_t *pages;
};

/* Would a trylock of the pcp fail? */
static inline bool pcp_is_wanted(const struct per_cpu_pages *pcp)
{
	return pcp->holder || pcp->nr_waiting;
}

/* The zone that a page is in. */
static inline struct zone *page_zone(struct page_alloc *alloc, pfn_t pfn)
{
	struct zone *zone = alloc->zones;

	while (!zone_has_pfn(zone, pfn)) {
		zone++;
		assert(zone < alloc->zones + alloc->nr_zones);
	}
	return zone;
}

/* Under zone->lock: how long interrupts were off is noted for the CPU. */
void page_alloc_unlock_zone(struct page_alloc *alloc, struct zone *zone, struct cpu *cpu,
			    const struct zone_lock_times *times, enum zone_hold kind, uint64_t pages);

/* rmqueue(): from the pcp of the task's CPU, refilled when its list is empty, or else from the zone. */
pfn_t rmqueue(struct page_alloc *alloc, struct task *task, struct zone *zone, const struct page_request *request);

/* nr_pcp_alloc() and rmqueue_bulk(), for an empty list of a pcp whose lock is held. How many blocks came. */
int rmqueue_refill(struct page_alloc *alloc, struct task *task, struct zone *zone, struct per_cpu_pages *pcp,
		   const struct page_request *request);

/*
 * A block on its way back whose pages have been prepared (FPI_PREPARED): the entry __free_frozen_pages(), to the pcp or,
 * by its order, straight to the zone.
 */
void free_prepared_pages(struct page_alloc *alloc, struct task *task, pfn_t pfn, unsigned order);

static inline void vmstat_poll(struct page_alloc *alloc, struct task *task)
{
	if (task->cpu->date >= alloc->cpus[task->cpu->id].stat_due_ps)
		vmstat_update(alloc, task);
}

#endif
