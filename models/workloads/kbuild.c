/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kbuild: a parallel kernel build, `threads` job slots (make -jN). One operation
 * is one compile unit. make runs seven shells to expand its recipe and hands it to
 * a free slot; there two shells run the compiler driver, cc1, as, and the small
 * tools around them. Each of these processes has its own fork, exec, page faults
 * between user code, and exit. A make has slots_per_make slots and prepares one
 * unit ahead; a large build has one make per directory in work.
 *
 * Which processes, with how many pages and how much user code, are the medians
 * of a recorded build (docs/workload-shapes.md: `make mm/` of a 6.1 tree,
 * tinyconfig, gcc, kernel 6.18, a virtual machine with 2 CPUs); the size of cc1 is
 * drawn from the recorded distribution, pages and time together. User time is
 * that of the recorded machine, times user_pct.
 *
 * Abstracts: there is always a unit to do, so `real` is what a build of
 * `units` such units takes at the steady rate, without configuration, link and
 * the tail when slots run dry; user and sys are CPU seconds of the same.
 * Sources are in the page cache; what a unit writes stays there (14 pages), as
 * nothing reclaims or writes back: a run must be short enough that memory does not
 * fill up. Disk, pipes between the tools, slab objects and the user code of make are
 * left out; nm and awk run one after the other. Costs that nobody
 * measured for this: fork_ns, exec_ns, exit_ns, map_ns, unmap_ns, release_ns,
 * user_lines_per_us, slots_per_make; models/README.md says where the defaults come from.
 */
#include "models/workloads/workload.h"

#include "models/kernel/process.h"
#include "models/kernel/sched.h"
#include "models/workloads/kbuild_shapes.h"

struct kbuild_params {
	uint32_t units;
	uint32_t user_pct;
	uint32_t jitter_pct;
	uint32_t user_lines_per_us;
	uint32_t slots_per_make;
	struct process_params process;
};

/* clang-format off */
static const struct param kbuild_params[] = {
	PARAM(struct kbuild_params, units, "", 3000, 1, 1e9, "compile units of the build that real, user and sys are given for"),
	PARAM(struct kbuild_params, user_pct, "pct", 100, 1, 10000, "user time against that of the recorded machine"),
	PARAM(struct kbuild_params, jitter_pct, "pct", 10, 0, 100, "spread of user time beside what is drawn for cc1, uniform"),
	PARAM(struct kbuild_params, user_lines_per_us, "", 30, 0, 1000, "cache lines that user code touches: they push others out"),
	PARAM(struct kbuild_params, slots_per_make, "", 4, 1, 4096, "job slots that one make keeps busy"),
	PROCESS_PARAMS(struct kbuild_params, process),
	PARAM_END,
};
/* clang-format on */

#define MAX_TEMPORARY 8 /* page cache pages of a unit that go before it ends */
#define MAX_KEPT 12 /* that a process leaves behind */

struct make;

/* What a task, a job slot or a make, runs. */
struct job {
	struct task *task;
	struct process processes[NR_DEPTHS];
	pfn_t temporary[MAX_TEMPORARY];
	uint32_t nr_temporary;
	/* of a slot */
	struct make *make;
	struct job *next_free;
	bool has_unit;
};

struct make {
	struct job *free_slots; /* that wait for a unit */
	struct job *job; /* its own */
	bool prepared, waits; /* for a free slot */
};

struct kbuild_state {
	const struct kbuild_params *params;
	struct page_alloc *page_alloc;
	struct processes *processes;
	struct job *jobs; /* by task: the slots, then the makes */
	struct make *makes;
	int nr_slots, nr_tasks;
	const bool *stopped;
	uint64_t kept_pages;
	struct process_counters at_begin;
};

static int nr_makes(const struct kbuild_params *params, int nr_slots)
{
	return (nr_slots + (int)params->slots_per_make - 1) / (int)params->slots_per_make;
}

static int kbuild_nr_tasks(const void *params, int nr_threads)
{
	return nr_threads + nr_makes(params, nr_threads);
}

static void create_jobs(struct kbuild_state *state, const struct workload_site *site)
{
	state->nr_slots = site->nr_threads;
	state->nr_tasks = site->nr_tasks;
	state->jobs = arena_calloc(site->arena, (size_t)site->nr_tasks, sizeof(*state->jobs));
	state->makes =
		arena_calloc(site->arena, (size_t)nr_makes(state->params, state->nr_slots), sizeof(*state->makes));
	for (int i = 0; i < state->nr_slots; i++)
		state->jobs[i].make = &state->makes[i / (int)state->params->slots_per_make];
	for (int i = state->nr_slots; i < state->nr_tasks; i++)
		state->makes[i - state->nr_slots].job = &state->jobs[i];
}

static void *kbuild_create(const struct workload_site *site, const void *arg)
{
	const struct kbuild_params *params = arg;
	struct kbuild_state *state = arena_alloc(site->arena, sizeof(*state));
	const struct process_site processes = {
		.arena = site->arena,
		.page_alloc = site->page_alloc,
		.params = &params->process,
		.nr_cpus = machine_nr_cpus(site->machine),
		.stopped = site->stopped,
	};

	state->params = params;
	state->page_alloc = site->page_alloc;
	state->processes = processes_create(&processes);
	state->stopped = site->stopped;
	create_jobs(state, site);
	return state;
}

/* ---- processes ---- */

static sim_ps user_time(const struct kbuild_state *state, struct rng *rng, uint64_t user_us)
{
	const sim_ps duration = (sim_ps)(user_us * state->params->user_pct) * PS_PER_US / 100;

	return rng_jitter(rng, duration, state->params->jitter_pct);
}

/* The value at a point of [0, 1000) of a distribution given by deciles. */
static uint32_t at_permille(const uint32_t deciles[NR_DECILES + 1], uint32_t permille)
{
	const uint32_t decile = permille / 100;
	const uint32_t low = deciles[decile], high = deciles[decile + 1];

	return low + (high - low) * (permille % 100) / 100;
}

static void run_cc1(const struct kbuild_state *state, struct job *job, struct process *process)
{
	struct task *task = job->task;
	const uint32_t permille = (uint32_t)rng_below(&task->rng, 1000);
	const uint32_t pages = at_permille(cc1_pages, permille);
	const uint32_t tables = CC1_TABLES_BASE + pages / CC1_PAGES_PER_TABLE;
	const sim_ps user_ps = user_time(state, &task->rng, at_permille(cc1_user_us, permille));

	for (uint32_t i = 0; i < NR_TENTHS; i++) {
		const struct process_run run = {
			.pages = pages * (i + 1) / NR_TENTHS - pages * i / NR_TENTHS,
			.tables = tables * (i + 1) / NR_TENTHS - tables * i / NR_TENTHS,
			.user_ps = user_ps / 1000 * cc1_pace[i],
			.lines_per_us = state->params->user_lines_per_us,
		};

		process_run(state->processes, task, process, &run);
	}
}

static void run_shape(const struct kbuild_state *state, struct job *job, const struct shape *shape)
{
	const struct process_run run = {
		.pages = shape->pages,
		.tables = shape->tables,
		.user_ps = user_time(state, &job->task->rng, shape->user_us),
		.lines_per_us = state->params->user_lines_per_us,
	};

	process_run(state->processes, job->task, &job->processes[shape->depth], &run);
}

/* Page cache pages that the process writes: their system calls are in its user time. */
static void write_files(struct kbuild_state *state, struct job *job, const struct shape *shape)
{
	const struct page_work copy = { .lines = PAGE_BYTES / 64 };
	pfn_t kept[MAX_KEPT];

	job->nr_temporary += alloc_pages_burst(state->page_alloc, job->task, MIGRATE_MOVABLE, shape->temporary, &copy,
					       job->temporary + job->nr_temporary);
	state->kept_pages += alloc_pages_burst(state->page_alloc, job->task, MIGRATE_MOVABLE, shape->kept, &copy, kept);
}

/* gcc removes the assembler file of cc1. */
static void remove_temporary(const struct kbuild_state *state, struct job *job)
{
	const struct page_work none = { 0 };

	if (job->nr_temporary)
		free_pages_burst(state->page_alloc, job->task, job->temporary, job->nr_temporary, &none);
	job->nr_temporary = 0;
}

static void begin_process(struct kbuild_state *state, struct job *job, const struct shape *shape)
{
	struct process *process = &job->processes[shape->depth];

	process_fork(state->processes, job->task, process);
	if (shape->execs)
		process_exec(state->processes, job->task, process, shape->mapped);
	else
		process_dup_mm(state->processes, job->task, process, shape->mapped);
	if (shape->pages)
		run_shape(state, job, shape);
	else
		run_cc1(state, job, process);
	write_files(state, job, shape);
}

static void end_process(struct kbuild_state *state, struct job *job, int depth)
{
	if (depth < PASS)
		remove_temporary(state, job);
	process_exit(state->processes, job->task, &job->processes[depth]);
}

/* The processes of a list in turn; one ends when another comes that is not its child. */
static void run_shapes(struct kbuild_state *state, struct job *job, const struct shape *shapes)
{
	int depth = 0; /* how many are alive */

	for (const struct shape *shape = shapes; shape->times; shape++) {
		for (int times = 0; times < shape->times; times++) {
			while (depth > shape->depth)
				end_process(state, job, --depth);
			begin_process(state, job, shape);
			depth++;
		}
	}
	while (depth)
		end_process(state, job, --depth);
}

/* ---- jobs ---- */

static void wake_make(struct make *make, struct task *task)
{
	if (!make->waits)
		return;
	make->waits = false;
	task_wake(task, make->job->task);
}

static void wake_slots(struct make *make, struct task *task)
{
	while (make->free_slots) {
		struct job *slot = make->free_slots;

		make->free_slots = slot->next_free;
		task_wake(task, slot->task);
	}
}

/* The unit that make has prepared goes to a slot that waits for one. */
static void hand_over(struct make *make, struct task *task)
{
	struct job *slot = make->free_slots;

	make->free_slots = slot->next_free;
	make->prepared = false;
	slot->has_unit = true;
	task_wake(task, slot->task);
}

/* Prepare a unit and wait until it is gone. */
static void run_make(struct kbuild_state *state, struct job *job, struct make *make)
{
	if (!make->prepared)
		run_shapes(state, job, preparation);
	cpu_sync(job->task->cpu);
	make->prepared = true;
	if (make->free_slots) {
		hand_over(make, job->task);
	} else if (!*state->stopped) {
		make->waits = true;
		task_sleep(job->task, "a free job slot");
	}
}

/* A slot is free: it gets a unit from its make, or waits for one. Tells its make, which may have one ready. */
static uint64_t run_slot(struct kbuild_state *state, struct job *job)
{
	struct make *make = job->make;

	if (job->has_unit) {
		run_shapes(state, job, recipe);
		job->has_unit = false;
		return 1;
	}
	cpu_sync(job->task->cpu);
	if (*state->stopped)
		return 0;
	job->next_free = make->free_slots;
	make->free_slots = job;
	wake_make(make, job->task);
	task_sleep(job->task, "a unit to compile");
	return 0;
}

static uint64_t kbuild_operation(void *arg, struct task *task)
{
	struct kbuild_state *state = arg;
	struct job *job = &state->jobs[task->index];

	job->task = task;
	if (task->index < state->nr_slots)
		return run_slot(state, job);
	run_make(state, job, &state->makes[task->index - state->nr_slots]);
	return 0;
}

/* Nobody waits for a make or a slot that has ended. */
static void kbuild_finish(void *arg, struct task *task)
{
	struct kbuild_state *state = arg;
	struct job *job = &state->jobs[task->index];

	cpu_sync(task->cpu);
	if (task->index < state->nr_slots)
		wake_make(job->make, task);
	else
		wake_slots(&state->makes[task->index - state->nr_slots], task);
	processes_finish(state->processes, task, state->nr_tasks);
}

static void kbuild_begin(void *arg)
{
	struct kbuild_state *state = arg;

	state->at_begin = *processes_counters(state->processes);
}

static void kbuild_end(void *arg, const struct workload_window *window, double metrics[NR_METRICS])
{
	const struct kbuild_state *state = arg;
	const struct process_counters *now = processes_counters(state->processes);
	const double units = (double)state->params->units / (double)window->operations;
	const double freed = (double)(now->pages_freed - state->at_begin.pages_freed);
	const double elsewhere = (double)(now->pages_freed_elsewhere - state->at_begin.pages_freed_elsewhere);

	metrics[METRIC_REAL] = units * ps_to_s(window->measured_ps);
	metrics[METRIC_USER] = units * ps_to_s(window->times.user_ps);
	metrics[METRIC_SYS] = units * ps_to_s(window->times.system_ps);
	metrics[METRIC_FREED_ELSEWHERE_PCT] = freed > 0 ? 100 * elsewhere / freed : 0;
}

static uint64_t kbuild_nr_held_pages(const void *arg)
{
	const struct kbuild_state *state = arg;

	return state->kept_pages + processes_held_pages(state->processes);
}

const struct workload workload_kbuild = {
	.name = "kbuild",
	.summary =
		"a parallel kernel build: short-lived processes that fault in thousands of pages and free them at exit",
	.params = kbuild_params,
	.params_size = sizeof(struct kbuild_params),
	.scheduled = true,
	.allocates = true,
	.nr_tasks = kbuild_nr_tasks,
	.create = kbuild_create,
	.operation = kbuild_operation,
	.finish = kbuild_finish,
	.begin = kbuild_begin,
	.end = kbuild_end,
	.nr_held_pages = kbuild_nr_held_pages,
};
