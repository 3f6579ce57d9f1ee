/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From what a run counted to its metrics.
 */
#include "models/run_parts.h"

#include <math.h>

void run_reading_create(struct run *run)
{
	run->start.cpus = arena_calloc(run->arena, (size_t)run->nr_cpus, sizeof(*run->start.cpus));
	run->start.operations = arena_calloc(run->arena, (size_t)run->nr_tasks, sizeof(*run->start.operations));
}

void run_begin(struct run *run)
{
	const struct workload *workload = run->config->workload;

	for (int i = 0; i < run->nr_cpus; i++)
		run->start.cpus[i] = run->cpus[i].counters;
	for (int i = 0; i < run->nr_tasks; i++)
		run->start.operations[i] = run->tasks[i].operations;
	if (run->sched)
		sched_times(run->sched, engine_now(run->engine), &run->start.times);
	if (run->page_alloc)
		run_pages_begin(run);
	if (workload->begin)
		workload->begin(run->workload_state);
}

uint64_t run_operations(const struct run *run)
{
	uint64_t operations = 0;

	for (int i = 0; i < run->nr_tasks; i++)
		operations += run->tasks[i].operations - run->start.operations[i];
	return operations;
}

static struct cpu_counters counted(const struct run *run)
{
	struct cpu_counters sum = { 0 };

	for (int i = 0; i < run->nr_cpus; i++) {
		const struct cpu_counters *now = &run->cpus[i].counters;
		const struct cpu_counters *then = &run->start.cpus[i];

		sum.cas_failures += now->cas_failures - then->cas_failures;
		sum.get_failures += now->get_failures - then->get_failures;
		sum.invalidations += now->invalidations - then->invalidations;
		sum.sleeps += now->sleeps - then->sleeps;
		sum.line_wait_ps += now->line_wait_ps - then->line_wait_ps;
		for (int distance = 0; distance < NR_DISTANCES; distance++)
			sum.transactions[distance] += now->transactions[distance] - then->transactions[distance];
	}
	return sum;
}

static void measure_lines(struct run *run, double operations)
{
	const struct cpu_counters sum = counted(run);
	double *metrics = run->metrics;

	metrics[METRIC_CAS_FAILURES] = (double)sum.cas_failures / operations;
	metrics[METRIC_GET_FAILURES] = (double)sum.get_failures / operations;
	metrics[METRIC_TRANSACTIONS] = 0;
	for (int distance = 0; distance < NR_DISTANCES; distance++) {
		const double transactions = (double)sum.transactions[distance] / operations;

		metrics[METRIC_TRANSACTIONS_CORE + distance] = transactions;
		metrics[METRIC_TRANSACTIONS] += transactions;
	}
	metrics[METRIC_INVALIDATIONS] = (double)sum.invalidations / operations;
	metrics[METRIC_LINE_WAIT_PCT] = 100.0 * (double)sum.line_wait_ps / ((double)run->measured_ps * run->nr_cpus);
	metrics[METRIC_SLEEPS] = (double)sum.sleeps / operations;
}

/* Operations of all tasks; the slowest and the fastest one. */
static void measure_tasks(struct run *run)
{
	uint64_t slowest = UINT64_MAX;
	uint64_t fastest = 0;

	for (int i = 0; i < run->nr_tasks; i++) {
		const uint64_t operations = run->tasks[i].operations - run->start.operations[i];

		slowest = operations < slowest ? operations : slowest;
		fastest = operations > fastest ? operations : fastest;
	}
	run->measured_operations = run_operations(run);
	run->metrics[METRIC_SLOWEST_THREAD] = (double)slowest / ps_to_s(run->measured_ps);
	run->metrics[METRIC_FASTEST_THREAD] = (double)fastest / ps_to_s(run->measured_ps);
}

static struct sched_times measure_times(struct run *run)
{
	const struct sched_times *then = &run->start.times;
	const double seconds = ps_to_s(run->measured_ps);
	struct sched_times times;

	sched_times(run->sched, engine_now(run->engine), &times);
	times.user_ps -= then->user_ps;
	times.system_ps -= then->system_ps;
	times.idle_ps -= then->idle_ps;
	times.switches -= then->switches;
	times.migrations -= then->migrations;
	times.preemptions -= then->preemptions;
	run->metrics[METRIC_IDLE_PCT] = 100.0 * ps_to_s(times.idle_ps) / (seconds * run->nr_cpus);
	run->metrics[METRIC_MIGRATIONS] = (double)times.migrations / seconds;
	run->metrics[METRIC_PREEMPTIONS] = (double)times.preemptions / seconds;
	return times;
}

void run_end(struct run *run)
{
	const struct workload *workload = run->config->workload;
	struct workload_window window = { .measured_ps = run->measured_ps };
	double *metrics = run->metrics;

	for (int i = 0; i < NR_METRICS; i++)
		metrics[i] = NAN;
	measure_tasks(run);
	if (!run->measured_operations)
		return;
	window.operations = run->measured_operations;
	metrics[METRIC_THROUGHPUT] = (double)window.operations / ps_to_s(run->measured_ps);
	metrics[METRIC_LATENCY] = ps_to_ns(run->measured_ps) * run->nr_tasks / (double)window.operations;
	measure_lines(run, (double)window.operations);
	if (run->sched)
		window.times = measure_times(run);
	if (run->page_alloc)
		run_pages_end(run);
	if (workload->end)
		workload->end(run->workload_state, &window, metrics);
}
