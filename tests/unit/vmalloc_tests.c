/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The workload vmalloc: every test of it, on every design, from set-up to the
 * last page, and what its time means.
 */
#include "models/run.h"

#include "models/kernel/kernel.h"
#include "models/workloads/workload.h"
#include "tests/support/rig.h"
#include "tests/support/run_setup.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>

static const struct design {
	const char *vmalloc_order, *contig_free, *pcp_free;
	const char *kernel;
} designs[] = {
	{ "order-0", "per-page", "bulk", "accounting atomic" },
	{ "large", "per-page", "batched", "accounting node" },
	{ "large", "ranges", "batched", "accounting node" },
};

static int execute_on(const struct design *design, const char *params, int nr_threads, double metrics[NR_METRICS],
		      struct error *err)
{
	struct machine_config machine = rig_machine(1);
	struct arena *arena = arena_create();
	struct run_config config;
	int failed;

	machine.memory.per_node = UINT64_C(1) << 30;
	config = run_setup(arena, &machine, "vmalloc", params, nr_threads);
	run_setup_policy(arena, &config, AXIS_VMALLOC_ORDER, design->vmalloc_order, NULL);
	run_setup_policy(arena, &config, AXIS_CONTIG_FREE, design->contig_free, NULL);
	run_setup_policy(arena, &config, AXIS_PCP_FREE, design->pcp_free, NULL);
	config.kernel.vmalloc = *(struct vmalloc_params *)param_setup(arena, vmalloc_params,
								      sizeof(struct vmalloc_params), design->kernel);
	config.length.min_operations = 128; /* a loop at either end is less than 1 % of the window */
	failed = run_execute(&config, 0, metrics, err);
	arena_destroy(arena);
	return failed;
}

/* Loops of these take a set-up of their own, or are long: fewer objects for pcpu_alloc. */
static const char *const tests[] = {
	"test fix_size_alloc",
	"test fix_size_alloc nr_pages 100",
	"test fix_size_alloc nr_pages 600 use_huge true",
	"test full_fit_alloc",
	"test long_busy_list_alloc",
	"test random_size_alloc",
	"test fix_align_alloc",
	"test random_size_align_alloc",
	"test pcpu_alloc nr_pcpu_objects 300",
	"test kvfree_rcu_1_arg_vmalloc",
	"test kvfree_rcu_2_arg_vmalloc",
	"test vm_map_ram nr_pages 16",
};

/* run_execute() fails when a page is missing in the end. */
static void every_test_gives_back_all_that_it_took(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(designs); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(tests); j++) {
			struct error err = { .text = "" };
			double metrics[NR_METRICS];

			assert_int_equal(execute_on(&designs[i], tests[j], 3, metrics, &err), 0);
			assert_string_equal(err.text, "");
			assert_true(metrics[METRIC_THROUGHPUT] > 0);
		}
	}
}

static bool is_close(double one, double other)
{
	return fabs(one - other) <= 1e-9 * fabs(other);
}

static void real_is_the_time_of_all_loops_or_of_one_pass(void **state)
{
	static const struct {
		const char *params;
		double loops;
	} cases[] = {
		{ "test fix_size_alloc test_loop_count 1000", 1000 },
		{ "test vm_map_ram test_loop_count 500000", 500000 },
		{ "test pcpu_alloc nr_pcpu_objects 300 test_loop_count 77", 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double metrics[NR_METRICS];

		assert_int_equal(execute_on(&designs[0], cases[i].params, 2, metrics, NULL), 0);
		assert_true(is_close(metrics[METRIC_REAL], 1e-9 * metrics[METRIC_LATENCY] * cases[i].loops));
		assert_true(is_close(metrics[METRIC_THROUGHPUT] * metrics[METRIC_LATENCY], 2 * 1e9));
	}
}

static void a_loop_takes_what_loop_ns_adds(void **state)
{
	double without[NR_METRICS], with[NR_METRICS];

	(void)state;
	assert_int_equal(execute_on(&designs[0], "test vm_map_ram", 1, without, NULL), 0);
	assert_int_equal(execute_on(&designs[0], "test vm_map_ram loop_ns 500", 1, with, NULL), 0);
	assert_true(fabs(with[METRIC_LATENCY] - without[METRIC_LATENCY] - 500) < 5);
}

static void what_every_test_asks_of_the_page_allocator(void **state)
{
	static const struct {
		const char *params;
		double pages; /* of a loop, on a kernel that asks for single ones */
		double error_pct;
	} cases[] = {
		{ "test fix_size_alloc", 1, 1 },	 { "test fix_size_alloc nr_pages 7", 7, 1 },
		{ "test fix_align_alloc", 5, 1 },	 { "test kvfree_rcu_1_arg_vmalloc", 1, 2 },
		{ "test random_size_alloc", 50.5, 15 },	 { "test random_size_align_alloc", 5.48, 10 },
		{ "test long_busy_list_alloc", 101, 1 }, { "test vm_map_ram", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double metrics[NR_METRICS];
		double pages;

		assert_int_equal(execute_on(&designs[0], cases[i].params, 1, metrics, NULL), 0);
		pages = metrics[METRIC_PAGES_ALLOCATED] / metrics[METRIC_THROUGHPUT];
		if (fabs(pages - cases[i].pages) > cases[i].pages * cases[i].error_pct / 100)
			print_error("%s: %g pages\n", cases[i].params, pages);
		assert_true(fabs(pages - cases[i].pages) <= cases[i].pages * cases[i].error_pct / 100);
	}
}

int main(void)
{
	const struct CMUnitTest unit_tests[] = {
		cmocka_unit_test(every_test_gives_back_all_that_it_took),
		cmocka_unit_test(real_is_the_time_of_all_loops_or_of_one_pass),
		cmocka_unit_test(a_loop_takes_what_loop_ns_adds),
		cmocka_unit_test(what_every_test_asks_of_the_page_allocator),
	};

	return cmocka_run_group_tests(unit_tests, NULL, NULL);
}
