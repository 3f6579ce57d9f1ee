/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the lists of a pcp and every policy of the axis pcp_high keep under
 * random operations. A case that fails prints its seed.
 */
#include "models/kernel/pcp.h"

#include "models/registry.h"
#include "sim/util/rng.h"
#include "tests/support/run_setup.h"
#include "tests/support/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NR_SEEDS 200
#define NR_STEPS 400
#define MAX_BLOCKS 200000

/* ---- a list is what a plain array is ---- */

struct naive_list {
	pfn_t blocks[MAX_BLOCKS]; /* head first */
	uint32_t nr;
};

static void naive_insert(struct naive_list *naive, uint32_t at, pfn_t block)
{
	memmove(naive->blocks + at + 1, naive->blocks + at, (naive->nr - at) * sizeof(block));
	naive->blocks[at] = block;
	naive->nr++;
}

static pfn_t naive_remove(struct naive_list *naive, uint32_t at)
{
	pfn_t block = naive->blocks[at];

	naive->nr--;
	memmove(naive->blocks + at, naive->blocks + at + 1, (naive->nr - at) * sizeof(block));
	return block;
}

struct list_pair {
	struct arena *arena;
	struct rng rng;
	struct pcp_list list;
	struct naive_list *naive;
	pfn_t next; /* block to push */
	int nr_wrong;
};

#define MAX_AT_ONCE 150

static void push(struct list_pair *pair, bool head)
{
	uint32_t nr = (uint32_t)rng_below(&pair->rng, MAX_AT_ONCE);
	pfn_t blocks[MAX_AT_ONCE];

	for (uint32_t i = 0; i < nr; i++) {
		blocks[i] = pair->next++;
		naive_insert(pair->naive, head ? 0 : pair->naive->nr, blocks[i]);
	}
	if (head)
		pcp_list_push_head(&pair->list, pair->arena, blocks, nr);
	else
		pcp_list_push_tail(&pair->list, pair->arena, blocks, nr);
}

static void pop_head(struct list_pair *pair)
{
	uint32_t nr = (uint32_t)rng_below(&pair->rng, MAX_AT_ONCE);
	uint32_t expected = nr < pair->naive->nr ? nr : pair->naive->nr;
	pfn_t blocks[MAX_AT_ONCE];

	pair->nr_wrong += pcp_list_pop_head(&pair->list, blocks, nr) != expected;
	for (uint32_t i = 0; i < expected; i++)
		pair->nr_wrong += blocks[i] != naive_remove(pair->naive, 0);
}

static void pop_tail(struct list_pair *pair)
{
	pfn_t expected = pair->naive->nr ? naive_remove(pair->naive, pair->naive->nr - 1) : NO_PAGE;

	pair->nr_wrong += pcp_list_pop_tail(&pair->list) != expected;
}

static void lists_are_what_plain_arrays_are(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct list_pair pair = { .arena = arena_create(), .rng = rng_stream(seed, 0) };

		pair.naive = arena_alloc(pair.arena, sizeof(*pair.naive));
		for (int step = 0; step < NR_STEPS; step++) {
			uint64_t what = rng_below(&pair.rng, 6);

			if (what < 2)
				push(&pair, what == 0);
			else if (what < 4)
				pop_head(&pair);
			else
				pop_tail(&pair);
			pair.nr_wrong += pair.list.nr != pair.naive->nr;
		}
		if (pair.nr_wrong)
			print_error("list, seed %" PRIu64 ": %d wrong\n", seed, pair.nr_wrong);
		assert_int_equal(pair.nr_wrong, 0);
		arena_destroy(pair.arena);
	}
}

/* ---- policies ---- */

/* One pcp with its blocks on its lists, under a policy. */
struct run {
	struct arena *arena;
	struct rng rng;
	const struct pcp_high_policy *policy;
	const void *params;
	struct per_cpu_pages pcp;
	int batch_scale_max;
	pfn_t next; /* block to push */
	unsigned zone_flags;
	int nr_quiet, nr_loud; /* frees that did, and did not, go through freed_quietly() */
	int nr_wrong;
};

static unsigned random_order(struct rng *rng)
{
	uint64_t draw = rng_below(rng, 12);

	if (draw == 0)
		return PMD_ORDER;
	return draw < 6 ? 0 : (unsigned)draw % 4;
}

static struct pcp_list *random_list(struct run *run, unsigned order)
{
	return &run->pcp.lists[order_to_pindex((enum migratetype)rng_below(&run->rng, MIGRATE_PCPTYPES), order)];
}

static void put_blocks(struct run *run, struct pcp_list *list, bool head, int nr)
{
	for (int i = 0; i < nr; i++) {
		pfn_t block = run->next++;

		if (head)
			pcp_list_push_head(list, run->arena, &block, 1);
		else
			pcp_list_push_tail(list, run->arena, &block, 1);
	}
}

/* free_pcppages_bulk() */
static void free_bulk(struct run *run, int nr)
{
	for (int pindex = 0; pindex < NR_PCP_LISTS; pindex++) {
		while (nr > 0 && pcp_list_pop_tail(&run->pcp.lists[pindex]) != NO_PAGE) {
			run->pcp.count -= 1 << pindex_to_order(pindex);
			nr -= 1 << pindex_to_order(pindex);
		}
	}
}

static void alloc_one(struct run *run)
{
	unsigned order = random_order(&run->rng);
	struct pcp_list *list = random_list(run, order);
	pfn_t block;

	run->policy->allocated(run->params, &run->pcp, 1);
	if (!list->nr) {
		int nr = run->policy->nr_pcp_alloc(run->params, &run->pcp, run->zone_flags, order);

		run->nr_wrong += nr < 1 || (nr - 1) << order >= run->pcp.batch << 7;
		put_blocks(run, list, false, nr);
		run->pcp.count += nr << order;
	}
	pcp_list_pop_head(list, &block, 1);
	run->pcp.count -= 1 << order;
}

static void free_one(struct run *run)
{
	unsigned order = random_order(&run->rng);
	bool free_high = false;
	int nr;

	put_blocks(run, random_list(run, order), true, 1);
	run->pcp.count += 1 << order;
	nr = run->policy->freed(run->params, &run->pcp, run->zone_flags, order, &free_high);
	run->nr_wrong += nr < 0 || (free_high && (order < 1 || order > 3 || nr < 1));
	free_bulk(run, nr);
}

static int free_page(struct run *run, struct per_cpu_pages *pcp)
{
	bool free_high;

	pcp->count++;
	return run->policy->freed(run->params, pcp, run->zone_flags, 0, &free_high);
}

/* Everything but the lists. */
static bool is_same(const struct per_cpu_pages *a, const struct per_cpu_pages *b)
{
	return a->count == b->count && a->high == b->high && a->high_min == b->high_min && a->high_max == b->high_max &&
	       a->batch == b->batch && a->free_factor == b->free_factor && a->flags == b->flags &&
	       a->alloc_factor == b->alloc_factor && a->expire == b->expire && a->free_count == b->free_count;
}

/* A run of frees at once, and on a copy one by one. What is left over goes one by one on both. */
static void free_run(struct run *run)
{
	uint32_t wanted = (uint32_t)rng_below(&run->rng, rng_below(&run->rng, 2) ? 40 : 3000);
	struct per_cpu_pages copy = run->pcp;
	uint32_t quiet = run->policy->freed_quietly(run->params, &run->pcp, run->zone_flags, wanted);
	int nr = 0;

	for (uint32_t i = 0; i < quiet; i++)
		nr += free_page(run, &copy);
	run->nr_wrong += quiet > wanted || nr != 0 || !is_same(&run->pcp, &copy);
	put_blocks(run, &run->pcp.lists[0], true, (int)quiet);
	run->nr_quiet += (int)quiet;
	if (quiet == wanted)
		return;
	run->nr_loud++;
	nr = free_page(run, &run->pcp);
	run->nr_wrong += quiet && !nr; /* it stops where it must */
	put_blocks(run, &run->pcp.lists[0], true, 1);
	free_bulk(run, nr);
}

/* Far more pages than high allows pull high up with them (the kernel's max3()): until the next use only. */
static void decay(struct run *run)
{
	int high = run->pcp.high;
	int far = run->pcp.count - (run->pcp.batch << run->batch_scale_max);
	int nr = run->policy->decay(run->params, &run->pcp);

	run->nr_wrong += nr < 0 || run->pcp.high > (far > high ? far : high);
	free_bulk(run, nr);
	if (run->pcp.high > run->pcp.high_max)
		run->pcp.high = run->pcp.high_max;
}

static void check(struct run *run)
{
	const struct per_cpu_pages *pcp = &run->pcp;
	int most = pcp->batch << run->batch_scale_max;
	int64_t count = 0;

	for (int pindex = 0; pindex < NR_PCP_LISTS; pindex++)
		count += (int64_t)pcp->lists[pindex].nr << pindex_to_order(pindex);
	run->nr_wrong += count != pcp->count;
	run->nr_wrong += pcp->high && (pcp->high < pcp->high_min || pcp->high > pcp->high_max);
	run->nr_wrong += pcp->free_count < 0 || pcp->free_count >= most + (1 << PMD_ORDER);
	run->nr_wrong += pcp->alloc_factor > run->batch_scale_max || pcp->free_factor < 0;
}

static void step(struct run *run)
{
	uint64_t draw = rng_below(&run->rng, 40);

	if (draw == 0)
		run->zone_flags ^= ZONE_BELOW_HIGH;
	else if (draw == 1)
		run->zone_flags ^= ZONE_RECLAIM_ACTIVE;
	else if (draw == 2)
		decay(run);
	else if (draw < 14)
		free_run(run);
	else if (draw < 25)
		free_one(run);
	else
		alloc_one(run);
	check(run);
}

static struct pcp_limits random_limits(struct rng *rng)
{
	static const uint32_t batches[] = { 0, 0, 1, 31, 255 };
	static const uint32_t fractions[] = { 8, 100, 5000 };
	struct pcp_limits limits = { .batch = batches[rng_below(rng, 5)] };

	switch (rng_below(rng, 4)) {
	case 0:
		limits.percpu_pagelist_high_fraction = fractions[rng_below(rng, 3)];
		break;
	case 1:
		limits.high_min = 1 + (uint32_t)rng_below(rng, 3000);
		break;
	case 2:
		limits.high_max = 1 + (uint32_t)rng_below(rng, 3000);
		break;
	}
	return limits;
}

static void run_create(struct run *run, const struct policy *policy, uint64_t seed)
{
	struct pcp_zone_size size = { .low_wmark_pages = 30000, .nr_cpus = 32 };
	struct pcp_limits limits;
	char values[32];

	*run = (struct run){ .arena = arena_create(), .rng = rng_stream(seed, 0), .next = 1 };
	run->policy = pcp_high_policy(&(struct policy_choice){ .policy = policy });
	run->batch_scale_max = (int)rng_below(&run->rng, 7);
	snprintf(values, sizeof(values), "batch_scale_max %d", run->batch_scale_max);
	run->params = param_setup(run->arena, policy->params, policy->params_size, values);
	limits = random_limits(&run->rng);
	size.managed_pages = UINT64_C(1) << (18 + rng_below(&run->rng, 7));
	size.llc_slice_bytes = rng_below(&run->rng, 2) << 21;
	per_cpu_pages_init(&run->pcp, &size, &limits);
}

static void whatever_happens_counts_fit_lists_and_runs_fit_single_frees(void **state)
{
	(void)state;
	for (int i = 0; registry_policy_at(AXIS_PCP_HIGH, i); i++) {
		const struct policy *policy = registry_policy_at(AXIS_PCP_HIGH, i);
		int nr_quiet = 0;
		int nr_loud = 0;

		for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
			struct run run;

			run_create(&run, policy, seed);
			for (int nr = 0; nr < NR_STEPS && !run.nr_wrong; nr++)
				step(&run);
			if (run.nr_wrong)
				print_error("%s, seed %" PRIu64
					    ": count %d, high %d in [%d, %d], batch %d, free_count %d\n",
					    policy->name, seed, run.pcp.count, run.pcp.high, run.pcp.high_min,
					    run.pcp.high_max, run.pcp.batch, run.pcp.free_count);
			assert_int_equal(run.nr_wrong, 0);
			nr_quiet += run.nr_quiet;
			nr_loud += run.nr_loud;
			arena_destroy(run.arena);
		}
		assert_true(nr_quiet > 100 * NR_SEEDS);
		assert_true(nr_loud > NR_SEEDS);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_what_plain_arrays_are),
		cmocka_unit_test(whatever_happens_counts_fit_lists_and_runs_fit_single_frees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
