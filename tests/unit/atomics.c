/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The atomics workload on the machine of rig_machine(): what one operation
 * costs alone, and where several workers saturate the line.
 */
#include "models/run.h"
#include "tests/support/rig.h"
#include "tests/support/run_setup.h"
#include "tests/support/unit.h"

struct atomics_case {
	const char *what;
	const char *params;
	int nr_threads;
	double throughput; /* operations per second */
	double transactions, cas_failures; /* per operation */
};

static bool near(double value, double expected)
{
	return value >= expected * 0.99 - 1e-4 && value <= expected * 1.01 + 1e-4;
}

/* clang-format off */
static void throughput_is_what_the_parts_of_an_operation_allow(void **state)
{
	static const struct atomics_case cases[] = {
		{ "an atomic of 5 ns", "operation fetch-add", 1, 1e9 / 5, 0, 0 },
		{ "a swap of 5 ns", "operation swap", 1, 1e9 / 5, 0, 0 },
		{ "a load of 1 ns", "operation read", 1, 1e9 / 1, 0, 0 },
		{ "a load and a compare-and-swap", "operation cas-loop", 1, 1e9 / 9, 0, 0 },
		{ "95 ns of thinking", "operation fetch-add think_ns 95 jitter_pct 0", 1, 1e9 / 100, 0, 0 },
		{ "thinking with jitter has the same mean", "operation fetch-add think_ns 95 jitter_pct 50", 1, 1e9 / 100, 0, 0 },
		{ "reads of a shared line scale", "operation read", 3, 3e9, 0, 0 },
		/*
		 * every 20 ns the line comes to the other CPU:
		 * one atomic as it comes, one more before the snoop 2 ns later
		 */
		{ "two CPUs of a cluster", "operation fetch-add", 2, 2e9 / 20, 0.5, 0 },
		/*
		 * Clusters in turn, legs of 100, 200, 200 and 200 ns; after its first atomic an owner does ten more
		 * until a snoop of 50 ns, but five until the one of 25.
		 */
		{ "eight CPUs of two sockets", "operation fetch-add", 8, (6 + 3 * 11) * 1e9 / 700, 4.0 / 39, 0 },
		{ "workers that think longer than they wait", "operation fetch-add think_ns 9980 jitter_pct 0", 2, 2e9 / 10000, 1, 0 },
	};
	const struct machine_config machine = rig_machine(1);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *arena = arena_create();
		struct run_config config = run_setup(arena, &machine, "atomics", cases[i].params, cases[i].nr_threads);
		double metrics[NR_METRICS];

		config.length.warmup_ps = 10 * PS_PER_US;
		config.length.duration_ps = 200 * PS_PER_US;
		assert_int_equal(run_execute(&config, 0, metrics, NULL), 0);
		if (!near(metrics[METRIC_THROUGHPUT], cases[i].throughput) || !near(metrics[METRIC_TRANSACTIONS], cases[i].transactions))
			print_error("%s: %g operations/s, %g transactions\n", cases[i].what, metrics[METRIC_THROUGHPUT],
				    metrics[METRIC_TRANSACTIONS]);
		assert_true(near(metrics[METRIC_THROUGHPUT], cases[i].throughput));
		assert_true(near(metrics[METRIC_TRANSACTIONS], cases[i].transactions));
		assert_true(near(metrics[METRIC_CAS_FAILURES], cases[i].cas_failures));
		arena_destroy(arena);
	}
}
/* clang-format on */

static void compare_and_swap_loops_lose_where_atomics_do_not(void **state)
{
	const struct machine_config machine = rig_machine(1);
	struct arena *arena = arena_create();
	struct run_config adds = run_setup(arena, &machine, "atomics", "think_ns 300", 8);
	struct run_config loops = run_setup(arena, &machine, "atomics", "operation cas-loop think_ns 300", 8);
	double adding[NR_METRICS], looping[NR_METRICS];

	(void)state;
	assert_int_equal(run_execute(&adds, 0, adding, NULL), 0);
	assert_int_equal(run_execute(&loops, 0, looping, NULL), 0);
	assert_true(adding[METRIC_CAS_FAILURES] == 0);
	assert_true(near(adding[METRIC_TRANSACTIONS], 1));
	/* the two readers of a cluster share a transaction, each upgrades, and by then another cluster has written */
	assert_true(near(looping[METRIC_TRANSACTIONS], 1.5));
	assert_true(near(looping[METRIC_CAS_FAILURES], 1));
	assert_true(looping[METRIC_THROUGHPUT] < 0.7 * adding[METRIC_THROUGHPUT]);
	arena_destroy(arena);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(throughput_is_what_the_parts_of_an_operation_allow),
		cmocka_unit_test(compare_and_swap_loops_lose_where_atomics_do_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
