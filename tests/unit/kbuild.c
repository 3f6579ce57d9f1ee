/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kbuild workload: that a unit asks for what the recorded build asked for
 * (docs/workload-shapes.md), and that real, user and sys hang together. Every
 * run also checks that no page was lost.
 */
#include "models/registry.h"
#include "models/run.h"
#include "tests/support/numbers.h"
#include "tests/support/rig.h"
#include "tests/support/run_setup.h"
#include "tests/support/unit.h"

#define NR_CPUS 8

/* A run of `seconds` after half as many. */
struct build {
	const char *params; /* of the workload */
	int threads;
	double seconds;
	const char *pcp_high; /* NULL: the default */
};

static void measure(const struct build *build, double metrics[NR_METRICS])
{
	struct machine_config machine = rig_machine(1);
	struct arena *arena = arena_create();
	struct run_config config;
	machine.memory.per_node = UINT64_C(8) << 30;
	config = run_setup(arena, &machine, "kbuild", build->params, build->threads);
	config.length.duration_ps = (sim_ps)(build->seconds * 1e12);
	config.length.warmup_ps = config.length.duration_ps / 2;
	if (build->pcp_high)
		run_setup_policy(arena, &config, AXIS_PCP_HIGH, build->pcp_high, NULL);
	run_measure(&config, metrics);
	arena_destroy(arena);
}

static void a_unit_takes_as_many_pages_as_recorded(void **state)
{
	static const struct build build = { .params = "user_pct 20", .threads = NR_CPUS, .seconds = 2 };
	double metrics[NR_METRICS];

	(void)state;
	measure(&build, metrics);
	/* 35417 allocations per second and CPU, on 2 CPUs, in the 6.425 s of 27 units; the recorder's own among them */
	assert_between(metrics[METRIC_PAGES_ALLOCATED] / metrics[METRIC_THROUGHPUT], 0.9 * 16855, 1.02 * 16855);
}

static void a_unit_takes_as_much_cpu_time_as_recorded(void **state)
{
	static const struct build build = { .params = "units 1", .threads = NR_CPUS, .seconds = 10 };
	double metrics[NR_METRICS];

	(void)state;
	measure(&build, metrics);
	/* 2 x 6.425 s of 27 units, with 3.8 us of recording, faulting and freeing per page that is cheaper here */
	assert_between(metrics[METRIC_USER] + metrics[METRIC_SYS], 0.75 * 0.476, 0.476);
	assert_between(metrics[METRIC_USER] / metrics[METRIC_SYS], 5, 15);
}

static void processes_that_move_free_pages_elsewhere(void **state)
{
	static const struct build build = { .params = "", .threads = NR_CPUS, .seconds = 6 };
	double metrics[NR_METRICS];

	(void)state;
	measure(&build, metrics);
	/* recorded: 17 % of all, 25 % of cc1's */
	assert_between(metrics[METRIC_FREED_ELSEWHERE_PCT], 3, 30);
	assert_true(metrics[METRIC_MIGRATIONS] > 0);
}

static void one_slot_keeps_its_processes_where_it_is(void **state)
{
	static const struct build build = { .params = "", .threads = 1, .seconds = 4 };
	double metrics[NR_METRICS];

	(void)state;
	measure(&build, metrics);
	assert_between(metrics[METRIC_FREED_ELSEWHERE_PCT], 0, 1.5);
	assert_between(metrics[METRIC_IDLE_PCT], 100 - 115.0 / NR_CPUS, 100 - 95.0 / NR_CPUS);
}

static void user_sys_and_idle_time_make_up_real_time_on_all_cpus(void **state)
{
	static const struct build builds[] = {
		{ .params = "user_pct 20", .threads = 3, .seconds = 1 },
		{ .params = "user_pct 20", .threads = NR_CPUS, .seconds = 1 },
		{ .params = "user_pct 20", .threads = 3 * NR_CPUS, .seconds = 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(builds); i++) {
		double metrics[NR_METRICS];
		double idle;

		measure(&builds[i], metrics);
		idle = metrics[METRIC_IDLE_PCT] / 100 * NR_CPUS * metrics[METRIC_REAL];
		assert_between((metrics[METRIC_USER] + metrics[METRIC_SYS] + idle) / metrics[METRIC_REAL],
			       0.999 * NR_CPUS, 1.001 * NR_CPUS);
	}
}

static void twice_the_units_take_twice_as_long(void **state)
{
	static const struct build builds[] = {
		{ .params = "user_pct 20 units 1000", .threads = 4, .seconds = 1 },
		{ .params = "user_pct 20 units 2000", .threads = 4, .seconds = 1 },
	};
	double once[NR_METRICS], twice[NR_METRICS];

	(void)state;
	measure(&builds[0], once);
	measure(&builds[1], twice);
	assert_between(twice[METRIC_REAL], 2 * once[METRIC_REAL], 2 * once[METRIC_REAL]);
	assert_between(twice[METRIC_USER], 2 * once[METRIC_USER], 2 * once[METRIC_USER]);
	assert_between(twice[METRIC_SYS], 2 * once[METRIC_SYS], 2 * once[METRIC_SYS]);
}

/* Huang Ying (20231016053002.756205-1-ying.huang@intel.com, 1/9): the PGD, freed after the user pages, flushes the pcp. */
static void an_order_1_pgd_at_exit_flushes_the_pcp_of_v6_6_alone(void **state)
{
	static const struct {
		struct build build;
		bool flushes;
	} cases[] = {
		{ { .params = "user_pct 20 pgd_order 1", .threads = 4, .seconds = 1, .pcp_high = "v6.6" }, true },
		{ { .params = "user_pct 20 pgd_order 0", .threads = 4, .seconds = 1, .pcp_high = "v6.6" }, false },
		{ { .params = "user_pct 20 pgd_order 1", .threads = 4, .seconds = 1, .pcp_high = "v6.16" }, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double metrics[NR_METRICS];

		measure(&cases[i].build, metrics);
		assert_int_equal(metrics[METRIC_FLUSHES_HIGH] > 0, cases[i].flushes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_unit_takes_as_many_pages_as_recorded),
		cmocka_unit_test(a_unit_takes_as_much_cpu_time_as_recorded),
		cmocka_unit_test(processes_that_move_free_pages_elsewhere),
		cmocka_unit_test(one_slot_keeps_its_processes_where_it_is),
		cmocka_unit_test(user_sys_and_idle_time_make_up_real_time_on_all_cpus),
		cmocka_unit_test(twice_the_units_take_twice_as_long),
		cmocka_unit_test(an_order_1_pgd_at_exit_flushes_the_pcp_of_v6_6_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
