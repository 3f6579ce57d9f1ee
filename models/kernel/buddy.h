/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The buddy allocator of one zone: free_area[] as in mm/page_alloc.c, sparse.
 *
 * Blocks that nobody has touched are implicit: they are free, of the largest
 * order and movable, and are taken in ascending pfn once the lists hold
 * nothing that fits. Memory is proportional to the pages touched.
 *
 * The caller holds zone->lock. Every function works on the CPU's clock as it
 * goes: each struct page and list head that the kernel would touch is priced
 * by models/hardware/memory.h. A NULL cpu is free of charge (set-up, tests).
 *
 * Source: kernel-level description in models/README.md, "Buddy"; mirrors
 * __rmqueue(), __rmqueue_smallest(), expand(), __rmqueue_claim(),
 * __rmqueue_steal() and __free_one_page() of mm/page_alloc.c, 6.12 and later.
 */
#ifndef CONTEND_KERNEL_BUDDY_H
#define CONTEND_KERNEL_BUDDY_H

#include <stdbool.h>

#include "models/hardware/cpu.h"
#include "models/hardware/memory.h"
#include "models/kernel/page.h"
#include "sim/util/arena.h"
#include "sim/util/error.h"
#include "sim/util/param.h"
#include "sim/util/rng.h"

struct buddy;

struct buddy_site {
	struct arena *arena;
	struct memory *memory; /* NULL: accesses cost nothing */
	const struct buddy_costs *costs; /* with memory */
	int node; /* where the struct pages and the zone are */
};

/* Work beside the accesses themselves; calibrated once, models/README.md. */
struct buddy_costs {
	double free_page_ns; /* free_pcppages_bulk(): per block, beside merging */
	double rmqueue_ns; /* rmqueue_bulk(): per block, beside splitting */
	double level_ns; /* per order merged or split */
	double work_pct; /* of these three, on the cores of this machine */
	double hold_ns; /* per hold of zone->lock, whatever is done: the zone adds it */
};

extern const struct param buddy_cost_params[];

/* A zone of pages [start_pfn, start_pfn + nr_pages), all free and untouched. start_pfn is a multiple of a largest block. */
struct buddy *buddy_create(const struct buddy_site *site, pfn_t start_pfn, uint64_t nr_pages);

/* How a fallback was found; rmqueue_bulk keeps it from block to block (enum rmqueue_mode). */
enum rmqueue_mode {
	RMQUEUE_NORMAL,
	RMQUEUE_CLAIM,
	RMQUEUE_STEAL,
};

/* One block, its lowest pfn; NO_PAGE when nothing fits, in no migratetype. *mode starts as RMQUEUE_NORMAL. */
pfn_t buddy_rmqueue(struct buddy *buddy, struct cpu *cpu, unsigned order, enum migratetype migratetype,
		    enum rmqueue_mode *mode);

/*
 * Free a block, merging it as far as it goes; to the list of its pageblock's migratetype.
 * Larger than a pageblock: per pageblock first.
 */
void buddy_free(struct buddy *buddy, struct cpu *cpu, pfn_t pfn, unsigned order);

/* The migratetype of a page's pageblock (get_pageblock_migratetype()). */
enum migratetype buddy_pageblock_migratetype(const struct buddy *buddy, pfn_t pfn);

/*
 * A CPU used the struct page of a block outside the zone lock (put it on a list, mapped it):
 * only the stamp moves, no cost.
 */
void buddy_page_used(struct buddy *buddy, const struct cpu *cpu, pfn_t pfn);

/* The same of many, one after the other; before each the CPU touched so many other lines (memory_pass). */
void buddy_pages_used(struct buddy *buddy, const struct cpu *cpu, const pfn_t *pages, uint32_t nr, uint32_t lines);

/* The same of one, and what the access costs; the caller lets the CPU work it off. */
sim_ps buddy_page_touch(struct buddy *buddy, const struct cpu *cpu, pfn_t pfn);

/*
 * References to a page of a held block: one, which allocating it gave, and at most one more. Free of charge; no lock is
 * needed. buddy_put_page() drops one and says whether it was the last.
 */
void buddy_get_page(struct buddy *buddy, pfn_t pfn);
bool buddy_put_page(struct buddy *buddy, pfn_t pfn);

uint64_t buddy_nr_free_pages(const struct buddy *buddy);
uint64_t buddy_nr_free_blocks(const struct buddy *buddy, unsigned order); /* implicit ones included */

/* Does the allocator hold this page now, in any block? */
bool buddy_is_free(const struct buddy *buddy, pfn_t pfn);

/*
 * Fragment a fresh zone as one that has been used for long: `used_pct` of its touched part is taken in random blocks
 * until the orders are spread, by the stream. Only `touched_pages` of the zone are made explicit; the pages taken stay so.
 */
void buddy_age(struct buddy *buddy, struct rng *rng, uint64_t touched_pages, uint32_t used_pct);

/* Take blocks until the free lists of a fresh zone have these numbers of blocks by order (a line of /proc/buddyinfo). */
int buddy_set_free_blocks(struct buddy *buddy, const uint64_t nr_blocks[NR_PAGE_ORDERS], struct error *err);

/* For tests: the first violated invariant (counts, links, alignment, two free buddies unmerged, overlap) in err, or 0. */
int buddy_check(const struct buddy *buddy, struct error *err);

#endif
