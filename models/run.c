/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/run.h"

#include <string.h>

#include "models/hardware/memory.h"
#include "models/run_parts.h"
#include "sim/util/arena.h"

/* A run that has not reached min_operations is prolonged by its duration, at most this many times, warm-up included. */
#define MAX_PROLONGATIONS 1000

/* The share of min_operations that must be over before measuring starts. */
#define WARMUP_SHARE 4

/* Apart from the streams of CPUs and lines. */
#define TASK_RNG_STREAM (UINT64_C(1) << 33)

/*
 * An operation counts at the date of its last access to something shared;
 * a worker that makes none synchronises after this.
 */
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
/* clang-format on */

struct worker {
	struct run *run;
	struct task *task;
};

/* A task of a finite workload has no more to do. */
static void through(struct run *run, struct task *task)
{
	cpu_sync(task->cpu);
	if (++run->nr_through < run->nr_tasks)
		return;
	run->measured_ps = engine_now(run->engine);
	run_end(run);
	run->stopped = true;
}

static void work(void *arg)
{
	const struct worker *worker = arg;
	struct run *run = worker->run;
	struct task *task = worker->task;
	const struct workload *workload = run->config->workload;

	if (task->sched)
		sched_start(task->sched, task);
	else
		task->cpu->date = engine_now(run->engine);
	while (!run->stopped) {
		const uint64_t operations = workload->operation(run->workload_state, task);

		if (task->cpu->date > engine_now(run->engine) + MAX_AHEAD_PS)
			cpu_sync(task->cpu);
		task->operations += run->stopped ? 0 : operations;
		if (workload->finite && !operations) {
			through(run, task);
			break;
		}
	}
	if (workload->finish)
		workload->finish(run->workload_state, task);
	if (task->sched)
		sched_exit(task);
}

/* Call again one duration later unless there are so many operations. */
static bool prolong(struct run *run, uint64_t wanted, engine_fn *again)
{
	if (run_operations(run) >= wanted || run->prolongations++ >= MAX_PROLONGATIONS)
		return false;
	engine_call(run->engine, run->cpus[0].id, engine_now(run->engine) + run->config->length.duration_ps, again,
		    run);
	return true;
}

static void stop_or_prolong(void *arg)
{
	struct run *run = arg;

	run->measured_ps += run->config->length.duration_ps;
	if (prolong(run, run->wanted_operations, stop_or_prolong))
		return;
	run_end(run);
	run->stopped = true; /* workers finish the operation that they are in; what they do then is not measured */
}

static void start_or_prolong(void *arg)
{
	struct run *run = arg;

	if (prolong(run, run->wanted_operations / WARMUP_SHARE, start_or_prolong))
		return;
	run_begin(run);
	engine_call(run->engine, run->cpus[0].id, engine_now(run->engine) + run->config->length.duration_ps,
		    stop_or_prolong, run);
}

/* Whether a sibling works too. O(CPUs): there may be thousands. */
static void find_shared_cores(struct run *run)
{
	int *nr_working = arena_calloc(run->arena, (size_t)machine_nr_cores(run->machine), sizeof(*nr_working));

	for (int i = 0; i < run->nr_cpus; i++)
		nr_working[run->cpus[i].place->core]++;
	for (int i = 0; i < run->nr_cpus; i++)
		run->cpus[i].core_shared = nr_working[run->cpus[i].place->core] > 1;
}

/* By worker; of a scheduled workload by number. */
static void build_cpus(struct run *run, uint64_t seed)
{
	const bool scheduled = run->config->workload->scheduled;

	run->cpus = arena_calloc(run->arena, (size_t)run->nr_cpus, sizeof(*run->cpus));
	for (int i = 0; i < run->nr_cpus; i++) {
		struct cpu *cpu = &run->cpus[i];

		cpu->id = scheduled ? i : run->config->cpus[i];
		cpu->place = machine_place(run->machine, cpu->id);
		cpu->machine = run->machine;
		cpu->engine = run->engine;
		cpu->rng = rng_stream(seed, (uint64_t)cpu->id);
	}
	find_shared_cores(run);
	if (scheduled)
		run->sched = sched_create(run->arena, run->machine, run->engine, &run->config->kernel.sched, run->cpus,
					  run->nr_cpus);
}

static void build_page_alloc(struct run *run, uint64_t seed)
{
	const struct run_config *config = run->config;

	if (!config->workload->allocates)
		return;
	run->memory = memory_create(run->arena, run->machine);
	run->page_alloc = page_alloc_create(
		&(struct page_alloc_site){
			.arena = run->arena,
			.machine = run->machine,
			.engine = run->engine,
			.policies = config->policies,
			.memory = run->memory,
			.costs = &config->kernel.buddy,
			.seed = seed,
		},
		&config->kernel.page_alloc);
}

/* Workers start spread over a microsecond, not in step. */
static void start_worker(struct run *run, int index, uint64_t seed)
{
	struct task *task = &run->tasks[index];
	struct worker *worker = arena_alloc(run->arena, sizeof(*worker));
	struct cpu *cpu = &run->cpus[index % run->nr_cpus];
	const char *name = arena_printf(run->arena, run->sched ? "task %d" : "cpu %d", run->sched ? index : cpu->id);

	task->index = index;
	task->cpu = cpu;
	task->sched = run->sched;
	task->rng = rng_stream(seed, TASK_RNG_STREAM + (uint64_t)index);
	*worker = (struct worker){ .run = run, .task = task };
	task->actor = engine_spawn(run->engine, cpu->id, name, rng_between(&cpu->rng, 1, PS_PER_US), work, worker);
	if (!run->sched)
		cpu->actor = task->actor;
}

static int build_workload(struct run *run, uint64_t seed, struct error *err)
{
	const struct run_config *config = run->config;
	const struct workload_site site = {
		.arena = run->arena,
		.machine = run->machine,
		.engine = run->engine,
		.policies = config->policies,
		.home_node = (int)config->page_node,
		.seed = seed,
		.nr_threads = config->nr_threads,
		.cpus = config->cpus,
		.nr_tasks = run->nr_tasks,
		.memory = run->memory,
		.page_alloc = run->page_alloc,
		.kernel = &config->kernel,
		.stopped = &run->stopped,
		.err = err,
	};

	run->workload_state = config->workload->create(&site, config->workload_params);
	return run->workload_state ? 0 : -1;
}

static int build(struct run *run, uint64_t seed, struct error *err)
{
	const struct run_config *config = run->config;
	const struct workload *workload = config->workload;

	run->nr_cpus = workload->scheduled ? machine_nr_cpus(run->machine) : config->nr_threads;
	run->nr_tasks = workload->nr_tasks ? workload->nr_tasks(config->workload_params, config->nr_threads)
					   : config->nr_threads;
	build_page_alloc(run, seed);
	if (build_workload(run, seed, err))
		return -1;
	build_cpus(run, seed);
	run->wanted_operations = (uint64_t)config->length.min_operations * (uint64_t)run->nr_tasks;
	run_reading_create(run);
	run->tasks = arena_calloc(run->arena, (size_t)run->nr_tasks, sizeof(*run->tasks));
	for (int i = 0; i < run->nr_tasks; i++)
		start_worker(run, i, seed);
	if (workload->finite)
		run_begin(run);
	else
		engine_call(run->engine, run->cpus[0].id, config->length.warmup_ps + PS_PER_US, start_or_prolong, run);
	return 0;
}

/* What the run came to, once it is over. */
static int conclude(const struct run *run, double metrics[NR_METRICS], struct error *err)
{
	const struct workload *workload = run->config->workload;
	const uint64_t nr_held = workload->nr_held_pages ? workload->nr_held_pages(run->workload_state) : 0;

	if (run->page_alloc && page_alloc_check(run->page_alloc, nr_held, err))
		return -1;
	if (!run->measured_operations)
		return error_plain(err, "no operation ended within %d times the run's duration",
				   (int)(run->measured_ps / run->config->length.duration_ps));
	memcpy(metrics, run->metrics, sizeof(run->metrics));
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
		if (!build(&run, config->length.seed + (uint64_t)replication, err) && !engine_run(run.engine, err))
			status = conclude(&run, metrics, err);
		engine_destroy(run.engine);
	}
	arena_destroy(run.arena);
	return status;
}
