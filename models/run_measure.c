/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From what a run counted to its metrics.
 */
#include "models/run_parts.h"

#include <math.h>
#include <string.h>

static void reading_create(struct run *run, struct run_reading *reading)
{
	reading->cpus = arena_calloc(run->arena, (size_t)run->nr_cpus, sizeof(*reading->cpus));
	reading->operations = arena_calloc(run->arena, (size_t)run->nr_tasks, sizeof(*reading->operations));
}

void run_readings_create(struct run *run)
{
	reading_create(run, &run->start);
	reading_create(run, &run->end);
}

static void take_reading(const struct run *run, struct run_reading *reading)
{
	for (int i = 0; i < run->nr_cpus; i++)
		reading->cpus[i] = run->cpus[i].counters;
	for (int i = 0; i < run->nr_tasks; i++)
		reading->operations[i] = run->tasks[i].operations;
}

void run_begin(struct run *run)
{
	take_reading(run, &run->start);
	if (run->config->workload->begin)
		run->config->workload->begin(run->workload_state);
}

void run_end(struct run *run)
{
	take_reading(run, &run->end);
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
		const struct cpu_counters *now = &run->end.cpus[i];
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

static void measure_lines(const struct run *run, double operations, double metrics[NR_METRICS])
{
	const struct cpu_counters sum = counted(run);

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
static uint64_t measure_tasks(const struct run *run, double metrics[NR_METRICS])
{
	uint64_t slowest = UINT64_MAX;
	uint64_t fastest = 0;
	uint64_t sum = 0;

	for (int i = 0; i < run->nr_tasks; i++) {
		const uint64_t operations = run->end.operations[i] - run->start.operations[i];

		slowest = operations < slowest ? operations : slowest;
		fastest = operations > fastest ? operations : fastest;
		sum += operations;
	}
	metrics[METRIC_SLOWEST_THREAD] = (double)slowest / ps_to_s(run->measured_ps);
	metrics[METRIC_FASTEST_THREAD] = (double)fastest / ps_to_s(run->measured_ps);
	return sum;
}

int run_measure(const struct run *run, double metrics[NR_METRICS], struct error *err)
{
	const struct workload *workload = run->config->workload;
	struct workload_window window = { .measured_ps = run->measured_ps };
	double operations;

	for (int i = 0; i < NR_METRICS; i++)
		metrics[i] = NAN;
	window.operations = measure_tasks(run, metrics);
	if (!window.operations)
		return error_plain(err, "no operation ended within %d times the run's duration",
				   (int)(run->measured_ps / run->config->length.duration_ps));
	operations = (double)window.operations;
	metrics[METRIC_THROUGHPUT] = operations / ps_to_s(run->measured_ps);
	metrics[METRIC_LATENCY] = ps_to_ns(run->measured_ps) * run->nr_tasks / operations;
	measure_lines(run, operations, metrics);
	if (workload->end)
		workload->end(run->workload_state, &window, metrics);
	return 0;
}
