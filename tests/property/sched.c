/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random tasks on random machines. Whatever they do, the scheduler keeps its
 * books: CPU time is conserved to the picosecond at every date, a task runs on
 * one CPU and a CPU runs one task, no CPU idles for longer than a tick while a
 * task waits, nobody loses or gains work, and both engines agree on every step.
 */
#include "models/kernel/sched.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "models/hardware/line.h"
#include "models/kernel/sched_state.h"
#include "tests/support/forked.h"
#include "tests/support/random_machine.h"
#include "tests/support/unit.h"

/* Under AddressSanitizer each actor of SimGrid is a thread. */
#ifdef __SANITIZE_ADDRESS__
#define SEEDS 3
#else
#define SEEDS 30
#endif

#define WATCH_PS (50 * PS_PER_US)

struct shape {
	const char *what;
	enum engine_kind engine;
	int tasks_per_10_cpus;
	int nr_steps; /* of each task */
	sim_ps user_max_ps, rest_max_ps;
	uint64_t nr_seeds;
};

struct program;

struct worker {
	struct program *program;
	struct task task;
	struct rng rng;
	sim_ps user_ps; /* that it asked for */
};

struct program {
	const struct shape *shape;
	struct arena *arena;
	struct engine *engine;
	struct machine *machine;
	struct cpu *cpus;
	struct sched *sched;
	struct line *line;
	struct worker *workers;
	int nr_cpus, nr_workers, nr_left;
	struct sched_params params;
	sim_ps smt_permyriad;
	sim_ps unfair_since; /* CPUs idle while tasks wait; -1: no */
	uint64_t nr_wrong;
	const char *wrong; /* what the first wrong thing was */
	uint64_t hash;
};

static void expect(struct program *program, bool right, const char *what)
{
	if (right)
		return;
	if (!program->nr_wrong++)
		program->wrong = what;
}

static void check_times(struct program *program)
{
	const sim_ps now = engine_now(program->engine);
	struct sched_times times;

	sched_times(program->sched, now, &times);
	expect(program, times.user_ps + times.system_ps + times.idle_ps == now * program->nr_cpus, "CPU time");
	expect(program, times.user_ps >= 0 && times.system_ps >= 0 && times.idle_ps >= 0, "a negative time");
}

/* The counts by which CPUs are found against the queues themselves. */
static void check_counts(struct program *program)
{
	const struct sched *sched = program->sched;
	int nr_idle = 0;
	int nr_waiting = 0;

	for (int seat = 0; seat < sched->nr_seats; seat++) {
		const struct run_queue *queue = &sched->queues[seat];
		int nr = 0;

		for (const struct task *task = queue->first; nr < queue->nr_waiting; task = task->next)
			nr++;
		nr_idle += queue->cpu && !queue->curr;
		nr_waiting += nr;
		expect(program, !nr || queue->curr, "tasks wait for an idle CPU");
	}
	expect(program, nr_idle == sched->map.nr_idle, "the count of idle CPUs");
	expect(program, nr_waiting == sched->map.nr_waiting, "the count of waiting tasks");
}

/* Idle CPUs of the run in a node, cluster or core, whichever is not negative; of all. */
static int count_idle(const struct program *program, int node, int cluster, int core)
{
	int nr = 0;

	for (int i = 0; i < program->nr_cpus; i++) {
		const struct cpu_place *place = program->cpus[i].place;
		const bool inside = (node < 0 || place->node == node) && (cluster < 0 || place->cluster == cluster) &&
				    (core < 0 || place->core == core);

		nr += inside && !queue_of(program->sched, &program->cpus[i])->curr;
	}
	return nr;
}

static int cpus_of_core(const struct program *program, int core)
{
	int nr = 0;

	for (int i = 0; i < program->nr_cpus; i++)
		nr += program->cpus[i].place->core == core;
	return nr;
}

/* The idlest CPU, by counting: no node has more, no cluster of the node has more, no core of the cluster is idler. */
static void check_idlest(struct program *program, int near)
{
	const struct sched *sched = program->sched;
	const int seat = sched_map_idlest(&sched->map, near);
	const struct cpu_place *best;
	bool core_idle;

	expect(program, (seat == NO_SEAT) == !count_idle(program, -1, -1, -1), "finds no idle CPU");
	if (seat == NO_SEAT)
		return;
	expect(program, sched->queues[seat].cpu && !sched->queues[seat].curr, "the idlest CPU is not idle");
	best = sched->queues[seat].cpu->place;
	core_idle = count_idle(program, -1, -1, best->core) == cpus_of_core(program, best->core);
	for (int i = 0; i < program->nr_cpus; i++) {
		const struct cpu_place *place = program->cpus[i].place;
		const int idle = count_idle(program, -1, -1, place->core);

		expect(program, count_idle(program, place->node, -1, -1) <= count_idle(program, best->node, -1, -1),
		       "another node has more idle CPUs");
		expect(program,
		       place->node != best->node || count_idle(program, -1, place->cluster, -1) <=
							    count_idle(program, -1, best->cluster, -1),
		       "another cluster has more idle CPUs");
		expect(program,
		       place->cluster != best->cluster || core_idle || idle < cpus_of_core(program, place->core),
		       "another core is idle");
	}
}

static void watch(void *arg)
{
	struct program *program = arg;
	const struct sched_map *map = &program->sched->map;
	const sim_ps now = engine_now(program->engine);

	check_times(program);
	check_counts(program);
	check_idlest(program, queue_of(program->sched, &program->cpus[now % program->nr_cpus])->seat);
	if (!map->nr_idle || !map->nr_waiting)
		program->unfair_since = -1;
	else if (program->unfair_since < 0)
		program->unfair_since = now;
	else
		expect(program, now - program->unfair_since <= ns_to_ps(program->params.tick_ns) + WATCH_PS,
		       "a CPU idles while tasks wait");
	if (program->nr_left)
		engine_call(program->engine, program->cpus[0].id, now + WATCH_PS, watch, program);
}

/* After every step: the task has its CPU, and no other. */
static void check_place(struct worker *worker)
{
	struct program *program = worker->program;
	const struct task *task = &worker->task;
	const struct sched *sched = program->sched;
	int nr = 0;

	expect(program, engine_self(program->engine) == task->actor, "another actor");
	expect(program, task->cpu->actor == task->actor, "the CPU's actor is another");
	expect(program, task->cpu->date >= engine_now(program->engine), "time runs back");
	expect(program, queue_of(sched, task->cpu)->curr == task, "runs on a CPU that is not its own");
	for (int seat = 0; seat < sched->nr_seats; seat++)
		nr += sched->queues[seat].curr == task;
	expect(program, nr == 1, "runs on several CPUs");
	program->hash = rng_mix(program->hash ^ rng_mix((uint64_t)task->cpu->date) ^
				(uint64_t)(task->cpu->id * program->nr_workers + task->index));
}

static void interrupt(void *arg)
{
	task_wake(NULL, arg);
}

/* Something wakes it after a while, perhaps before it sleeps. */
static void step_sleep(struct worker *worker)
{
	struct task *task = &worker->task;
	const sim_ps after = rng_between(&worker->rng, 1, worker->program->shape->rest_max_ps);

	engine_call(worker->program->engine, task->cpu->id, engine_now(worker->program->engine) + after, interrupt,
		    task);
	task_kernel(task, rng_between(&worker->rng, 0, 2 * after));
	task_sleep(task, "an interrupt");
}

static void step_wake(struct worker *worker)
{
	struct program *program = worker->program;
	const uint64_t other = rng_below(&worker->rng, (uint64_t)program->nr_workers);

	if (program->workers[other].task.sched)
		(rng_below(&worker->rng, 2) ? task_wake : task_wake_sync)(&worker->task, &program->workers[other].task);
}

static void step_user(struct worker *worker)
{
	const sim_ps most = rng_below(&worker->rng, 2) ? worker->program->shape->user_max_ps : PS_PER_US;
	const sim_ps work = rng_between(&worker->rng, 0, most);

	worker->user_ps += work;
	task_user(&worker->task, work);
}

static void step(struct worker *worker)
{
	struct task *task = &worker->task;

	switch (rng_below(&worker->rng, 10)) {
	case 0:
		step_sleep(worker);
		break;
	case 1:
		step_wake(worker);
		break;
	case 2:
		task_sleep_for(task, rng_between(&worker->rng, 0, worker->program->shape->rest_max_ps));
		break;
	case 3:
		task_kernel(task, rng_between(&worker->rng, 0, PS_PER_US));
		break;
	case 4:
		task_balance_fork(task);
		break;
	case 5:
		task_balance_exec(task);
		break;
	case 6:
		task_preempt_point(task);
		break;
	case 7:
		line_fetch_add(task->cpu, worker->program->line, 0, 1);
		break;
	default:
		step_user(worker);
		break;
	}
}

static void work(void *arg)
{
	struct worker *worker = arg;
	struct program *program = worker->program;
	struct task *task = &worker->task;
	sim_ps most;

	sched_start(program->sched, task);
	check_place(worker);
	for (int i = 0; i < program->shape->nr_steps; i++) {
		step(worker);
		check_place(worker);
	}
	/* rounding loses less than a picosecond each time that a sibling comes or goes, or a slice ends */
	most = worker->user_ps + ns_to_ps(program->params.migration_ns) * program->shape->nr_steps * 100;
	most += most * program->smt_permyriad / 10000;
	expect(program, task->user_ps >= worker->user_ps - 100 * program->shape->nr_steps, "user work got lost");
	expect(program, task->user_ps <= most, "user work out of nothing");
	sched_exit(task);
	check_times(program);
	program->nr_left--;
}

static struct sched_params random_params(struct rng *rng)
{
	return (struct sched_params){
		.context_switch_ns = (double)rng_below(rng, 2000),
		.wake_ns = (double)rng_below(rng, 1000),
		.wake_latency_ns = (double)rng_below(rng, 3000),
		.migration_ns = (double)rng_below(rng, 20000),
		.slice_ns = 1e5 + (double)rng_below(rng, 1000000),
		.tick_ns = rng_below(rng, 4) ? 1e5 + (double)rng_below(rng, 1000000) : 0,
	};
}

static bool has_sibling(const struct program *program, int index)
{
	for (int i = 0; i < program->nr_cpus; i++)
		if (i != index && program->cpus[i].place->core == program->cpus[index].place->core)
			return true;
	return false;
}

/* Some CPUs of a random machine, in random order. */
static void create_cpus(struct program *program, struct rng *rng)
{
	const struct machine_config config = random_machine(rng, program->arena);
	int ids[MACHINE_MAX_CPUS];
	int all;

	program->machine = machine_create(program->arena, &config);
	program->smt_permyriad = (sim_ps)(config.core.smt_slowdown_pct * 100 + 1);
	all = machine_nr_cpus(program->machine);
	program->nr_cpus = 1 + (int)rng_below(rng, (uint64_t)all);
	program->engine = engine_create(program->shape->engine, all, NULL);
	program->cpus = arena_calloc(program->arena, (size_t)program->nr_cpus, sizeof(*program->cpus));
	random_cpus(rng, all, ids, program->nr_cpus);
	for (int i = 0; i < program->nr_cpus; i++)
		program->cpus[i] = (struct cpu){ .id = ids[i],
						 .place = machine_place(program->machine, ids[i]),
						 .machine = program->machine,
						 .engine = program->engine };
	for (int i = 0; i < program->nr_cpus; i++)
		program->cpus[i].core_shared = has_sibling(program, i);
}

static void create_workers(struct program *program, struct rng *rng, uint64_t seed)
{
	program->nr_workers = 1 + program->nr_cpus * program->shape->tasks_per_10_cpus / 10;
	program->nr_left = program->nr_workers;
	program->workers = arena_calloc(program->arena, (size_t)program->nr_workers, sizeof(*program->workers));
	for (int i = 0; i < program->nr_workers; i++) {
		struct worker *worker = &program->workers[i];
		struct cpu *cpu = &program->cpus[rng_below(rng, (uint64_t)program->nr_cpus)];

		*worker = (struct worker){ .program = program, .rng = rng_stream(seed, (uint64_t)i + 1) };
		worker->task.index = i;
		worker->task.cpu = rng_below(rng, 2) ? cpu : NULL;
		engine_spawn(program->engine, cpu->id, arena_printf(program->arena, "task %d", i),
			     rng_between(rng, 1, PS_PER_US), work, worker);
	}
}

static void program_run(FILE *record, const struct shape *shape, uint64_t seed)
{
	struct program program = { .shape = shape, .arena = arena_create(), .unfair_since = -1 };
	struct rng rng = rng_stream(seed, 0);
	struct error err = { .text = "" };
	struct sched_times times;

	program.params = random_params(&rng);
	create_cpus(&program, &rng);
	program.sched = sched_create(program.arena, program.machine, program.engine, &program.params, program.cpus,
				     program.nr_cpus);
	program.line = line_create(program.arena, program.machine, program.engine, "the line", 0, seed);
	create_workers(&program, &rng, seed);
	watch(&program);
	if (engine_run(program.engine, &err) || program.nr_wrong || program.nr_left)
		fprintf(record, "WRONG with seed %" PRIu64 ": %" PRIu64 " things, first %s; %s\n", seed,
			program.nr_wrong, program.wrong, err.text);
	sched_times(program.sched, engine_now(program.engine), &times);
	fprintf(record, "%016" PRIx64 " %" PRIu64 " switches %" PRIu64 " migrations %" PRIu64 " preemptions\n",
		program.hash, times.switches, times.migrations, times.preemptions);
	engine_destroy(program.engine);
	arena_destroy(program.arena);
}

static void program_run_seeds(FILE *record, const void *arg)
{
	const struct shape *shape = arg;

	for (uint64_t seed = 1; seed <= shape->nr_seeds; seed++)
		program_run(record, shape, seed);
}

static const struct shape shapes[] = {
	{ "fewer tasks than CPUs", .tasks_per_10_cpus = 5, .nr_steps = 200, .user_max_ps = PS_PER_MS / 2,
	  .rest_max_ps = PS_PER_MS / 2, .nr_seeds = SEEDS },
	{ "as many tasks as CPUs, short rests", .tasks_per_10_cpus = 10, .nr_steps = 200, .user_max_ps = PS_PER_MS / 4,
	  .rest_max_ps = 5 * PS_PER_US, .nr_seeds = SEEDS },
	{ "more tasks than CPUs", .tasks_per_10_cpus = 25, .nr_steps = 100, .user_max_ps = 2 * PS_PER_MS,
	  .rest_max_ps = PS_PER_MS, .nr_seeds = SEEDS },
	{ "tiny steps", .tasks_per_10_cpus = 15, .nr_steps = 300, .user_max_ps = 2 * PS_PER_US, .rest_max_ps = 20,
	  .nr_seeds = SEEDS },
};

static struct forked shape_run(const struct shape *shape, enum engine_kind engine)
{
	struct shape on_engine = *shape;
	struct forked forked;

	on_engine.engine = engine;
	forked = forked_run(program_run_seeds, &on_engine);
	if (strstr(forked.record, "WRONG") || forked.status)
		print_error("%s: status %d\n%s%s", shape->what, forked.status, forked.record, forked.stderr_text);
	assert_null(strstr(forked.record, "WRONG"));
	assert_int_equal(forked.status, 0);
	return forked;
}

static void random_tasks_keep_the_books_of_the_scheduler_alike_on_both_engines(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct forked fast = shape_run(&shapes[i], ENGINE_FAST);
		struct forked simgrid = shape_run(&shapes[i], ENGINE_SIMGRID);

		assert_string_equal(fast.record, simgrid.record);
		forked_free(&fast);
		forked_free(&simgrid);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_tasks_keep_the_books_of_the_scheduler_alike_on_both_engines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
