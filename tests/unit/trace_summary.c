/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is counted of a trace, on traces small enough to count by hand; blocks that live, against a plain array. */
#include "sim/trace/trace_summary.h"

#include "sim/trace/live_blocks.h"
#include "sim/util/rng.h"
#include "tests/support/unit.h"

#define ALLOC TRACE_PAGE_ALLOC
#define FREE TRACE_PAGE_FREE
#define LOCKED TRACE_PAGE_ALLOC_ZONE_LOCKED
#define DRAIN TRACE_PAGE_PCPU_DRAIN

/* An event of the tests: what matters in it. */
struct step {
	int64_t time_us;
	uint16_t cpu;
	enum trace_type type;
	uint64_t pfn;
	uint8_t order;
};

static struct trace_summary *summarize(struct arena *arena, const struct step *steps, size_t nr)
{
	struct trace_summary *summary = trace_summary_create(arena);

	for (size_t i = 0; i < nr; i++) {
		const struct trace_event event = {
			.time_ns = 1000 * steps[i].time_us,
			.pfn = steps[i].pfn,
			.pid = -1,
			.cpu = steps[i].cpu,
			.type = (uint8_t)steps[i].type,
			.order = steps[i].order,
			.migratetype = steps[i].type == FREE ? -1 : 1,
			.percpu_refill = steps[i].type == LOCKED ? steps[i].order < 4 : -1,
		};

		trace_summary_add(summary, &event);
	}
	trace_summary_finish(summary);
	return summary;
}

static void events_are_counted_by_type_cpu_order_and_migratetype(void **state)
{
	static const struct step steps[] = {
		{ 5, 0, LOCKED, 1, 0 }, { 6, 0, LOCKED, 2, 4 }, { 7, 7, ALLOC, 1, 0 },
		{ 8, 7, FREE, 1, 0 },	{ 9, 7, DRAIN, 1, 0 },
	};
	struct arena *arena = arena_create();
	const struct trace_summary *summary = summarize(arena, steps, ARRAY_SIZE(steps));

	(void)state;
	assert_int_equal(summary->nr_events, 5);
	assert_int_equal(summary->nr_cpus, 2);
	assert_int_equal(summary->nr[LOCKED], 2);
	assert_int_equal(summary->nr_percpu_refill, 1);
	assert_int_equal(summary->cpus[0].nr[LOCKED], 2);
	assert_int_equal(summary->cpus[7].nr[FREE], 1);
	assert_int_equal(summary->orders[4].nr[LOCKED], 1);
	assert_int_equal(summary->orders[0].nr[LOCKED], 1);
	assert_int_equal(summary->nr_by_migratetype[LOCKED][1], 2);
	assert_int_equal(summary->nr_by_migratetype[FREE][1], 0);
	assert_int_equal(summary->first_ns, 5000);
	assert_int_equal(summary->last_ns, 9000);
	assert_int_equal(summary->nr_back, 0);
	arena_destroy(arena);
}

static void a_free_finds_its_allocation_by_pfn(void **state)
{
	static const struct step steps[] = {
		{ 1, 0, ALLOC, 10, 0 },	 { 2, 0, ALLOC, 11, 3 },  { 4, 1, FREE, 10, 0 }, /* 3 us, elsewhere */
		{ 7, 0, FREE, 11, 3 }, /* 5 us, at home */
		{ 8, 0, FREE, 12, 0 }, /* from before the trace */
		{ 9, 0, FREE, 10, 0 }, /* again: not of this trace either */
		{ 10, 0, ALLOC, 13, 0 }, { 11, 1, ALLOC, 13, 0 }, /* its free is missing */
		{ 12, 1, FREE, 13, 0 }, /* 1 us, at home */
		{ 13, 1, ALLOC, 14, 0 }, /* lives on */
	};
	struct arena *arena = arena_create();
	const struct trace_summary *summary = summarize(arena, steps, ARRAY_SIZE(steps));

	(void)state;
	assert_int_equal(summary->lifetime_ns.nr, 3);
	assert_int_equal(summary->lifetime_ns.sum, 9000);
	assert_int_equal(summary->orders[0].lifetime_ns.sum, 4000);
	assert_int_equal(summary->orders[3].lifetime_ns.sum, 5000);
	assert_int_equal(summary->nr_freed_elsewhere, 1);
	assert_int_equal(summary->orders[0].nr_freed_elsewhere, 1);
	assert_int_equal(summary->nr_unknown_frees, 2);
	assert_int_equal(summary->nr_missed_frees, 1);
	assert_int_equal(live_blocks_nr(summary->live), 1);
	arena_destroy(arena);
}

/* Sizes of the bursts of a type, as number and sum. */
struct burst_case {
	struct step steps[8];
	uint64_t nr[NR_TRACE_TYPES], sum[NR_TRACE_TYPES];
};

static void a_burst_is_a_run_of_one_type_on_one_cpu_without_a_long_gap(void **state)
{
	static const struct burst_case cases[] = {
		/* exactly 10 us are no gap, more are */
		{ { { 0, 0, ALLOC, 1, 0 }, { 10, 0, ALLOC, 2, 0 }, { 21, 0, ALLOC, 3, 0 } },
		  { [ALLOC] = 2 },
		  { [ALLOC] = 3 } },
		/* another type ends it */
		{ { { 0, 0, ALLOC, 1, 0 }, { 1, 0, FREE, 1, 0 }, { 2, 0, ALLOC, 1, 0 } },
		  { [ALLOC] = 2, [FREE] = 1 },
		  { [ALLOC] = 2, [FREE] = 1 } },
		/* a refill inside an allocation does not */
		{ { { 0, 0, ALLOC, 1, 0 }, { 1, 0, LOCKED, 2, 0 }, { 1, 0, LOCKED, 3, 0 }, { 2, 0, ALLOC, 2, 0 } },
		  { [ALLOC] = 1, [LOCKED] = 1 },
		  { [ALLOC] = 2, [LOCKED] = 2 } },
		/* two refills, each in an allocation of its own */
		{ { { 0, 0, LOCKED, 1, 0 }, { 0, 0, ALLOC, 1, 0 }, { 0, 0, LOCKED, 2, 0 }, { 0, 0, ALLOC, 2, 0 } },
		  { [ALLOC] = 1, [LOCKED] = 2 },
		  { [ALLOC] = 2, [LOCKED] = 2 } },
		/* a drain and a refill */
		{ { { 0, 0, DRAIN, 1, 0 }, { 0, 0, DRAIN, 2, 0 }, { 0, 0, LOCKED, 2, 0 } },
		  { [DRAIN] = 1, [LOCKED] = 1 },
		  { [DRAIN] = 2, [LOCKED] = 1 } },
		/* CPUs do not disturb each other */
		{ { { 0, 0, ALLOC, 1, 0 }, { 1, 1, FREE, 9, 0 }, { 2, 0, ALLOC, 2, 0 }, { 3, 1, FREE, 8, 0 } },
		  { [ALLOC] = 1, [FREE] = 1 },
		  { [ALLOC] = 2, [FREE] = 2 } },
		/* what comes besides others changes nothing */
		{ { { 0, 0, FREE, 1, 0 },
		    { 0, 0, TRACE_PAGE_FREE_BATCHED, 1, 0 },
		    { 0, 0, FREE, 2, 0 },
		    { 0, 0, TRACE_PAGE_ALLOC_EXTFRAG, 2, 0 } },
		  { [FREE] = 1 },
		  { [FREE] = 2 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *arena = arena_create();
		size_t nr = 0;
		const struct trace_summary *summary;

		while (cases[i].steps[nr].pfn)
			nr++;
		summary = summarize(arena, cases[i].steps, nr);
		for (int type = 0; type < NR_TRACE_TYPES; type++) {
			assert_int_equal(summary->bursts[type].nr, cases[i].nr[type]);
			assert_int_equal(summary->bursts[type].sum, cases[i].sum[type]);
		}
		arena_destroy(arena);
	}
}

static void stamps_that_go_back_are_counted_across_cpus_and_on_one(void **state)
{
	static const struct step steps[] = {
		{ 5, 0, ALLOC, 1, 0 }, { 4, 1, ALLOC, 2, 0 }, { 4, 1, ALLOC, 3, 0 },
		{ 6, 0, ALLOC, 4, 0 }, { 3, 1, ALLOC, 5, 0 },
	};
	struct arena *arena = arena_create();
	const struct trace_summary *summary = summarize(arena, steps, ARRAY_SIZE(steps));

	(void)state;
	assert_int_equal(summary->nr_back, 3);
	assert_int_equal(summary->nr_back_on_cpu, 1);
	assert_int_equal(summary->first_ns, 3000);
	assert_int_equal(summary->last_ns, 6000);
	arena_destroy(arena);
}

#define NR_PFNS 3000

/* Pfns of one stride, and of one that falls on few homes; growing and shrinking. */
static void blocks_that_live_are_those_of_a_plain_array(void **state)
{
	static const uint64_t strides[] = { 1, 8, UINT64_C(1) << 32 };
	struct rng rng = rng_stream(1, 1);

	(void)state;
	for (size_t round = 0; round < ARRAY_SIZE(strides); round++) {
		struct arena *arena = arena_create();
		struct live_blocks *blocks = live_blocks_create(arena);
		int64_t *since = arena_calloc(arena, NR_PFNS, sizeof(*since)); /* 0: not allocated */
		size_t nr = 0;

		for (int64_t step = 1; step < 60000; step++) {
			const size_t i = (size_t)rng_below(&rng, NR_PFNS);
			const bool add = rng_below(&rng, 10) < (step < 20000 ? 8u : 2u);
			struct live_block block = { .pfn = i * strides[round], .time_ns = step, .cpu = 3, .order = 1 };

			if (add) {
				assert_int_equal(live_blocks_add(blocks, &block), since[i] != 0);
				nr += since[i] == 0;
				since[i] = step;
			} else {
				assert_int_equal(live_blocks_take(blocks, block.pfn, &block), since[i] != 0);
				if (since[i])
					assert_int_equal(block.time_ns, since[i]);
				nr -= since[i] != 0;
				since[i] = 0;
			}
			assert_int_equal(live_blocks_nr(blocks), nr);
		}
		arena_destroy(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_counted_by_type_cpu_order_and_migratetype),
		cmocka_unit_test(a_free_finds_its_allocation_by_pfn),
		cmocka_unit_test(a_burst_is_a_run_of_one_type_on_one_cpu_without_a_long_gap),
		cmocka_unit_test(stamps_that_go_back_are_counted_across_cpus_and_on_one),
		cmocka_unit_test(blocks_that_live_are_those_of_a_plain_array),
	};

	return cmocka_run_group_tests_name("trace_summary", tests, NULL, NULL);
}
