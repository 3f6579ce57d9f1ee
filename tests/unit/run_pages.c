/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_execute with a scheduler and a page allocator: who runs, what is
 * measured of both, and that no page is lost unnoticed.
 */
#include "models/run.h"

#include "models/kernel/page_alloc.h"
#include "models/workloads/workload.h"
#include "tests/support/rig.h"
#include "tests/support/run_setup.h"
#include "tests/support/unit.h"

#include <math.h>
#include <string.h>

#define MAX_PAGES 4096

/* An operation: user work, then pages allocated and freed. */
struct probe_params {
	sim_ps user_ps;
	uint32_t nr_pages;
	uint32_t nr_kept; /* of the first operation of task 0, for good */
	bool tells; /* that it kept them */
	double real; /* what `end` says */
};

struct probe_state {
	const struct probe_params *params;
	struct page_alloc *page_alloc;
	pfn_t (*pages)[MAX_PAGES]; /* by task */
	uint64_t nr_held;
	uint64_t nr_finished;
};

static const struct param no_params[] = {
	PARAM_END,
};

static void *probe_create(const struct workload_site *site, const void *params)
{
	struct probe_state *probe = arena_alloc(site->arena, sizeof(*probe));

	probe->params = params;
	probe->page_alloc = site->page_alloc;
	probe->pages = arena_calloc(site->arena, (size_t)site->nr_tasks, sizeof(*probe->pages));
	return probe;
}

static uint64_t probe_operation(void *state, struct task *task)
{
	static const struct page_work work = { .kernel_ps = 100 * PS_PER_NS };
	struct probe_state *probe = state;
	pfn_t *pages = probe->pages[task->index];
	const uint32_t kept = task->index || probe->nr_held ? 0 : probe->params->nr_kept;

	task_user(task, probe->params->user_ps);
	alloc_pages_burst(probe->page_alloc, task, MIGRATE_MOVABLE, probe->params->nr_pages, &work, pages);
	free_pages_burst(probe->page_alloc, task, pages + kept, probe->params->nr_pages - kept, &work);
	probe->nr_held += kept;
	return 1;
}

static void probe_finish(void *state, struct task *task)
{
	struct probe_state *probe = state;

	(void)task;
	probe->nr_finished++;
}

static void probe_end(void *state, const struct workload_window *window, double metrics[NR_METRICS])
{
	const struct probe_state *probe = state;

	metrics[METRIC_REAL] = ps_to_s(window->measured_ps);
	metrics[METRIC_USER] = ps_to_s(window->times.user_ps);
	metrics[METRIC_BANDWIDTH] = (double)probe->nr_finished; /* nobody has yet */
}

static uint64_t probe_nr_held_pages(const void *state)
{
	const struct probe_state *probe = state;

	return probe->params->tells ? probe->nr_held : 0;
}

static int two_tasks_a_thread(const void *params, int nr_threads)
{
	(void)params;
	return 2 * nr_threads;
}

static const struct workload probe = {
	.name = "probe",
	.summary = "user work and pages",
	.params = no_params,
	.scheduled = true,
	.allocates = true,
	.nr_tasks = two_tasks_a_thread,
	.create = probe_create,
	.operation = probe_operation,
	.finish = probe_finish,
	.end = probe_end,
	.nr_held_pages = probe_nr_held_pages,
};

static bool is_within_pct(double value, double expected, double pct)
{
	if (fabs(value - expected) > fabs(expected) * pct / 100)
		print_error("%g, not within %g %% of %g\n", value, pct, expected);
	return fabs(value - expected) <= fabs(expected) * pct / 100;
}

static int execute(const struct probe_params *params, int nr_threads, double metrics[NR_METRICS], struct error *err)
{
	struct machine_config machine = rig_machine(1);
	struct arena *arena = arena_create();
	struct run_config config;
	int failed;

	machine.memory.per_node = UINT64_C(16) << 30;
	config = run_setup(arena, &machine, "atomics", NULL, 1);
	run_setup_policy(arena, &config, AXIS_PCP_HIGH, "v6.16", "high_min 500 high_max 500"); /* less than a burst */
	config.workload = &probe;
	config.workload_params = params;
	config.nr_threads = nr_threads;
	config.length.warmup_ps = 20 * PS_PER_MS;
	config.length.duration_ps = 50 * PS_PER_MS;
	failed = run_execute(&config, 0, metrics, err);
	arena_destroy(arena);
	return failed;
}

/* The rig has 8 CPUs: 16 tasks share them, 4 leave half of them idle. */
static void tasks_share_the_cpus_of_the_machine(void **state)
{
	static const struct {
		int nr_threads;
		double throughput, idle_pct;
	} cases[] = {
		{ 8, 8e3, 0 },
		{ 4, 8e3, 0 },
		{ 2, 4e3, 50 },
		{ 1, 2e3, 75 },
	};
	static const struct probe_params params = { .user_ps = PS_PER_MS };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double metrics[NR_METRICS];

		assert_int_equal(execute(&params, cases[i].nr_threads, metrics, NULL), 0);
		assert_true(is_within_pct(metrics[METRIC_THROUGHPUT], cases[i].throughput, 2));
		assert_true(fabs(metrics[METRIC_IDLE_PCT] - cases[i].idle_pct) < 1);
		assert_true(is_within_pct(metrics[METRIC_USER], 0.05 * 8 * (1 - cases[i].idle_pct / 100), 2));
	}
}

static void what_the_allocator_does_is_measured(void **state)
{
	static const struct probe_params params = { .user_ps = PS_PER_MS, .nr_pages = MAX_PAGES };
	double metrics[NR_METRICS];
	double seconds = 0.05;

	(void)state;
	assert_int_equal(execute(&params, 4, metrics, NULL), 0);
	assert_true(is_within_pct(metrics[METRIC_PAGES_ALLOCATED], metrics[METRIC_THROUGHPUT] * MAX_PAGES, 10));
	assert_true(metrics[METRIC_REFILLS] > 0 && metrics[METRIC_FLUSHES] > 0);
	assert_true(is_within_pct(metrics[METRIC_ZONE_LOCKS], metrics[METRIC_REFILLS] + metrics[METRIC_FLUSHES], 1));
	assert_true(metrics[METRIC_FLUSHES_HIGH] == 0 && metrics[METRIC_DIRECT] == 0);
	assert_true(metrics[METRIC_FREE_HOLD_PAGES] > 63 && metrics[METRIC_FREE_HOLD_PAGES_MAX] <= 2016);
	assert_true(metrics[METRIC_FREE_HOLD_MEAN] > 0 &&
		    metrics[METRIC_FREE_HOLD_MEAN] <= metrics[METRIC_FREE_HOLD_MAX]);
	assert_true(metrics[METRIC_IRQS_OFF_MAX] >= metrics[METRIC_FREE_HOLD_MAX]);
	assert_true(metrics[METRIC_ZONE_LOCK_USE_PCT] > 0 && metrics[METRIC_ZONE_LOCK_USE_PCT] <= 100);
	assert_true(metrics[METRIC_PCP_PAGES] > 0 && metrics[METRIC_PCP_HIGH] > 0);
	assert_true(is_within_pct(metrics[METRIC_REAL], seconds, 0.001));
	assert_true(metrics[METRIC_BANDWIDTH] == 0);
}

/* Workers 0, 1, 2 on CPUs of both nodes, in no order, without a scheduler. */
static void a_workload_of_placed_workers_may_allocate(void **state)
{
	static const struct probe_params params = { .user_ps = PS_PER_MS, .nr_pages = 1000 };
	struct workload placed = probe;
	int cpus[] = { 5, 0, 7 };
	struct machine_config machine = rig_machine(1);
	struct arena *arena = arena_create();
	double metrics[NR_METRICS];
	struct run_config config;

	(void)state;
	placed.scheduled = false;
	placed.nr_tasks = NULL;
	machine.memory.per_node = UINT64_C(1) << 30;
	config = run_setup(arena, &machine, "atomics", NULL, 1);
	config.workload = &placed;
	config.workload_params = &params;
	config.cpus = cpus;
	config.nr_threads = 3;
	config.length.warmup_ps = 20 * PS_PER_MS;
	config.length.duration_ps = 50 * PS_PER_MS;
	assert_int_equal(run_execute(&config, 0, metrics, NULL), 0);
	/* 1 ms of user work and 0.1 ms and a little of kernel work per operation */
	assert_true(is_within_pct(metrics[METRIC_THROUGHPUT], 3 / 1.25e-3, 15));
	assert_true(is_within_pct(metrics[METRIC_PAGES_ALLOCATED], metrics[METRIC_THROUGHPUT] * 1000, 10));
	assert_true(metrics[METRIC_PCP_PAGES] > 0);
	arena_destroy(arena);
}

static void pages_that_nobody_holds_in_the_end_fail_the_run(void **state)
{
	const struct probe_params honest = { .user_ps = PS_PER_MS, .nr_pages = 100, .nr_kept = 3, .tells = true };
	const struct probe_params lossy = { .user_ps = PS_PER_MS, .nr_pages = 100, .nr_kept = 3 };
	double metrics[NR_METRICS];
	struct error err;

	(void)state;
	assert_int_equal(execute(&honest, 2, metrics, &err), 0);
	assert_int_equal(execute(&lossy, 2, metrics, &err), -1);
	assert_non_null(strstr(err.text, "page"));
}

/* The workload is not measured by its allocator or its scheduler where it has none. */
static void metrics_that_mean_nothing_are_no_numbers(void **state)
{
	const struct machine_config machine = rig_machine(1);
	struct arena *arena = arena_create();
	struct run_config config = run_setup(arena, &machine, "atomics", NULL, 2);
	double metrics[NR_METRICS];

	(void)state;
	assert_int_equal(run_execute(&config, 0, metrics, NULL), 0);
	assert_true(metrics[METRIC_THROUGHPUT] > 0);
	for (enum run_metric metric = METRIC_PAGES_ALLOCATED; metric < NR_METRICS; metric++)
		assert_true(isnan(metrics[metric]));
	for (enum run_metric metric = METRIC_REAL; metric <= METRIC_BANDWIDTH; metric++)
		assert_true(isnan(metrics[metric]));
	arena_destroy(arena);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_share_the_cpus_of_the_machine),
		cmocka_unit_test(what_the_allocator_does_is_measured),
		cmocka_unit_test(a_workload_of_placed_workers_may_allocate),
		cmocka_unit_test(pages_that_nobody_holds_in_the_end_fail_the_run),
		cmocka_unit_test(metrics_that_mean_nothing_are_no_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
