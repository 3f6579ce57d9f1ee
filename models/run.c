/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/run.h"

#include <stdio.h>

#include "models/hardware/cpu.h"
#include "models/workloads/workload.h"
#include "sim/util/arena.h"

/* A run that has not reached min_operations is prolonged by its duration, at most this many times, warm-up included. */
#define MAX_PROLONGATIONS 1000

/* The share of min_operations that must be over before measuring starts. */
#define WARMUP_SHARE 4

/* An operation counts at the date of its last access to something shared; a worker that makes none synchronises after this. */
#define MAX_AHEAD_PS PS_PER_US

/* clang-format off */
const struct param run_length_params[] = {
	PARAM_AS("warmup", struct run_length, warmup_ps, "time", 200e6, 0, 1e15, "simulated time before measuring starts; prolonged until a quarter of min_operations is reached"),
	PARAM_AS("duration", struct run_length, duration_ps, "time", 2e9, 1e3, 1e15, "measured time; prolonged by itself until min_operations is reached"),
	PARAM(struct run_length, min_operations, "", 40, 0, 1e6, "operations per worker, on average, that a run must measure"),
	PARAM(struct run_length, replications, "", 10, 1, 10000, "runs per point, each with random streams of its own; or {min, max, until}"),
	PARAM(struct run_length, seed, "", 1, 0, 1e15, "of the random streams"),
	PARAM_END,
};

const struct param run_replication_params[] = {
	PARAM_AS("min", struct run_length, min_replications, "", 5, 2, 10000, "replications that every point gets"),
	PARAM_AS("max", struct run_length, replications, "", 50, 2, 10000, "replications that no point exceeds"),
	PARAM_AS("until", struct run_length, until_ppm, "share", 10000, 1, 1e6, "a point has enough once the 95 % interval of each variant's throughput is at most this far from its mean"),
	PARAM_END,
};

const struct run_metric_info run_metric_infos[NR_METRICS] = {
	[METRIC_THROUGHPUT] = { "throughput", "ops/s", "operations per second, all workers", false },
	[METRIC_LATENCY] = { "latency", "ns", "time per operation and worker", true },
	[METRIC_CAS_FAILURES] = { "cas_failures", "per op", "failed compare-and-swaps per operation", true },
	[METRIC_GET_FAILURES] = { "get_failures", "per op", "gets refused because the folio was frozen or free, per operation", true },
	[METRIC_TRANSACTIONS] = { "transactions", "per op", "line transactions per operation", true },
	[METRIC_TRANSACTIONS_CORE] = { "transactions_core", "per op", "... between SMT siblings", true },
	[METRIC_TRANSACTIONS_CLUSTER] = { "transactions_cluster", "per op", "... inside an L3 cluster", true },
	[METRIC_TRANSACTIONS_SOCKET] = { "transactions_socket", "per op", "... inside a socket", true },
	[METRIC_TRANSACTIONS_REMOTE] = { "transactions_remote", "per op", "... between sockets", true },
	[METRIC_INVALIDATIONS] = { "invalidations", "per op", "copies invalidated per operation", true },
	[METRIC_LINE_WAIT_PCT] = { "line_wait_pct", "%", "share of the workers' time spent waiting for a line", true },
	[METRIC_SLEEPS] = { "sleeps", "per op", "sleeps on the folio lock per operation", true },
	[METRIC_SLOWEST_THREAD] = { "slowest_thread", "ops/s", "operations per second of the slowest worker", false },
	[METRIC_FASTEST_THREAD] = { "fastest_thread", "ops/s", "operations per second of the fastest worker", false },
};
/* clang-format on */

struct run {
	const struct run_config *config;
	struct arena *arena;
	struct engine *engine;
	struct machine *machine;
	void *workload_state;
	struct cpu *cpus; /* by worker */
	struct cpu_counters *at_start, *at_stop; /* counters when measuring began and ended, by worker */
	uint64_t wanted_operations; /* of all workers */
	sim_ps measured_ps;
	int prolongations;
	bool stopped;
};

struct worker {
	struct run *run;
	struct cpu *cpu;
};

static void work(void *arg)
{
	struct worker *worker = arg;
	struct run *run = worker->run;
	struct cpu *cpu = worker->cpu;
	const struct workload *workload = run->config->workload;

	cpu->date = engine_now(run->engine);
	while (!run->stopped) {
		workload->operation(run->workload_state, cpu);
		if (cpu->date > engine_now(run->engine) + MAX_AHEAD_PS)
			cpu_sync(cpu);
		cpu->counters.operations += !run->stopped;
	}
}

/* Since measuring began; before, since the start. */
static uint64_t operations_so_far(const struct run *run)
{
	uint64_t operations = 0;

	for (int i = 0; i < run->config->nr_threads; i++)
		operations += run->cpus[i].counters.operations - run->at_start[i].operations;
	return operations;
}

/* Call again one duration later unless there are so many operations. */
static bool prolong(struct run *run, uint64_t wanted, engine_fn *again)
{
	if (operations_so_far(run) >= wanted || run->prolongations++ >= MAX_PROLONGATIONS)
		return false;
	engine_call(run->engine, run->cpus[0].id, engine_now(run->engine) + run->config->length.duration_ps, again,
		    run);
	return true;
}

/* Workers finish the operation that they are in; what they do then is not measured. */
static void stop(struct run *run)
{
	for (int i = 0; i < run->config->nr_threads; i++)
		run->at_stop[i] = run->cpus[i].counters;
	run->stopped = true;
}

static void stop_or_prolong(void *arg)
{
	struct run *run = arg;

	run->measured_ps += run->config->length.duration_ps;
	if (!prolong(run, run->wanted_operations, stop_or_prolong))
		stop(run);
}

static void start_or_prolong(void *arg)
{
	struct run *run = arg;

	if (prolong(run, run->wanted_operations / WARMUP_SHARE, start_or_prolong))
		return;
	for (int i = 0; i < run->config->nr_threads; i++)
		run->at_start[i] = run->cpus[i].counters;
	engine_call(run->engine, run->cpus[0].id, engine_now(run->engine) + run->config->length.duration_ps,
		    stop_or_prolong, run);
}

static bool sibling_works(const struct run *run, int worker)
{
	const struct run_config *config = run->config;
	const int core = machine_place(run->machine, config->cpus[worker])->core;

	for (int i = 0; i < config->nr_threads; i++)
		if (i != worker && machine_place(run->machine, config->cpus[i])->core == core)
			return true;
	return false;
}

static void start_worker(struct run *run, int index, uint64_t seed)
{
	struct cpu *cpu = &run->cpus[index];
	struct worker *worker = arena_alloc(run->arena, sizeof(*worker));
	const char *name = arena_printf(run->arena, "cpu %d", run->config->cpus[index]);

	cpu->id = run->config->cpus[index];
	cpu->place = machine_place(run->machine, cpu->id);
	cpu->machine = run->machine;
	cpu->engine = run->engine;
	cpu->core_shared = sibling_works(run, index);
	cpu->rng = rng_stream(seed, (uint64_t)cpu->id);
	*worker = (struct worker){ .run = run, .cpu = cpu };
	/* workers start spread over a microsecond, not in step */
	cpu->actor = engine_spawn(run->engine, cpu->id, name, rng_between(&cpu->rng, 1, PS_PER_US), work, worker);
}

static void build(struct run *run, uint64_t seed)
{
	const struct run_config *config = run->config;
	const struct workload_site site = {
		.arena = run->arena,
		.machine = run->machine,
		.engine = run->engine,
		.policies = config->policies,
		.home_node = (int)config->page_node,
		.seed = seed,
	};

	run->workload_state = config->workload->create(&site, config->workload_params);
	run->wanted_operations = (uint64_t)config->length.min_operations * (uint64_t)config->nr_threads;
	run->cpus = arena_calloc(run->arena, (size_t)config->nr_threads, sizeof(*run->cpus));
	run->at_start = arena_calloc(run->arena, (size_t)config->nr_threads, sizeof(*run->at_start));
	run->at_stop = arena_calloc(run->arena, (size_t)config->nr_threads, sizeof(*run->at_stop));
	for (int i = 0; i < config->nr_threads; i++)
		start_worker(run, i, seed);
	engine_call(run->engine, config->cpus[0], config->length.warmup_ps + PS_PER_US, start_or_prolong, run);
}

static void sum_counters(const struct run *run, struct cpu_counters *sum)
{
	for (int i = 0; i < run->config->nr_threads; i++) {
		const struct cpu_counters *now = &run->at_stop[i];
		const struct cpu_counters *then = &run->at_start[i];

		sum->operations += now->operations - then->operations;
		sum->cas_failures += now->cas_failures - then->cas_failures;
		sum->get_failures += now->get_failures - then->get_failures;
		sum->invalidations += now->invalidations - then->invalidations;
		sum->sleeps += now->sleeps - then->sleeps;
		sum->line_wait_ps += now->line_wait_ps - then->line_wait_ps;
		for (int distance = 0; distance < NR_DISTANCES; distance++)
			sum->transactions[distance] += now->transactions[distance] - then->transactions[distance];
	}
}

static void thread_extremes(const struct run *run, double metrics[NR_METRICS])
{
	uint64_t slowest = UINT64_MAX;
	uint64_t fastest = 0;

	for (int i = 0; i < run->config->nr_threads; i++) {
		uint64_t operations = run->at_stop[i].operations - run->at_start[i].operations;

		slowest = operations < slowest ? operations : slowest;
		fastest = operations > fastest ? operations : fastest;
	}
	metrics[METRIC_SLOWEST_THREAD] = (double)slowest / ps_to_s(run->measured_ps);
	metrics[METRIC_FASTEST_THREAD] = (double)fastest / ps_to_s(run->measured_ps);
}

static int measure(const struct run *run, double metrics[NR_METRICS], struct error *err)
{
	struct cpu_counters sum = { 0 };
	const double threads = run->config->nr_threads;
	double operations;

	sum_counters(run, &sum);
	if (!sum.operations)
		return error_plain(err, "no operation ended within %d times the run's duration",
				   (int)(run->measured_ps / run->config->length.duration_ps));
	operations = (double)sum.operations;
	metrics[METRIC_THROUGHPUT] = operations / ps_to_s(run->measured_ps);
	metrics[METRIC_LATENCY] = ps_to_ns(run->measured_ps) * threads / operations;
	metrics[METRIC_CAS_FAILURES] = (double)sum.cas_failures / operations;
	metrics[METRIC_GET_FAILURES] = (double)sum.get_failures / operations;
	metrics[METRIC_TRANSACTIONS] = 0;
	for (int distance = 0; distance < NR_DISTANCES; distance++) {
		double transactions = (double)sum.transactions[distance] / operations;

		metrics[METRIC_TRANSACTIONS_CORE + distance] = transactions;
		metrics[METRIC_TRANSACTIONS] += transactions;
	}
	metrics[METRIC_INVALIDATIONS] = (double)sum.invalidations / operations;
	metrics[METRIC_LINE_WAIT_PCT] = 100.0 * (double)sum.line_wait_ps / ((double)run->measured_ps * threads);
	metrics[METRIC_SLEEPS] = (double)sum.sleeps / operations;
	thread_extremes(run, metrics);
	return 0;
}

int run_execute(const struct run_config *config, int replication, double metrics[NR_METRICS], struct error *err)
{
	struct run run = { .config = config, .arena = arena_create() };
	int status = -1;

	run.machine = machine_create(run.arena, &config->machine);
	run.engine = engine_create(config->engine, machine_nr_cpus(run.machine), err);
	if (run.engine) {
		engine_use_spare(run.engine, config->spare);
		build(&run, config->length.seed + (uint64_t)replication);
		if (!engine_run(run.engine, err))
			status = measure(&run, metrics, err);
		engine_destroy(run.engine);
	}
	arena_destroy(run.arena);
	return status;
}
