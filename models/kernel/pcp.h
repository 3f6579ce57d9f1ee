/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * struct per_cpu_pages: the free blocks that a CPU keeps of one zone, and the
 * numbers that decide when it takes more and when it gives some back.
 *
 * This file and the policies of the axis `pcp_high` are arithmetic: no time,
 * no locks, no lines. page_alloc.c plays the paths around them.
 */
#ifndef CONTEND_KERNEL_PCP_H
#define CONTEND_KERNEL_PCP_H

#include <stdbool.h>
#include <stdint.h>

#include "models/kernel/page.h"
#include "models/kernel/policy.h"
#include "sim/util/arena.h"
#include "sim/util/error.h"
#include "sim/util/param.h"

#define NR_PCP_LISTS 14 /* orders 0..3 by migratetype, then huge pages: not movable, movable */

/* A list of blocks, both ends open: pages move at the head, refills append to the tail, drains take from it. */
struct pcp_list {
	pfn_t *blocks; /* a ring; capacity is a power of two */
	uint32_t capacity, first, nr;
};

enum pcp_flags {
	PCPF_PREV_FREE_HIGH_ORDER = 1,
	PCPF_FREE_HIGH_BATCH = 2, /* this CPU's slice of the last-level cache holds more than three batches */
};

struct per_cpu_pages {
	const void *holder; /* who holds pcp->lock (a task or a drainer); NULL: free */
	int nr_waiting; /* drainers that spin for it, which is why a trylock fails even when it is free (the pending bit) */
	int count; /* pages on all lists */
	int high, high_min, high_max;
	int batch;
	int free_factor; /* v6.6 */
	uint8_t flags;
	uint8_t alloc_factor;
	uint8_t expire;
	int free_count;
	struct pcp_list lists[NR_PCP_LISTS];
};

/* What the zone says to the arithmetic. */
enum zone_flags {
	ZONE_BELOW_HIGH = 1,
	ZONE_RECLAIM_ACTIVE = 2,
};

/* What kernels of one design point do otherwise around the pcp; page_alloc.c follows it. */
struct page_alloc_design {
	uint32_t free_batch; /* order-0 pages that one trylock of pcp->lock serves when many are freed */
	bool refill_counts_once; /* NR_FREE_PAGES changes once per refill, not with every block */
	bool knows_below_high; /* ZONE_BELOW_HIGH is kept: allocations ask for the high watermark first, flushes lift it */
};

#define FOLIO_BATCH_SIZE 31 /* 6.9 and later: a folio_batch per free_unref_folios() */
#define SWAP_CLUSTER_MAX 32 /* before: lists of up to 512 pages, and the lock dropped every so many */

struct pcp_high_policy {
	struct policy policy; /* its params begin with struct pcp_limits */
	struct page_alloc_design design;

	/* nr_pcp_alloc(): blocks to take for a refill of this order; may move high and alloc_factor. */
	int (*nr_pcp_alloc)(const void *params, struct per_cpu_pages *pcp, unsigned zone_flags, unsigned order);

	/* rmqueue_pcplist() was called `nr` times, whatever the order. */
	void (*allocated)(const void *params, struct per_cpu_pages *pcp, uint32_t nr);

	/*
	 * free_frozen_page_commit() up to the decision, for one block that is on its list and in count. Returns how many
	 * pages to free now, 0 for none; *free_high says whether the free_high rule asked for it.
	 */
	int (*freed)(const void *params, struct per_cpu_pages *pcp, unsigned zone_flags, unsigned order,
		     bool *free_high);

	/*
	 * The next so many order-0 frees in a row that free nothing to the buddy, at most nr: done at once, in count too
	 * (the caller puts the pages on the list). 0 when the very next one has to go through freed().
	 */
	uint32_t (*freed_quietly)(const void *params, struct per_cpu_pages *pcp, unsigned zone_flags, uint32_t nr);

	/* decay_pcp_high() of the 1 s worker: lowers high, returns how many pages to free. */
	int (*decay)(const void *params, struct per_cpu_pages *pcp);

	/* drain_pages_zone(): at most so many pages under one hold; more than 0. */
	int (*drain)(const void *params, const struct per_cpu_pages *pcp);
};

static inline const struct pcp_high_policy *pcp_high_policy(const struct policy_choice *choice)
{
	return (const struct pcp_high_policy *)(const void *)choice->policy;
}

/*
 * Overrides of what a zone's size gives; 0: as computed. First member of every pcp_high policy's parameters. A bound that
 * is given moves the computed other one along when it would cross it.
 */
struct pcp_limits {
	uint32_t batch;
	uint32_t high_min;
	uint32_t high_max;
	uint32_t percpu_pagelist_high_fraction; /* the sysctl; 0 or at least 8 */
};

/* clang-format off */
/* Rows of a policy's table whose parameters, of this type, begin with `struct pcp_limits limits`. */
#define PCP_LIMIT_PARAMS(type) \
	PARAM_AS("batch", type, limits.batch, "", 0, 0, 65536, "pcp->batch: pages per refill and step of freeing; 0: from the zone's size, 63 from 688 MiB on"), \
	PARAM_AS("high_min", type, limits.high_min, "", 0, 0, 1e8, "pcp->high_min: pages that a CPU may always keep; 0: low watermark / CPUs of the node"), \
	PARAM_AS("percpu_pagelist_high_fraction", type, limits.percpu_pagelist_high_fraction, "", 0, 0, 2147483647, \
		 "the sysctl: high is fixed at zone / this / CPUs of the node; 0: unset, else at least 8")
#define PCP_HIGH_MAX_PARAM(type) \
	PARAM_AS("high_max", type, limits.high_max, "", 0, 0, 1e8, "pcp->high_max: pages that a CPU may come to keep by refills; 0: zone / 8 / CPUs of the node")
/* clang-format on */

/* The check of a policy's parameters (struct policy) that begin with struct pcp_limits. */
int pcp_limits_check(const void *params, const char **key, struct error *err);

/* What the limits follow from (zone_batchsize(), zone_highsize()). */
struct pcp_zone_size {
	uint64_t managed_pages;
	uint64_t low_wmark_pages;
	int nr_cpus; /* of the node; all online ones when it has none */
	uint64_t llc_slice_bytes; /* last-level cache per CPU */
};

/* Pages per batch: 63 from 688 MiB on. */
int zone_batchsize(uint64_t managed_pages);

/* An empty pcp with its limits. high is 0 until its first use, which lifts it to high_min. */
void per_cpu_pages_init(struct per_cpu_pages *pcp, const struct pcp_zone_size *size, const struct pcp_limits *limits);

/* May a block of this order be on a pcp list, and on which? v6.6 has one list of huge pages; here it has the two of later ones. */
bool pcp_allowed_order(unsigned order);
int order_to_pindex(enum migratetype migratetype, unsigned order);
unsigned pindex_to_order(int pindex);
enum migratetype pindex_to_migratetype(int pindex); /* of huge pages: movable or not */

/*
 * The lists. Heads are hot. Blocks are copied; `nr` blocks at once keep the order of one by one, so what was pushed last
 * is popped first. Rings grow in the arena, from nothing (a zeroed list is empty).
 */
void pcp_list_push_head(struct pcp_list *list, struct arena *arena, const pfn_t *blocks, uint32_t nr);
void pcp_list_push_tail(struct pcp_list *list, struct arena *arena, const pfn_t *blocks, uint32_t nr);
uint32_t pcp_list_pop_head(struct pcp_list *list, pfn_t *blocks, uint32_t nr); /* how many there were */
pfn_t pcp_list_pop_tail(struct pcp_list *list); /* NO_PAGE when empty */

#endif
