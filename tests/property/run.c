/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What every run keeps: metrics that agree with each other, the same bits for
 * the same configuration, and other ones for another replication. Random
 * machines, and every policy and workload of the registry but those that
 * allocate pages (tests/property/page_alloc.c). A case that fails prints its
 * seed.
 */
#include "models/run.h"

#include "models/workloads/workload.h"
#include "tests/support/random_machine.h"
#include "tests/support/run_setup.h"
#include "tests/support/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NR_SEEDS 6 /* for each workload and choice of policies */

struct random_run {
	uint64_t seed;
	struct arena *arena;
	struct run_config config;
	double metrics[NR_METRICS];
};

static void run_create(struct random_run *run, uint64_t seed, const struct workload *workload)
{
	struct rng rng = rng_stream(seed, 5000);
	struct machine_config machine;
	int nr_cpus;

	run->seed = seed;
	run->arena = arena_create();
	machine = random_machine(&rng, run->arena);
	nr_cpus = machine_nr_cpus(machine_create(run->arena, &machine));
	run->config = run_setup(run->arena, &machine, workload->name, NULL,
				(int)rng_between(&rng, 1, nr_cpus < 16 ? nr_cpus : 16));
	random_cpus(&rng, nr_cpus, run->config.cpus, run->config.nr_threads);
	run->config.page_node = (uint32_t)rng_below(&rng, machine.topology.sockets * machine.topology.nodes_per_socket);
	run->config.length =
		(struct run_length){ .warmup_ps = 5 * PS_PER_US, .duration_ps = 20 * PS_PER_US, .seed = seed };
	run->config.length.min_operations = (uint32_t)rng_between(&rng, 1, 10);
}

static bool is_close(double a, double b)
{
	return a - b <= 1e-9 * b && b - a <= 1e-9 * b;
}

/* The workloads here allocate nothing, are not scheduled, and have no metric of their own. */
static bool means_nothing(enum run_metric metric)
{
	return (metric > METRIC_LATENCY && metric < METRIC_CAS_FAILURES) || metric > METRIC_FASTEST_THREAD;
}

/* The first thing about the metrics that is wrong, or NULL. */
static const char *disagreement(const struct random_run *run)
{
	const double *metrics = run->metrics;
	const double threads = run->config.nr_threads;
	double sum = 0;

	for (int i = 0; i < NR_METRICS; i++)
		if (!(metrics[i] >= 0) && !means_nothing((enum run_metric)i)) /* nor not a number */
			return metric_infos[i].name;
	for (int i = METRIC_TRANSACTIONS_CORE; i <= METRIC_TRANSACTIONS_REMOTE; i++)
		sum += metrics[i];
	if (!is_close(sum, metrics[METRIC_TRANSACTIONS]))
		return "the transactions of all distances are not the transactions";
	if (!is_close(metrics[METRIC_THROUGHPUT] * metrics[METRIC_LATENCY], threads * 1e9))
		return "throughput times latency is not the number of threads";
	if (metrics[METRIC_SLOWEST_THREAD] * threads > metrics[METRIC_THROUGHPUT] * (1 + 1e-9) ||
	    metrics[METRIC_FASTEST_THREAD] * threads < metrics[METRIC_THROUGHPUT] * (1 - 1e-9))
		return "the mean worker is not between the slowest and the fastest";
	if (metrics[METRIC_LINE_WAIT_PCT] > 110) /* waits that began before the start count, those in progress do not */
		return "workers wait for longer than they run";
	return NULL;
}

static int check_run(struct random_run *run)
{
	const struct policy_choice *policies = run->config.policies;
	struct error err = { .text = "" };
	const char *wrong = NULL;
	char text[256];

	if (!run_execute(&run->config, 0, run->metrics, &err))
		wrong = disagreement(run);
	if (!wrong && !err.text[0])
		return 0;
	print_error("%s, %s, %s, %d threads, seed %" PRIu64 " (%s): %s\n", run->config.workload->name,
		    policies[AXIS_REFCOUNT].policy->name, policies[AXIS_FOLIO_LOCK].policy->name,
		    run->config.nr_threads, run->seed, random_machine_text(&run->config.machine, text, sizeof(text)),
		    wrong ? wrong : err.text);
	return 1;
}

static void metrics_agree_with_each_other_on_any_machine(void **state)
{
	int nr_wrong = 0;

	(void)state;
	for (int i = 0; registry_workload_at(i); i++) {
		for (int j = 0; registry_policy_at(AXIS_REFCOUNT, j); j++) {
			if (registry_workload_at(i)->allocates)
				continue;
			for (uint64_t seed = 1; seed <= 2 * NR_SEEDS; seed++) {
				const char *lock = registry_policy_at(AXIS_FOLIO_LOCK, (int)(seed % 2))->name;
				struct random_run run;

				run_create(&run, seed, registry_workload_at(i));
				run_setup_policy(run.arena, &run.config, AXIS_REFCOUNT,
						 registry_policy_at(AXIS_REFCOUNT, j)->name, NULL);
				run_setup_policy(run.arena, &run.config, AXIS_FOLIO_LOCK, lock, NULL);
				nr_wrong += check_run(&run);
				arena_destroy(run.arena);
			}
		}
	}
	assert_int_equal(nr_wrong, 0);
}

static void both_engines_give_the_same_bits(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 4 * NR_SEEDS; seed++) {
		const struct workload *workload = registry_workload_at((int)(seed % 2));
		double simgrid[NR_METRICS];
		struct random_run run;

		run_create(&run, seed, workload);
		run_setup_policy(run.arena, &run.config, AXIS_REFCOUNT,
				 registry_policy_at(AXIS_REFCOUNT, (int)(seed % 3))->name, NULL);
		run_setup_policy(run.arena, &run.config, AXIS_FOLIO_LOCK,
				 registry_policy_at(AXIS_FOLIO_LOCK, (int)(seed / 2 % 2))->name, NULL);
		run.config.engine = ENGINE_FAST;
		assert_int_equal(check_run(&run), 0);
		run.config.engine = ENGINE_SIMGRID;
		assert_int_equal(run_execute(&run.config, 0, simgrid, NULL), 0);
		assert_memory_equal(run.metrics, simgrid, sizeof(simgrid));
		arena_destroy(run.arena);
	}
}

static void a_run_depends_on_its_configuration_and_seed_alone(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 2 * NR_SEEDS; seed++) {
		struct random_run run;
		double again[NR_METRICS], next[NR_METRICS], shifted[NR_METRICS];

		run_create(&run, seed, registry_workload("pread"));
		assert_int_equal(run_execute(&run.config, 0, run.metrics, NULL), 0);
		assert_int_equal(run_execute(&run.config, 0, again, NULL), 0);
		assert_int_equal(run_execute(&run.config, 1, next, NULL), 0);
		run.config.length.seed++;
		assert_int_equal(run_execute(&run.config, 0, shifted, NULL), 0);
		assert_memory_equal(run.metrics, again, sizeof(again));
		assert_memory_not_equal(run.metrics, next, sizeof(next));
		assert_memory_equal(next, shifted,
				    sizeof(next)); /* replication 1 of a seed is replication 0 of the next */
		arena_destroy(run.arena);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(metrics_agree_with_each_other_on_any_machine),
		cmocka_unit_test(both_engines_give_the_same_bits),
		cmocka_unit_test(a_run_depends_on_its_configuration_and_seed_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
