/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The designs of the axis pcp_high, number by number: refills, flushes, the
 * free_high rule, reclaim, decay. Expected numbers are worked out by hand from
 * the kernel's formulas; published ones say so.
 */
#include "models/kernel/pcp.h"

#include "models/registry.h"
#include "tests/support/run_setup.h"
#include "tests/support/unit.h"

#include <string.h>

#define MAX_FLUSHES 16
#define HIGH_MAX 53867

static const char *const autotuned[] = { "v6.7", "v6.16" };

/* One pcp under one policy. */
struct bench {
	struct arena *arena;
	const struct pcp_high_policy *policy;
	const void *params;
	struct per_cpu_pages pcp;
	unsigned zone_flags;
	bool free_high; /* of the last free */
};

static void bench_create(struct bench *bench, const char *name, const char *values, int high_min, int high_max)
{
	const struct policy_choice choice = { .policy = registry_policy(AXIS_PCP_HIGH, name) };

	*bench = (struct bench){ .arena = arena_create(), .policy = pcp_high_policy(&choice) };
	bench->params = param_setup(bench->arena, choice.policy->params, choice.policy->params_size, values);
	bench->pcp = (struct per_cpu_pages){ .batch = 63, .high_min = high_min, .high_max = high_max };
}

static void bench_destroy(struct bench *bench)
{
	arena_destroy(bench->arena);
}

static int refill(struct bench *bench, unsigned order)
{
	return bench->policy->nr_pcp_alloc(bench->params, &bench->pcp, bench->zone_flags, order);
}

/* One block onto its list; what is to be freed then, is not. */
static int free_block(struct bench *bench, unsigned order)
{
	bench->pcp.count += 1 << order;
	return bench->policy->freed(bench->params, &bench->pcp, bench->zone_flags, order, &bench->free_high);
}

/* ... is freed. */
static int free_and_flush(struct bench *bench, unsigned order)
{
	int nr = free_block(bench, order);

	bench->pcp.count -= nr < bench->pcp.count ? nr : bench->pcp.count;
	return nr;
}

/* ---- refills ---- */

static void refills_double_up_to_32_batches_while_nothing_is_freed(void **state)
{
	static const int sizes[] = { 63, 126, 252, 504, 1008, 2016, 2016, 2016 };

	(void)state;
	for (size_t design = 0; design < ARRAY_SIZE(autotuned); design++) {
		struct bench bench;

		bench_create(&bench, autotuned[design], NULL, 885, HIGH_MAX);
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
			assert_int_equal(refill(&bench, 0), sizes[i]);
		assert_int_equal(bench.pcp.alloc_factor, 5);
		bench_destroy(&bench);
	}
}

static void the_scale_cap_limits_refills(void **state)
{
	static const int sizes[] = { 63, 126, 252, 252 };
	struct bench bench;

	(void)state;
	bench_create(&bench, "v6.16", "batch_scale_max 2", 885, HIGH_MAX);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		assert_int_equal(refill(&bench, 0), sizes[i]);
	bench_destroy(&bench);
}

/* 252 - 63 = 189 pages fit; the factor stays where the next doubling would not. */
static void a_refill_leaves_a_batch_below_the_mark(void **state)
{
	static const int sizes[] = { 63, 126, 189, 189 };
	struct bench bench;

	(void)state;
	bench_create(&bench, "v6.16", NULL, 252, 252);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		assert_int_equal(refill(&bench, 0), sizes[i]);
	assert_int_equal(bench.pcp.alloc_factor, 2);
	bench.pcp.count = 200; /* on other lists */
	assert_int_equal(refill(&bench, 0), 63);
	bench_destroy(&bench);
	bench_create(&bench, "v6.16", NULL, 189, 189);
	refill(&bench, 0);
	assert_int_equal(refill(&bench, 0), 126); /* just fits */
	assert_int_equal(bench.pcp.alloc_factor, 2);
	bench_destroy(&bench);
}

static void refills_of_v6_6_are_one_batch(void **state)
{
	struct bench bench;

	(void)state;
	bench_create(&bench, "v6.6", NULL, 885, 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(refill(&bench, 0), 63);
	bench_destroy(&bench);
}

static void refills_of_higher_orders_are_31_15_7_and_2_blocks(void **state)
{
	static const struct {
		unsigned order;
		int blocks;
	} cases[] = { { 1, 31 }, { 2, 15 }, { 3, 7 }, { 9, 2 } };

	(void)state;
	for (int design = 0; registry_policy_at(AXIS_PCP_HIGH, design); design++) {
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			struct bench bench;

			bench_create(&bench, registry_policy_at(AXIS_PCP_HIGH, design)->name, NULL, 885, HIGH_MAX);
			bench.pcp.alloc_factor = 5; /* of order 0 alone */
			assert_int_equal(refill(&bench, cases[i].order), cases[i].blocks);
			assert_int_equal(refill(&bench, cases[i].order), cases[i].blocks);
			assert_int_equal(bench.pcp.alloc_factor, 5);
			bench.pcp.batch = 1;
			assert_int_equal(refill(&bench, cases[i].order), 1);
			bench_destroy(&bench);
		}
	}
}

static void a_pcp_that_may_not_keep_a_batch_takes_one_page(void **state)
{
	struct bench bench;

	(void)state;
	bench_create(&bench, "v6.16", NULL, 62, 62);
	assert_int_equal(refill(&bench, 0), 1);
	assert_int_equal(refill(&bench, 3), 1);
	bench_destroy(&bench);
}

static void every_refill_raises_high_by_what_it_takes(void **state)
{
	struct bench bench;

	(void)state;
	bench_create(&bench, "v6.16", NULL, 885, 1200);
	refill(&bench, 0);
	assert_int_equal(bench.pcp.high, 885 + 63);
	refill(&bench, 0);
	assert_int_equal(bench.pcp.high, 885 + 63 + 126);
	refill(&bench, 2);
	assert_int_equal(bench.pcp.high, 885 + 63 + 126 + 63);
	refill(&bench, 9);
	assert_int_equal(bench.pcp.high, 1200);
	bench_destroy(&bench);
}

static void high_does_not_rise_where_memory_is_short_or_the_sysctl_fixes_it(void **state)
{
	struct bench bench;

	(void)state;
	bench_create(&bench, "v6.16", NULL, 885, 1200);
	bench.zone_flags = ZONE_BELOW_HIGH;
	refill(&bench, 0);
	assert_int_equal(bench.pcp.high, 885);
	bench.zone_flags = 0;
	bench.pcp.high_max = 885;
	refill(&bench, 0);
	assert_int_equal(bench.pcp.high, 885);
	bench_destroy(&bench);
}

static void every_block_freed_halves_the_next_refill(void **state)
{
	struct bench bench;

	(void)state;
	bench_create(&bench, "v6.16", NULL, 885, HIGH_MAX);
	for (int i = 0; i < 6; i++)
		refill(&bench, 0);
	assert_int_equal(bench.pcp.alloc_factor, 5);
	free_block(&bench, 0);
	assert_int_equal(bench.pcp.alloc_factor, 2);
	free_block(&bench, 3);
	assert_int_equal(bench.pcp.alloc_factor, 1);
	assert_int_equal(refill(&bench, 0), 126);
	bench_destroy(&bench);
}

/* ---- flushes ---- */

struct flush_case {
	const char *policy;
	int high_min;
	int nr; /* of flushes in 10000 order-0 frees */
	int sizes[MAX_FLUSHES]; /* of the first; then as the last of these */
};

static const struct flush_case flush_cases[] = {
	{ "v6.6", 885, 14, { 63, 126, 252, 504, 822 } },
	{ "v6.6", 460, 26, { 63, 126, 252, 397 } },
	{ "v6.6", 702, 18, { 63, 126, 252, 504, 639 } },
	{ "v6.7", 885, 6, { 822, 885, 1770, 2016, 2016, 2016 } },
	{ "v6.7", 460, 7, { 397, 460, 920, 1840, 2016, 2016, 2016 } },
	{ "v6.7", 702, 6, { 639, 702, 1404, 2016, 2016, 2016 } },
	{ "v6.16", 885, 6, { 822, 885, 1770, 2016, 2016, 2016 } },
	{ "v6.16", 460, 7, { 397, 460, 920, 1840, 2016, 2016, 2016 } },
	{ "v6.16", 702, 6, { 639, 702, 1404, 2016, 2016, 2016 } },
};

static void flushes_of_a_long_run_of_frees_on_three_machines(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(flush_cases); i++) {
		const struct flush_case *flushes = &flush_cases[i];
		struct bench bench;
		int expected = 0;
		int nr = 0;

		bench_create(&bench, flushes->policy, NULL, flushes->high_min, HIGH_MAX);
		for (int page = 0; page < 10000; page++) {
			int flushed = free_and_flush(&bench, 0);

			if (!flushed)
				continue;
			if (nr < MAX_FLUSHES && flushes->sizes[nr])
				expected = flushes->sizes[nr];
			assert_int_equal(flushed, expected);
			assert_false(bench.free_high);
			nr++;
		}
		assert_int_equal(nr, flushes->nr);
		bench_destroy(&bench);
	}
}

/* Mel Gorman, "mm/page_alloc: Scale the number of pages that are batch freed", 2021-05-25: count = high = 814. */
static void v6_6_flushes_double_as_published(void **state)
{
	static const int sizes[] = { 63, 126, 252, 504, 751, 751 };
	struct bench bench;

	(void)state;
	bench_create(&bench, "v6.6", NULL, 814, 0);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		bench.pcp.count = 813;
		assert_int_equal(free_block(&bench, 0), sizes[i]);
	}
	bench_destroy(&bench);
}

/* ... and its predecessor, at count = high = 378. */
static void a_fixed_batch_flushes_63_each_time_as_published(void **state)
{
	struct bench bench;

	(void)state;
	bench_create(&bench, "v6.6", "batch_scale_max 0", 378, 0);
	for (int i = 0; i < 4; i++) {
		bench.pcp.count = 377;
		assert_int_equal(free_block(&bench, 0), 63);
	}
	bench_destroy(&bench);
}

/* 189 - 63 = 126: the second flush is as large as can be, and doubling stops there. */
static void v6_6_doubles_only_below_the_largest_flush(void **state)
{
	struct bench bench;

	(void)state;
	bench_create(&bench, "v6.6", NULL, 189, 0);
	for (int i = 0; i < 4; i++) {
		bench.pcp.count = 188;
		assert_int_equal(free_block(&bench, 0), i == 0 ? 63 : 126);
	}
	assert_int_equal(bench.pcp.free_factor, 1);
	bench_destroy(&bench);
}

static void v6_6_45_stops_doubling_at_32_batches(void **state)
{
	static const int unlimited[] = { 63, 126, 252, 504, 1008, 2016, 4032, 8064, 9937 };
	struct bench bench;

	(void)state;
	bench_create(&bench, "v6.6", NULL, 10000, 0);
	for (size_t i = 0; i < ARRAY_SIZE(unlimited); i++) {
		bench.pcp.count = 9999;
		assert_int_equal(free_block(&bench, 0), unlimited[i]);
	}
	bench_destroy(&bench);
	bench_create(&bench, "v6.6", "batch_scale_max 5", 10000, 0);
	for (size_t i = 0; i < ARRAY_SIZE(unlimited); i++) {
		bench.pcp.count = 9999;
		assert_int_equal(free_block(&bench, 0), unlimited[i] < 2016 ? unlimited[i] : 2016);
	}
	bench_destroy(&bench);
}

static void an_allocation_halves_the_run_of_frees(void **state)
{
	struct bench bench;

	(void)state;
	bench_create(&bench, "v6.16", NULL, 885, HIGH_MAX);
	bench.pcp.free_count = 1000;
	bench.policy->allocated(bench.params, &bench.pcp, 1);
	assert_int_equal(bench.pcp.free_count, 500);
	bench.policy->allocated(bench.params, &bench.pcp, 3);
	assert_int_equal(bench.pcp.free_count, 62);
	bench.policy->allocated(bench.params, &bench.pcp, 1000);
	assert_int_equal(bench.pcp.free_count, 0);
	bench_destroy(&bench);
	bench_create(&bench, "v6.6", NULL, 885, 0);
	bench.pcp.free_factor = 4;
	bench.policy->allocated(bench.params, &bench.pcp, 2);
	assert_int_equal(bench.pcp.free_factor, 1);
	bench_destroy(&bench);
}

static void a_flush_leaves_a_batch_below_the_mark_and_takes_a_page_where_none_fits(void **state)
{
	struct bench bench;

	(void)state;
	for (int design = 0; registry_policy_at(AXIS_PCP_HIGH, design); design++) {
		bench_create(&bench, registry_policy_at(AXIS_PCP_HIGH, design)->name, NULL, 20, 20);
		bench.pcp.count = 19;
		assert_int_equal(free_block(&bench, 0), 1);
		bench_destroy(&bench);
		bench_create(&bench, registry_policy_at(AXIS_PCP_HIGH, design)->name, NULL, 100, 100);
		bench.pcp.count = 99;
		assert_int_equal(free_block(&bench, 0), 63); /* a whole batch, though 37 would be left by the rule */
		bench_destroy(&bench);
	}
}

/* high is held against count as it was before this very call raises it. */
static void the_mark_compared_is_the_one_before_it_moves(void **state)
{
	struct bench bench;

	(void)state;
	bench_create(&bench, "v6.16", NULL, 885, HIGH_MAX);
	bench.pcp.free_count = 2000;
	bench.pcp.count = 884;
	assert_int_equal(free_block(&bench, 0), 822);
	assert_int_equal(bench.pcp.high, 2001 + 63);
	assert_int_equal(bench.pcp.free_count, 2001);
	bench_destroy(&bench);
}

/* ---- the free_high rule ---- */

struct free_high_case {
	const char *policy;
	int high_min;
	int free_count; /* before this free */
	unsigned flags;
	int count; /* with this block */
	unsigned order;
	bool free_high;
};

#define PREV PCPF_PREV_FREE_HIGH_ORDER
#define CACHE PCPF_FREE_HIGH_BATCH

static const struct free_high_case free_high_cases[] = {
	/* from one batch on */
	{ "v6.7", 530, 62, PREV, 100, 1, false },
	{ "v6.7", 530, 63, PREV, 100, 1, true },
	{ "v6.7", 530, 63, PREV, 100, 2, true },
	{ "v6.7", 530, 63, PREV, 100, 3, true },
	{ "v6.7", 530, 63, PREV, 100, 0, false },
	{ "v6.7", 530, 63, PREV, 512, 9, false },
	{ "v6.7", 530, 2016, 0, 100, 3, false }, /* the block before it was of order 0 or huge */
	/* from a batch and half of high_min on: the machines of the three seeds */
	{ "v6.16", 530, 327, PREV, 100, 3, false },
	{ "v6.16", 530, 328, PREV, 100, 3, true },
	{ "v6.16", 885, 504, PREV, 100, 3, false },
	{ "v6.16", 885, 505, PREV, 100, 3, true },
	{ "v6.16", 460, 292, PREV, 100, 1, false },
	{ "v6.16", 460, 293, PREV, 100, 1, true },
	{ "v6.16", 702, 413, PREV, 100, 1, false },
	{ "v6.16", 702, 414, PREV, 100, 1, true },
	{ "v6.16", 702, 2016, 0, 100, 1, false },
	/* a CPU with room in its cache keeps less than a batch */
	{ "v6.7", 530, 63, PREV | CACHE, 62, 1, false },
	{ "v6.7", 530, 63, PREV | CACHE, 63, 1, true },
	{ "v6.7", 530, 63, PREV, 2, 1, true },
	{ "v6.16", 530, 328, PREV | CACHE, 62, 1, false },
	{ "v6.16", 530, 328, PREV | CACHE, 63, 1, true },
};

static void a_run_of_frees_flushes_by_threshold_order_and_cache(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(free_high_cases); i++) {
		const struct free_high_case *rule = &free_high_cases[i];
		bool high_order = rule->order >= 1 && rule->order <= 3;
		struct bench bench;
		int nr;

		bench_create(&bench, rule->policy, NULL, rule->high_min, HIGH_MAX);
		bench.pcp.free_count = rule->free_count;
		bench.pcp.flags = (uint8_t)rule->flags;
		bench.pcp.count = rule->count - (1 << rule->order);
		nr = free_block(&bench, rule->order);
		assert_int_equal(bench.free_high, rule->free_high);
		assert_int_equal(nr, rule->free_high ? rule->count : 0);
		assert_int_equal(bench.pcp.flags, (rule->flags & CACHE) | (high_order ? PREV : 0));
		bench_destroy(&bench);
	}
}

static void the_threshold_is_a_parameter(void **state)
{
	struct bench bench;

	(void)state;
	bench_create(&bench, "v6.16", "free_high_batches 2 free_high_min_pct 10", 885, HIGH_MAX);
	bench.pcp.flags = PREV;
	bench.pcp.free_count = 2 * 63 + 88 - 1;
	free_block(&bench, 1);
	assert_false(bench.free_high);
	bench.pcp.free_count = 2 * 63 + 88;
	free_block(&bench, 1);
	assert_true(bench.free_high);
	bench_destroy(&bench);
}

static void free_high_gives_back_32_batches_and_lowers_high_by_as_much(void **state)
{
	static const struct {
		int count, high, freed, high_after;
	} cases[] = {
		{ 3000, 5000, 2016, 2984 },
		{ 2016, 5000, 2016, 2984 },
		{ 1000, 2500, 1000, 885 },
		{ 2, 885, 2, 885 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench bench;

		bench_create(&bench, "v6.16", NULL, 885, HIGH_MAX);
		bench.pcp.free_count = 600;
		bench.pcp.flags = PREV;
		bench.pcp.high = cases[i].high;
		bench.pcp.count = cases[i].count - 2;
		assert_int_equal(free_block(&bench, 1), cases[i].freed);
		assert_int_equal(bench.pcp.high, cases[i].high_after);
		bench_destroy(&bench);
	}
}

static void v6_6_empties_the_list_at_a_high_order_once_a_flush_has_doubled(void **state)
{
	static const struct {
		int free_factor;
		unsigned order;
		int freed;
	} cases[] = {
		{ 0, 1, 0 }, { 1, 1, 500 }, { 1, 2, 500 }, { 4, 3, 500 }, { 4, 0, 0 }, { 4, 9, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench bench;

		bench_create(&bench, "v6.6", NULL, 885, 0);
		bench.pcp.free_factor = cases[i].free_factor;
		bench.pcp.flags = CACHE;
		bench.pcp.count = 500 - (1 << cases[i].order);
		assert_int_equal(free_block(&bench, cases[i].order), cases[i].freed);
		assert_int_equal(bench.free_high, cases[i].freed > 0);
		assert_int_equal(bench.pcp.free_factor, cases[i].free_factor);
		bench_destroy(&bench);
	}
}

/* Published for kernel builds: at exit the user's pages go first, then the PGD of order 1 (Huang Ying, V3 1/9). */
static void a_process_exit_flushes_v6_6_and_not_the_later_ones(void **state)
{
	(void)state;
	for (int design = 0; registry_policy_at(AXIS_PCP_HIGH, design); design++) {
		const char *name = registry_policy_at(AXIS_PCP_HIGH, design)->name;
		struct bench bench;

		bench_create(&bench, name, NULL, 885, HIGH_MAX);
		for (int page = 0; page < 1000; page++)
			free_and_flush(&bench, 0);
		free_and_flush(&bench, 1);
		assert_int_equal(bench.free_high, !strcmp(name, "v6.6"));
		bench_destroy(&bench);
	}
}

static void the_run_of_frees_is_counted_up_to_32_batches(void **state)
{
	static const struct {
		int before;
		unsigned order;
		int after;
	} cases[] = {
		{ 0, 0, 1 },	   { 2015, 0, 2016 }, { 2016, 0, 2016 }, { 2015, 3, 2023 },
		{ 2016, 3, 2016 }, { 2023, 3, 2023 }, { 2015, 9, 2527 }, { 100, 9, 612 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench bench;

		bench_create(&bench, "v6.16", NULL, 50000, HIGH_MAX);
		bench.pcp.free_count = cases[i].before;
		free_block(&bench, cases[i].order);
		assert_int_equal(bench.pcp.free_count, cases[i].after);
		bench_destroy(&bench);
	}
}

/* ---- memory is short ---- */

struct shortage_case {
	unsigned zone_flags;
	int high, free_count, count; /* before an order-0 free */
	int freed, high_after;
};

static const struct shortage_case shortage_cases[] = {
	/* reclaim: down by the run, at least by a batch; four batches may stay */
	{ ZONE_RECLAIM_ACTIVE, 5000, 0, 250, 0, 4937 },
	{ ZONE_RECLAIM_ACTIVE, 5000, 0, 251, 63, 4937 },
	{ ZONE_RECLAIM_ACTIVE, 5000, 999, 251, 189, 4000 },
	{ ZONE_RECLAIM_ACTIVE, 900, 999, 251, 189, 885 },
	/* below the high watermark: high_min may stay, the mark is count itself */
	{ ZONE_BELOW_HIGH, 5000, 0, 883, 0, 4937 },
	{ ZONE_BELOW_HIGH, 5000, 0, 884, 63, 4937 },
	{ ZONE_BELOW_HIGH, 5000, 999, 2999, 1000, 4000 },
	{ ZONE_BELOW_HIGH, 5000, 1999, 999, 937, 3000 },
	/* reclaim goes first */
	{ ZONE_BELOW_HIGH | ZONE_RECLAIM_ACTIVE, 5000, 999, 251, 189, 4000 },
	/* neither */
	{ 0, 5000, 999, 4998, 0, 5000 },
	{ 0, 5000, 999, 4999, 1000, 5000 },
};

static void shortage_lowers_high_and_makes_cpus_give_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shortage_cases); i++) {
		const struct shortage_case *shortage = &shortage_cases[i];
		struct bench bench;

		bench_create(&bench, "v6.16", NULL, 885, HIGH_MAX);
		bench.zone_flags = shortage->zone_flags;
		bench.pcp.high = shortage->high;
		bench.pcp.free_count = shortage->free_count;
		bench.pcp.count = shortage->count;
		assert_int_equal(free_block(&bench, 0), shortage->freed);
		assert_int_equal(bench.pcp.high, shortage->high_after);
		bench_destroy(&bench);
	}
}

static void a_fixed_high_does_not_move(void **state)
{
	struct bench bench;

	(void)state;
	bench_create(&bench, "v6.16", NULL, 4309, 4309);
	bench.zone_flags = ZONE_BELOW_HIGH;
	bench.pcp.free_count = 2016;
	bench.pcp.count = 4307;
	assert_int_equal(free_block(&bench, 0), 0);
	assert_int_equal(free_block(&bench, 0), 2016);
	assert_int_equal(bench.pcp.high, 4309);
	bench_destroy(&bench);
	bench_create(&bench, "v6.16", NULL, 300, 300);
	bench.zone_flags = ZONE_BELOW_HIGH;
	bench.pcp.free_count = 2016;
	bench.pcp.count = 999;
	assert_int_equal(free_block(&bench, 0), 237); /* by the mark, not by what is there */
	bench_destroy(&bench);
}

static void reclaim_leaves_v6_6_four_batches(void **state)
{
	struct bench bench;

	(void)state;
	bench_create(&bench, "v6.6", NULL, 885, 0);
	bench.zone_flags = ZONE_RECLAIM_ACTIVE;
	bench.pcp.count = 250;
	assert_int_equal(free_block(&bench, 0), 0);
	assert_int_equal(free_block(&bench, 0), 63);
	assert_int_equal(bench.pcp.high, 885);
	bench_destroy(&bench);
}

/* ---- decay ---- */

static void high_decays_by_an_eighth_down_to_high_min(void **state)
{
	static const int highs[] = { 8000, 7000, 6125, 5360, 4690, 4104, 3591, 3143, 2751, 2408,
				     2107, 1844, 1614, 1413, 1237, 1083, 948,  885,  885 };

	(void)state;
	for (size_t design = 0; design < ARRAY_SIZE(autotuned); design++) {
		struct bench bench;

		bench_create(&bench, autotuned[design], NULL, 885, HIGH_MAX);
		bench.pcp.high = highs[0];
		for (size_t i = 1; i < ARRAY_SIZE(highs); i++) {
			assert_int_equal(bench.policy->decay(bench.params, &bench.pcp), 0);
			assert_int_equal(bench.pcp.high, highs[i]);
		}
		bench_destroy(&bench);
	}
}

static void decay_frees_what_is_above_and_at_most_32_batches_while_high_is_up(void **state)
{
	static const struct {
		int high, count, freed, high_after;
	} cases[] = {
		{ 8000, 7900, 900, 7000 }, { 8000, 9500, 2016, 7484 }, { 885, 900, 15, 885 },
		{ 885, 885, 0, 885 },	   { 886, 885, 0, 885 },       { 0, 0, 0, 0 }, /* never used */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench bench;

		bench_create(&bench, "v6.16", NULL, 885, HIGH_MAX);
		bench.pcp.high = cases[i].high;
		bench.pcp.count = cases[i].count;
		assert_int_equal(bench.policy->decay(bench.params, &bench.pcp), cases[i].freed);
		assert_int_equal(bench.pcp.high, cases[i].high_after);
		bench_destroy(&bench);
	}
}

static void v6_6_decays_nothing(void **state)
{
	struct bench bench;

	(void)state;
	bench_create(&bench, "v6.6", NULL, 885, 0);
	bench.pcp.high = 885;
	bench.pcp.count = 900;
	assert_int_equal(bench.policy->decay(bench.params, &bench.pcp), 0);
	assert_int_equal(bench.pcp.high, 885);
	bench_destroy(&bench);
}

/* ---- allocated as order 2, freed page by page (vmalloc of four pages) ---- */

/* One block and its four pages; how many pages were flushed. */
static int vmalloc_and_vfree(struct bench *bench, int *nr_blocks)
{
	int flushed = 0;

	bench->policy->allocated(bench->params, &bench->pcp, 1);
	if (!*nr_blocks) {
		*nr_blocks = refill(bench, 2);
		bench->pcp.count += 4 * *nr_blocks;
	}
	(*nr_blocks)--;
	bench->pcp.count -= 4;
	for (int page = 0; page < 4; page++)
		flushed += free_and_flush(bench, 0);
	return flushed;
}

static void pages_pile_up_to_high_max_when_blocks_come_back_as_pages(void **state)
{
	struct bench bench;
	int nr_blocks = 0;
	int nr_loops = 0;

	(void)state;
	bench_create(&bench, "v6.16", NULL, 1287, 128000);
	while (nr_loops < 15000 && !vmalloc_and_vfree(&bench, &nr_blocks))
		nr_loops++;
	assert_int_equal(nr_loops, 15000); /* a refill of 15 blocks each 15: high is up by 63, count by 60 */
	assert_int_equal(bench.pcp.high, 1287 + 1000 * 63);
	assert_int_equal(bench.pcp.count, 1000 * 60);
	while (!vmalloc_and_vfree(&bench, &nr_blocks))
		nr_loops++;
	assert_int_equal(nr_loops / 15, 2133); /* 2133 * 60 = 127980: the next refill crosses 128000 */
	assert_int_equal(bench.pcp.high, 128000);
	bench_destroy(&bench);
}

/* ---- runs of frees at once ---- */

static void a_run_is_quiet_up_to_the_page_before_the_mark(void **state)
{
	(void)state;
	for (int design = 0; registry_policy_at(AXIS_PCP_HIGH, design); design++) {
		struct bench bench;

		bench_create(&bench, registry_policy_at(AXIS_PCP_HIGH, design)->name, NULL, 885, HIGH_MAX);
		assert_int_equal(bench.policy->freed_quietly(bench.params, &bench.pcp, 0, 100), 100);
		assert_int_equal(bench.policy->freed_quietly(bench.params, &bench.pcp, 0, 10000), 784);
		assert_int_equal(bench.pcp.count, 884);
		assert_int_equal(bench.policy->freed_quietly(bench.params, &bench.pcp, 0, 10000), 0);
		assert_true(free_block(&bench, 0) > 0);
		bench_destroy(&bench);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(refills_double_up_to_32_batches_while_nothing_is_freed),
		cmocka_unit_test(the_scale_cap_limits_refills),
		cmocka_unit_test(a_refill_leaves_a_batch_below_the_mark),
		cmocka_unit_test(refills_of_v6_6_are_one_batch),
		cmocka_unit_test(refills_of_higher_orders_are_31_15_7_and_2_blocks),
		cmocka_unit_test(a_pcp_that_may_not_keep_a_batch_takes_one_page),
		cmocka_unit_test(every_refill_raises_high_by_what_it_takes),
		cmocka_unit_test(high_does_not_rise_where_memory_is_short_or_the_sysctl_fixes_it),
		cmocka_unit_test(every_block_freed_halves_the_next_refill),
		cmocka_unit_test(flushes_of_a_long_run_of_frees_on_three_machines),
		cmocka_unit_test(v6_6_flushes_double_as_published),
		cmocka_unit_test(a_fixed_batch_flushes_63_each_time_as_published),
		cmocka_unit_test(v6_6_doubles_only_below_the_largest_flush),
		cmocka_unit_test(v6_6_45_stops_doubling_at_32_batches),
		cmocka_unit_test(an_allocation_halves_the_run_of_frees),
		cmocka_unit_test(a_flush_leaves_a_batch_below_the_mark_and_takes_a_page_where_none_fits),
		cmocka_unit_test(the_mark_compared_is_the_one_before_it_moves),
		cmocka_unit_test(a_run_of_frees_flushes_by_threshold_order_and_cache),
		cmocka_unit_test(the_threshold_is_a_parameter),
		cmocka_unit_test(free_high_gives_back_32_batches_and_lowers_high_by_as_much),
		cmocka_unit_test(v6_6_empties_the_list_at_a_high_order_once_a_flush_has_doubled),
		cmocka_unit_test(a_process_exit_flushes_v6_6_and_not_the_later_ones),
		cmocka_unit_test(the_run_of_frees_is_counted_up_to_32_batches),
		cmocka_unit_test(shortage_lowers_high_and_makes_cpus_give_back),
		cmocka_unit_test(a_fixed_high_does_not_move),
		cmocka_unit_test(reclaim_leaves_v6_6_four_batches),
		cmocka_unit_test(high_decays_by_an_eighth_down_to_high_min),
		cmocka_unit_test(decay_frees_what_is_above_and_at_most_32_batches_while_high_is_up),
		cmocka_unit_test(v6_6_decays_nothing),
		cmocka_unit_test(pages_pile_up_to_high_max_when_blocks_come_back_as_pages),
		cmocka_unit_test(a_run_is_quiet_up_to_the_page_before_the_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
