/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_execute: what is measured and what is not, how metrics hang together,
 * and that a run depends on its configuration alone.
 */
#include "models/run.h"

#include "models/workloads/workload.h"
#include "tests/support/numbers.h"
#include "tests/support/rig.h"
#include "tests/support/run_setup.h"
#include "tests/support/unit.h"

#include <string.h>

/* ---- a workload to measure by ---- */

struct probe_params {
	sim_ps operation_ps; /* private work of an operation, in `ticks` equal parts, each on the engine's clock */
	int ticks; /* every one counts as a lost compare-and-swap */
	sim_ps slow_ps; /* more for the CPU with number 0 */
	uint64_t *nr_operations; /* of all, measured or not; or NULL */
};

static const struct param no_params[] = {
	PARAM_END,
};

static void *probe_create(const struct workload_site *site, const void *params)
{
	struct probe_params *copy = arena_alloc(site->arena, sizeof(*copy));

	*copy = *(const struct probe_params *)params;
	return copy;
}

static uint64_t probe_operation(void *state, struct task *task)
{
	const struct probe_params *probe = state;
	struct cpu *cpu = task->cpu;

	for (int i = 0; i < probe->ticks; i++) {
		cpu_work_jittered(cpu, probe->operation_ps / probe->ticks, 0);
		cpu_sync(cpu);
		cpu->counters.cas_failures++;
	}
	if (cpu->id == 0)
		cpu_work(cpu, probe->slow_ps);
	cpu_sync(cpu);
	if (probe->nr_operations)
		++*probe->nr_operations;
	return 1;
}

static const struct workload probe = {
	.name = "probe",
	.summary = "private work",
	.params = no_params,
	.create = probe_create,
	.operation = probe_operation,
};

static struct run_config probe_setup(struct arena *arena, const struct machine_config *machine,
				     const struct probe_params *params, int nr_threads)
{
	struct run_config config = run_setup(arena, machine, "atomics", NULL, nr_threads);

	config.workload = &probe;
	config.workload_params = params;
	return config;
}

/* ---- what is measured ---- */

static void throughput_is_operations_per_measured_second(void **state)
{
	static const struct probe_params params = { .operation_ps = 10 * PS_PER_US, .ticks = 1 };
	const struct machine_config machine = rig_machine(1);
	struct arena *arena = arena_create();
	struct run_config config = probe_setup(arena, &machine, &params, 4);
	double metrics[NR_METRICS];

	(void)state;
	assert_int_equal(run_execute(&config, 0, metrics, NULL), 0);
	assert_about(metrics[METRIC_THROUGHPUT], 4e5, 0.1);
	assert_about(metrics[METRIC_LATENCY], 10000, 0.1);
	assert_about(metrics[METRIC_SLOWEST_THREAD], 1e5, 0.1);
	assert_about(metrics[METRIC_FASTEST_THREAD], 1e5, 0.1);
	assert_true(metrics[METRIC_TRANSACTIONS] == 0);
	assert_true(metrics[METRIC_LINE_WAIT_PCT] == 0);
	arena_destroy(arena);
}

/* CPU 0 takes twice as long. */
static void the_slowest_and_the_fastest_worker_are_told(void **state)
{
	static const struct probe_params params = { .operation_ps = 5 * PS_PER_US,
						    .ticks = 1,
						    .slow_ps = 5 * PS_PER_US };
	const struct machine_config machine = rig_machine(1);
	struct arena *arena = arena_create();
	struct run_config config = probe_setup(arena, &machine, &params, 3);
	double metrics[NR_METRICS];

	(void)state;
	assert_int_equal(run_execute(&config, 0, metrics, NULL), 0);
	assert_about(metrics[METRIC_SLOWEST_THREAD], 1e5, 0.1);
	assert_about(metrics[METRIC_FASTEST_THREAD], 2e5, 0.1);
	assert_about(metrics[METRIC_THROUGHPUT], 5e5, 0.1);
	arena_destroy(arena);
}

/* Operations of 40 us tick every 100 ns. What ticks after the end, or before the start, is not counted. */
static void only_what_happens_while_the_run_measures_is_counted(void **state)
{
	static const struct probe_params params = { .operation_ps = 40 * PS_PER_US, .ticks = 400 };
	const struct machine_config machine = rig_machine(1);
	struct arena *arena = arena_create();
	struct run_config config = probe_setup(arena, &machine, &params, 2);
	double metrics[NR_METRICS];

	(void)state;
	config.length.duration_ps = 200 * PS_PER_US;
	assert_int_equal(run_execute(&config, 0, metrics, NULL), 0);
	assert_about(metrics[METRIC_CAS_FAILURES] * metrics[METRIC_THROUGHPUT], 2 * 1e7, 0.1);
	arena_destroy(arena);
}

struct warmup_case {
	sim_ps warmup_ps;
	bool first_access_counts;
};

static void the_warm_up_is_not_measured(void **state)
{
	static const struct warmup_case cases[] = { { 0, true }, { 50 * PS_PER_US, false } };
	const struct machine_config machine = rig_machine(1);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *arena = arena_create();
		struct run_config config = run_setup(arena, &machine, "atomics", "think_ns 20000", 1);
		double metrics[NR_METRICS];

		config.length.warmup_ps = cases[i].warmup_ps;
		assert_int_equal(run_execute(&config, 0, metrics, NULL), 0);
		assert_int_equal(metrics[METRIC_TRANSACTIONS] > 0, cases[i].first_access_counts);
		arena_destroy(arena);
	}
}

struct length_case {
	uint32_t min_operations;
	uint64_t at_least, at_most; /* operations of both workers */
};

/* 10 us per operation and 20 us of duration; the warm-up of 100 us has ten of each worker. */
static void a_run_goes_on_until_it_has_measured_enough_operations(void **state)
{
	static const struct length_case cases[] = {
		{ 0, 22, 30 },
		{ 1, 22, 30 },
		{ 40, 2 * 50, 2 * 55 },
		{ 300, 2 * 375, 2 * 380 }, /* a quarter of 300 to warm up */
	};
	const struct machine_config machine = rig_machine(1);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *arena = arena_create();
		uint64_t nr_operations = 0;
		const struct probe_params params = { 10 * PS_PER_US, 1, 0, &nr_operations };
		struct run_config config = probe_setup(arena, &machine, &params, 2);
		double metrics[NR_METRICS];

		config.length.duration_ps = 20 * PS_PER_US;
		config.length.min_operations = cases[i].min_operations;
		assert_int_equal(run_execute(&config, 0, metrics, NULL), 0);
		assert_in_range(nr_operations, cases[i].at_least, cases[i].at_most);
		assert_about(metrics[METRIC_THROUGHPUT], 2e5, 0.1);
		arena_destroy(arena);
	}
}

struct empty_case {
	uint32_t min_operations;
	const char *text;
};

static void a_run_that_measures_nothing_is_an_error(void **state)
{
	static const struct empty_case cases[] = {
		{ 0, "no operation ended within 1 times the run's duration" },
		{ 1, "no operation ended within 1001 times the run's duration" },
	};
	static const struct probe_params params = { .operation_ps = 2000 * PS_PER_US, .ticks = 1 };
	const struct machine_config machine = rig_machine(1);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *arena = arena_create();
		struct run_config config = probe_setup(arena, &machine, &params, 2);
		struct error err = { .text = "" };
		double metrics[NR_METRICS];

		config.length.duration_ps = PS_PER_US;
		config.length.min_operations = cases[i].min_operations;
		assert_int_equal(run_execute(&config, 0, metrics, &err), -1);
		assert_string_equal(err.text, cases[i].text);
		arena_destroy(arena);
	}
}

static void a_date_beyond_the_engine_is_an_error(void **state)
{
	static const struct probe_params params = { .operation_ps = PS_PER_S * 1000, .ticks = 1 };
	const struct machine_config machine = rig_machine(1);
	struct arena *arena = arena_create();
	struct run_config config = probe_setup(arena, &machine, &params, 1);
	struct error err = { .text = "" };
	double metrics[NR_METRICS];

	(void)state;
	assert_int_equal(run_execute(&config, 0, metrics, &err), -1);
	assert_true(strlen(err.text) > 0);
	arena_destroy(arena);
}

/* ---- placement ---- */

static void workers_that_share_a_core_slow_each_other_down(void **state)
{
	static const struct probe_params params = { .operation_ps = 10 * PS_PER_US, .ticks = 1 };
	struct machine_config machine = rig_machine(2);
	struct arena *arena = arena_create();
	struct run_config config;
	double metrics[NR_METRICS];

	(void)state;
	machine.core.smt_slowdown_pct = 100;
	config = probe_setup(arena, &machine, &params, 8);
	assert_int_equal(run_execute(&config, 0, metrics, NULL), 0);
	assert_about(metrics[METRIC_THROUGHPUT], 8e5, 0.1);
	run_setup_placement(arena, &config, PLACEMENT_SIBLINGS_FIRST, 8);
	assert_int_equal(run_execute(&config, 0, metrics, NULL), 0);
	assert_about(metrics[METRIC_THROUGHPUT], 4e5, 0.1);
	run_setup_placement(arena, &config, PLACEMENT_SIBLINGS_FIRST, 3); /* two on one core, one alone */
	assert_int_equal(run_execute(&config, 0, metrics, NULL), 0);
	assert_about(metrics[METRIC_THROUGHPUT], 2e5, 0.1);
	assert_about(metrics[METRIC_SLOWEST_THREAD], 0.5e5, 0.1);
	arena_destroy(arena);
}

struct node_case {
	uint32_t page_node;
	double remote, socket; /* transactions per operation */
};

/* Two clusters of the second socket share a line: across the sockets when its home is in the first. */
static void the_line_lives_on_the_node_asked_for(void **state)
{
	static const struct node_case cases[] = { { 0, 1, 0 }, { 1, 0, 1 } };
	static int cpus[] = { 4, 6 };
	const struct machine_config machine = rig_machine(1);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *arena = arena_create();
		struct run_config config = run_setup(arena, &machine, "atomics", "think_ns 5000", 2);
		double metrics[NR_METRICS];

		config.cpus = cpus;
		config.page_node = cases[i].page_node;
		assert_int_equal(run_execute(&config, 0, metrics, NULL), 0);
		/* at times a CPU comes twice before the other */
		assert_int_equal(metrics[METRIC_TRANSACTIONS_REMOTE] > 0.5, cases[i].remote == 1);
		assert_int_equal(metrics[METRIC_TRANSACTIONS_SOCKET] > 0.5, cases[i].socket == 1);
		assert_true(metrics[METRIC_TRANSACTIONS_REMOTE] == 0 || metrics[METRIC_TRANSACTIONS_SOCKET] == 0);
		assert_true(metrics[METRIC_TRANSACTIONS_CLUSTER] == 0);
		arena_destroy(arena);
	}
}

/* ---- one worker ---- */

struct alone_case {
	const char *refcount;
	const char *params;
	double latency_ns;
};

static void one_worker_takes_its_private_work_and_the_sum_of_its_accesses(void **state)
{
	/*
	 * 700 private, 50 + 6.4 copy; loads of 1, atomics of 5, gaps of 3;
	 * a compare-and-swap loads first and takes 3 + 1 more
	 */
	static const struct alone_case cases[] = {
		{ "fetch-add", NULL, 700 + 56.4 + 4 * 5 + 5 + 3 * 14 },
		{ "cas", NULL, 700 + 56.4 + 4 * 5 + 5 + 3 * 14 + 1 + 3 + 1 },
		{ "fetch-add", "filesystem pagecache", 700 + 56.4 + 2 * 5 + 4 + 3 * 11 },
		{ "none", "filesystem pagecache", 700 + 56.4 + 4 + 3 * 11 },
		{ "none", "filesystem pagecache gap_ns 0 private_ns 9000", 9000 + 56.4 + 4 },
	};
	const struct machine_config machine = rig_machine(1);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *arena = arena_create();
		struct run_config config = run_setup(arena, &machine, "pread", cases[i].params, 1);
		double metrics[NR_METRICS];

		run_setup_policy(arena, &config, AXIS_REFCOUNT, cases[i].refcount, NULL);
		config.length.duration_ps = 20 * PS_PER_MS;
		assert_int_equal(run_execute(&config, 0, metrics, NULL), 0);
		assert_about(metrics[METRIC_LATENCY], cases[i].latency_ns, 0.1);
		assert_true(metrics[METRIC_TRANSACTIONS] == 0);
		assert_true(metrics[METRIC_SLEEPS] == 0);
		arena_destroy(arena);
	}
}

/* ---- names ---- */

static void every_metric_has_a_name_of_its_own_and_a_unit(void **state)
{
	(void)state;
	for (int i = 0; i < NR_METRICS; i++) {
		assert_true(strlen(metric_infos[i].name) > 0);
		assert_true(strlen(metric_infos[i].unit) > 0);
		assert_true(strlen(metric_infos[i].help) > 0);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(metric_infos[i].name, metric_infos[j].name);
	}
	assert_false(metric_infos[METRIC_THROUGHPUT].lower_is_better);
	assert_true(metric_infos[METRIC_LATENCY].lower_is_better);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(throughput_is_operations_per_measured_second),
		cmocka_unit_test(the_slowest_and_the_fastest_worker_are_told),
		cmocka_unit_test(only_what_happens_while_the_run_measures_is_counted),
		cmocka_unit_test(the_warm_up_is_not_measured),
		cmocka_unit_test(a_run_goes_on_until_it_has_measured_enough_operations),
		cmocka_unit_test(a_run_that_measures_nothing_is_an_error),
		cmocka_unit_test(a_date_beyond_the_engine_is_an_error),
		cmocka_unit_test(workers_that_share_a_core_slow_each_other_down),
		cmocka_unit_test(the_line_lives_on_the_node_asked_for),
		cmocka_unit_test(one_worker_takes_its_private_work_and_the_sum_of_its_accesses),
		cmocka_unit_test(every_metric_has_a_name_of_its_own_and_a_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
