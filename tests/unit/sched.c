/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The scheduler: scripts of tasks on a small machine, and the record that they
 * must leave on both engines. Two sockets of two clusters of two cores: CPUs 0
 * and 1, 2 and 3 | 4 and 5, 6 and 7; with SMT the siblings are 8 to 15.
 *
 * A switch takes 10 ns, a wake 5 ns, an idle CPU hears of it after 20 ns, cold
 * caches cost 1 us; slices are 3 ms, ticks come every 4 ms.
 */
#include "models/kernel/sched.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/engine/engine_ops.h"
#include "tests/support/forked.h"
#include "tests/support/rig.h"
#include "tests/support/unit.h"

#define MAX_STEPS 10
#define MAX_TASKS 20

enum verb {
	END,
	USER, /* for `ns` */
	KERNEL,
	SLEEP,
	WAKE, /* task `ns` */
	SYNC_WAKE, /* task `ns` */
	REST, /* for `ns` */
	FORK,
	EXEC,
	POINT, /* a preemption point */
	SPIN, /* until LEAVE for this task: on its CPU all the time */
	LEAVE, /* task `ns` its spinning */
	TIMES,
	EVENTS, /* how many there have been and are to come */
};

struct step {
	enum verb verb;
	double ns;
};

/* A task notes "name@date/cpu" when it starts and after every step. */
struct script {
	const char *name; /* NULL ends a list */
	double start_ns;
	int near; /* the CPU that it is started from */
	struct step steps[MAX_STEPS];
};

struct sched_case {
	const char *what;
	const char *record; /* ends in "ok", or in the error */
	struct script scripts[MAX_TASKS];
	uint32_t smt; /* 0: 1 */
	int nr_cpus; /* the first ones; 0: all */
	bool core_alone; /* only CPUs 0 and 8, the siblings of one core */
};

struct role {
	struct play *play;
	const struct script *script;
	struct task task;
};

struct play {
	struct rig rig;
	struct sched *sched;
	FILE *record;
	const struct sched_case *sched_case;
	struct role roles[MAX_TASKS];
};

static void note(const struct role *role)
{
	const struct cpu *cpu = role->task.cpu;

	fprintf(role->play->record, "%s@%.12g/%d ", role->script->name, ps_to_ns(cpu->date), cpu->id);
}

static void note_times(const struct role *role)
{
	struct sched_times times;

	cpu_sync(role->task.cpu);
	sched_times(role->play->sched, engine_now(role->play->rig.engine), &times);
	fprintf(role->play->record, "user %.12g system %.12g idle %.12g switches %d migrations %d preemptions %d ",
		ps_to_ns(times.user_ps), ps_to_ns(times.system_ps), ps_to_ns(times.idle_ps), (int)times.switches,
		(int)times.migrations, (int)times.preemptions);
}

static void take(struct role *role, const struct step *step)
{
	struct task *task = &role->task;

	switch (step->verb) {
	case USER:
		task_user(task, NS(step->ns));
		break;
	case KERNEL:
		task_kernel(task, NS(step->ns));
		break;
	case SLEEP:
		task_sleep(task, "a wake");
		break;
	case WAKE:
		task_wake(task, &role->play->roles[(int)step->ns].task);
		break;
	case SYNC_WAKE:
		task_wake_sync(task, &role->play->roles[(int)step->ns].task);
		break;
	case REST:
		task_sleep_for(task, NS(step->ns));
		break;
	case FORK:
		task_balance_fork(task);
		break;
	case EXEC:
		task_balance_exec(task);
		break;
	case POINT:
		fputs(task_preempt_point(task) ? "moved " : "", role->play->record);
		break;
	case SPIN:
		cpu_park(task->cpu, "a lock");
		break;
	case LEAVE:
		cpu_wake(task->cpu, role->play->roles[(int)step->ns].task.cpu, NS(10));
		break;
	case TIMES:
		note_times(role);
		return;
	case EVENTS:
		fprintf(role->play->record, "events %d ", (int)role->play->rig.engine->nr_requests);
		return;
	default:
		return;
	}
	note(role);
}

static void act(void *arg)
{
	struct role *role = arg;

	sched_start(role->play->sched, &role->task);
	note(role);
	for (const struct step *step = role->script->steps; step->verb != END; step++) {
		take(role, step);
	}
	sched_exit(&role->task);
}

static const struct sched_params costs = {
	.context_switch_ns = 10,
	.wake_ns = 5,
	.wake_latency_ns = 20,
	.migration_ns = 1000,
	.slice_ns = 3e6,
	.tick_ns = 4e6,
};

struct staging {
	enum engine_kind engine;
	const struct sched_case *sched_case;
};

static void play_create(struct play *play, const struct staging *staging)
{
	const struct sched_case *sched_case = staging->sched_case;
	struct machine_config config = rig_machine(sched_case->smt ? sched_case->smt : 1);
	struct cpu *cpus;
	int nr_cpus;

	config.core.smt_slowdown_pct = 50;
	rig_create_on(&play->rig, &config, 1, staging->engine);
	cpus = play->rig.cpus;
	nr_cpus = sched_case->nr_cpus ? sched_case->nr_cpus : machine_nr_cpus(play->rig.machine);
	if (sched_case->core_alone) {
		cpus[1] = cpus[8];
		nr_cpus = 2;
	}
	for (int i = 0; i < nr_cpus; i++)
		cpus[i].core_shared = sched_case->smt > 1;
	play->sched = sched_create(play->rig.arena, play->rig.machine, play->rig.engine, &costs, cpus, nr_cpus);
}

static void play_run(FILE *record, const void *arg)
{
	const struct staging *staging = arg;
	struct play play = { .record = record, .sched_case = staging->sched_case };
	struct error err;

	play_create(&play, staging);
	for (int i = 0; i < MAX_TASKS && staging->sched_case->scripts[i].name; i++) {
		const struct script *script = &staging->sched_case->scripts[i];
		struct role *role = &play.roles[i];

		*role = (struct role){ .play = &play, .script = script };
		role->task.cpu = &play.rig.cpus[script->near];
		engine_spawn(play.rig.engine, script->near, script->name, NS(script->start_ns), act, role);
	}
	fputs(rig_run(&play.rig, &err) ? err.text : "ok", record);
	rig_destroy(&play.rig);
}

static void check_case(const struct sched_case *sched_case)
{
	for (int engine = 0; engine < 2; engine++) {
		const struct staging staging = { (enum engine_kind)engine, sched_case };
		struct forked forked = forked_run(play_run, &staging);

		if (strcmp(forked.record, sched_case->record))
			print_error("case: %s, engine %d\n", sched_case->what, engine);
		assert_string_equal(forked.record, sched_case->record);
		assert_int_equal(forked.status, 0);
		forked_free(&forked);
	}
}

#define CHECK_CASES(cases) \
	for (size_t i_ = 0; i_ < ARRAY_SIZE(cases); i_++) \
	check_case(&(cases)[i_])

static void a_task_alone_runs_at_full_speed(void **state)
{
	static const struct sched_case cases[] = {
		{ .what = "its time is its work, one wake and one switch; the rest is idle",
		  .record = "a@130/1 a@500130/1 a@500330/1 user 500000 system 210 idle 3502430 switches 1 "
			    "migrations 0 preemptions 0 ok",
		  .scripts = { { "a", 100, 0, { { USER, 5e5 }, { KERNEL, 200 }, { TIMES, 0 } } } } },
		{ .what = "over many slices",
		  .record = "a@130/1 a@1000000130/1 user 1000000000 system 10 idle 7000001030 switches 1 "
			    "migrations 0 preemptions 0 ok",
		  .scripts = { { "a", 100, 0, { { USER, 1e9 }, { TIMES, 0 } } } } },
		{ .what = "work of less than a microsecond",
		  .record = "a@130/1 a@140/1 a@1040/1 a@1120/1 a@1220/1 user 1090 system 10 idle 8660 switches 1 "
			    "migrations 0 preemptions 0 ok",
		  .scripts = { { "a",
				 100,
				 0,
				 { { USER, 10 }, { USER, 900 }, { USER, 80 }, { USER, 100 }, { TIMES, 0 } } } } },
	};

	(void)state;
	CHECK_CASES(cases);
}

static void tasks_on_one_cpu_take_turns_by_slices(void **state)
{
	static const struct sched_case cases[] = {
		{ .what = "a slice of 3 ms ends at the tick of 4 ms",
		  .record = "a@31/0 b@4000010.001/0 a@10000041.001/0 user 9999989.999 system 30.002 idle 21 "
			    "switches 3 migrations 0 preemptions 2 b@12000061.003/0 user 12000000 system 40.003 "
			    "idle 21 switches 4 migrations 0 preemptions 2 ok",
		  .nr_cpus = 1,
		  .scripts = { { "a", 1, 0, { { USER, 6e6 }, { TIMES, 0 } } },
			       { "b", 2, 0, { { USER, 6e6 }, { TIMES, 0 } } } } },
		{ .what = "kernel code goes on until a preemption point, or user code",
		  .record = "a@31/0 a@5000031/0 b@5000041.001/0 a@12000010.001/0 a@17000010.001/0 "
			    "a@24000010.001/0 a@24000010.001/0 a@29000010.001/0 b@35000081.005/0 a@35000092.006/0 "
			    "ok",
		  .nr_cpus = 1,
		  .scripts = { { "a",
				 1,
				 0,
				 { { KERNEL, 5e6 },
				   { REST, 1000 },
				   { KERNEL, 5e6 },
				   { POINT, 0 },
				   { POINT, 0 },
				   { KERNEL, 5e6 },
				   { USER, 1 } } },
			       { "b", 2, 0, { { USER, 20e6 } } } } },
		{ .what = "a task that comes late finds a slice in progress",
		  .record = "a@31/0 b@16000010.001/0 b@16001010.001/0 a@30001051.002/0 ok",
		  .nr_cpus = 1,
		  .scripts = { { "a", 1, 0, { { USER, 30e6 } } }, { "b", 13e6, 0, { { USER, 1000 } } } } },
		{ .what = "three in FIFO order",
		  .record = "a@31/0 b@4000010.001/0 c@8000010.001/0 a@13000041.001/0 b@14000061.003/0 "
			    "c@15000081.005/0 ok",
		  .nr_cpus = 1,
		  .scripts = { { "a", 1, 0, { { USER, 5e6 } } },
			       { "b", 2, 0, { { USER, 5e6 } } },
			       { "c", 3, 0, { { USER, 5e6 } } } } },
	};

	(void)state;
	CHECK_CASES(cases);
}

#define WORKS(name, start, near) \
	{ \
		name, start, near, \
		{ \
			{ \
				USER, 1e5 \
			} \
		} \
	}

static void new_tasks_go_to_the_idlest_cpu(void **state)
{
	static const struct sched_case cases[] = {
		{ .what = "a node each, a cluster each, a core each, a queue each",
		  .record = "a@31/1 b@32/4 c@33/2 d@34/6 e@35/0 f@36/5 g@37/3 h@38/7 a@100031/1 i@100041.001/1 "
			"b@100032/4 j@100042.001/4 c@100033/2 d@100034/6 e@100035/0 f@100036/5 g@100037/3 "
			"h@100038/7 j@200042.001/4 i@201041.001/1 ok",
		  .scripts = { WORKS("a", 1, 0), WORKS("b", 2, 0), WORKS("c", 3, 0), WORKS("d", 4, 0), WORKS("e", 5, 0),
			       WORKS("f", 6, 0), WORKS("g", 7, 0), WORKS("h", 8, 0), WORKS("i", 9, 0), WORKS("j", 10, 0) } },
		{ .what = "the ring starts after the CPU that it comes from",
		  .record = "a@31/2 b@32/4 c@33/0 d@34/6 e@35/3 a@100031/2 b@100032/4 c@100033/0 d@100034/6 "
			"e@100035/3 ok",
		  .scripts = { WORKS("a", 1, 3), WORKS("b", 2, 3), WORKS("c", 3, 3), WORKS("d", 4, 3), WORKS("e", 5, 3) } },
		{ .what = "idle cores before the siblings of busy ones",
		  .record = "a@31/1 b@32/4 c@33/2 d@34/6 e@35/0 f@36/5 g@37/3 h@38/7 i@44/8 j@45/12 a@100031/1 "
			"c@100033/2 d@100034/6 f@100036/5 g@100037/3 h@100038/7 b@150032/4 e@150035/0 "
			"j@150040.666/12 i@150041/8 ok",
		  .nr_cpus = 16,
		  .smt = 2,
		  .scripts = { WORKS("a", 1, 0), WORKS("b", 2, 0), WORKS("c", 3, 0), WORKS("d", 4, 0), WORKS("e", 5, 0),
			       WORKS("f", 6, 0), WORKS("g", 7, 0), WORKS("h", 8, 0), WORKS("i", 9, 0), WORKS("j", 10, 0) } },
		{ .what = "only CPUs of the run",
		  .record = "a@31/1 b@32/0 c@33/2 a@100031/1 d@100041.001/1 b@100032/0 e@100042.001/0 c@100033/2 "
			"d@201041.001/1 e@201042.001/0 ok",
		  .nr_cpus = 3,
		  .scripts = { WORKS("a", 1, 0), WORKS("b", 2, 0), WORKS("c", 3, 0), WORKS("d", 4, 0), WORKS("e", 5, 0) } },
		{ .what = "fork: the parent's CPU is busy",
		  .record = "a@31/1 a@2031/1 a@2061/4 a@2091/0 a@5091/0 ok",
		  .scripts = { { "a", 1, 0, { { USER, 2000 }, { FORK, 0 }, { FORK, 0 }, { USER, 2000 } } } } },
		{ .what = "exec: the own CPU is as idle as any",
		  .record = "a@31/1 a@2031/1 a@2031/1 a@4031/1 user 4000 system 10 idle 28238 switches 1 "
			"migrations 0 preemptions 0 ok",
		  .scripts = { { "a", 1, 0, { { USER, 2000 }, { EXEC, 0 }, { USER, 2000 }, { TIMES, 0 } } } } },
		{ .what = "exec: away from a cluster with less idle CPUs",
		  .record = "x@31/1 a@32/2 a@42/2 a@42/2 x@100031/1 ok",
		  .nr_cpus = 4,
		  .scripts = { WORKS("x", 1, 0),  { "a", 2, 1, { { USER, 10 }, { EXEC, 0 } } }, } },
	};

	(void)state;
	CHECK_CASES(cases);
}

static void a_woken_task_goes_to_an_idle_cpu_near_its_last(void **state)
{
	static const struct sched_case cases[] = {
		{ .what = "its last CPU when that is idle",
		  .record = "a@31/1 b@32/4 b@5032/4 b@5037/4 a@5067/1 a@6067/1 ok",
		  .scripts = { { "a", 1, 0, { { SLEEP, 0 }, { USER, 1000 } } },
			       { "b", 2, 0, { { USER, 5000 }, { WAKE, 0 } } } } },
		{ .what = "an idle core of that cluster, not the sibling of a busy one",
		  .record = "a@31/1 b@130/1 b@5130/1 b@5135/1 a@5165/0 a@7165/0 ok",
		  .smt = 2,
		  .nr_cpus = 16,
		  .scripts = { { "a", 1, 0, { { SLEEP, 0 }, { USER, 1000 } } },
			       { "b", 100, 0, { { USER, 5000 }, { WAKE, 0 } } } } },
		{ .what = "an idle CPU of the waker's cluster",
		  .record = "a@31/1 b@130/1 c@131/2 d@132/0 c@2131/2 c@2136/2 a@2166/3 a@4166/3 b@9130/1 d@9132/0 "
			    "ok",
		  .nr_cpus = 4,
		  .scripts = { { "a", 1, 0, { { SLEEP, 0 }, { USER, 1000 } } },
			       { "b", 100, 0, { { USER, 9000 } } },
			       { "c", 101, 0, { { USER, 2000 }, { WAKE, 0 } } },
			       { "d", 102, 0, { { USER, 9000 } } } } },
		{ .what = "else it waits where it ran last",
		  .record = "a@31/1 b@130/1 c@131/0 c@2131/0 c@2136/0 b@9130/1 a@9140.001/1 a@10140.001/1 "
			    "c@11136/0 ok",
		  .nr_cpus = 2,
		  .scripts = { { "a", 1, 0, { { SLEEP, 0 }, { USER, 1000 } } },
			       { "b", 100, 0, { { USER, 9000 } } },
			       { "c", 101, 0, { { USER, 2000 }, { WAKE, 0 }, { USER, 9000 } } } } },
		{ .what = "a wake before the sleep is not lost, nor is it two",
		  .record = "a@31/1 b@32/4 b@37/4 a@5031/1 a@5031/1 b@10037/4 b@10042/4 a@10072/1 ok",
		  .scripts = { { "a", 1, 0, { { USER, 5000 }, { SLEEP, 0 }, { SLEEP, 0 } } },
			       { "b", 2, 0, { { WAKE, 0 }, { USER, 10000 }, { WAKE, 0 } } } } },
		{ .what = "a wake during a rest is for the sleep after it",
		  .record = "a@31/1 b@32/4 b@2032/4 b@2037/4 a@5061/1 a@5061/1 ok",
		  .scripts = { { "a", 1, 0, { { REST, 5000 }, { SLEEP, 0 } } },
			       { "b", 2, 0, { { USER, 2000 }, { WAKE, 0 } } } } },
	};

	(void)state;
	CHECK_CASES(cases);
}

static void a_waker_about_to_sleep_draws_the_woken_task_to_it(void **state)
{
	static const struct sched_case cases[] = {
		{ .what = "into its cluster",
		  .record = "a@31/1 b@32/4 b@5032/4 b@5037/4 a@5067/5 a@7067/5 ok",
		  .scripts = { { "a", 1, 0, { { SLEEP, 0 }, { USER, 1000 } } },
			       { "b", 2, 0, { { USER, 5000 }, { SYNC_WAKE, 0 } } } } },
		{ .what = "not away from an idle last CPU of its cluster",
		  .record = "a@31/1 b@32/0 b@5032/0 b@5037/0 a@5067/1 a@6067/1 b@10037/0 ok",
		  .nr_cpus = 2,
		  .scripts = { { "a", 1, 0, { { SLEEP, 0 }, { USER, 1000 } } },
			       { "b", 2, 0, { { USER, 5000 }, { SYNC_WAKE, 0 }, { USER, 5000 } } } } },
		{ .what = "behind itself when its cluster is busy",
		  .record = "a@31/1 b@32/2 c@33/3 c@5033/3 c@5038/3 c@5538/3 a@5548.001/3 a@7548.001/3 "
			    "b@9000032/2 ok",
		  .nr_cpus = 4,
		  .scripts = { { "a", 1, 0, { { SLEEP, 0 }, { USER, 1000 } } },
			       { "b", 2, 0, { { USER, 9e6 } } },
			       { "c", 3, 2, { { USER, 5000 }, { SYNC_WAKE, 0 }, { KERNEL, 500 } } } } },
		{ .what = "not when others wait for its CPU",
		  .record = "a@31/1 e@32/2 f@33/0 c@34/3 c@5034/3 c@5039/3 c@5044/3 c@5049/3 c@5549/3 a@5069/2 "
			    "f@5079/0 e@5559.001/3 f@6079/0 e@7559.001/3 a@9006069/2 ok",
		  .nr_cpus = 4,
		  .scripts = { { "a", 1, 0, { { SLEEP, 0 }, { USER, 9e6 } } },
			       { "e", 2, 0, { { SLEEP, 0 }, { USER, 1000 } } },
			       { "f", 3, 0, { { SLEEP, 0 }, { USER, 1000 } } },
			       { "c",
				 4,
				 2,
				 { { USER, 5000 },
				   { SYNC_WAKE, 0 },
				   { SYNC_WAKE, 1 },
				   { SYNC_WAKE, 2 },
				   { KERNEL, 500 } } } } },
	};

	(void)state;
	CHECK_CASES(cases);
}

static void an_idle_cpu_pulls_the_task_that_waits_longest(void **state)
{
	static const struct sched_case cases[] = {
		{ .what = "when it becomes idle",
		  .record = "a@31/1 b@32/0 b@1000032/0 d@1000042.001/0 d@2000042.001/0 user 4000011.001 system "
			    "30.001 idle 43 switches 3 migrations 0 preemptions 0 c@2000052.002/0 c@3001052.002/0 "
			    "a@9000031/1 ok",
		  .nr_cpus = 2,
		  .scripts = { { "a", 1, 0, { { USER, 9e6 } } },
			       { "b", 2, 0, { { USER, 1e6 } } },
			       { "c", 3, 1, { { USER, 1e6 } } },
			       { "d", 4, 1, { { USER, 1e6 }, { TIMES, 0 } } } } },
		{ .what = "from its own cluster first, then from its node, then from any",
		  .record = "a@31/1 b@32/4 c@33/2 d@34/6 e@35/0 f@36/5 g@37/3 h@38/7 e@1000035/0 "
			    "own@1000045.001/0 own@1001145.001/0 node@1001155.002/0 node@1002255.002/0 "
			    "far@1002265.003/0 far@1003365.003/0 a@2000031/1 b@2000032/4 c@2000033/2 d@2000034/6 "
			    "f@2000036/5 g@2000037/3 h@2000038/7 ok",
		  .scripts = { { "a", 1, 0, { { USER, 2e6 } } },
			       { "b", 2, 0, { { USER, 2e6 } } },
			       { "c", 3, 0, { { USER, 2e6 } } },
			       { "d", 4, 0, { { USER, 2e6 } } },
			       { "e", 5, 0, { { USER, 1e6 } } },
			       { "f", 6, 0, { { USER, 2e6 } } },
			       { "g", 7, 0, { { USER, 2e6 } } },
			       { "h", 8, 0, { { USER, 2e6 } } },
			       { "far", 10, 4, { { USER, 100 } } },
			       { "node", 11, 2, { { USER, 100 } } },
			       { "own", 12, 1, { { USER, 100 } } } } },
		{ .what = "at a tick, when its waker did not look so far",
		  .record = "a@31/1 b@130/1 c@131/2 d@132/0 d@1000132/0 d@1000137/0 a@4000029.999/3 "
			    "a@4002029.999/3 b@9000130/1 c@9000131/2 d@10000137/0 user 28002000 system 55 idle "
			    "11998493 switches 5 migrations 1 preemptions 0 ok",
		  .nr_cpus = 4,
		  .scripts = { { "a", 1, 0, { { SLEEP, 0 }, { USER, 1000 } } },
			       { "b", 100, 0, { { USER, 9e6 } } },
			       { "c", 101, 0, { { USER, 9e6 } } },
			       { "d", 102, 0, { { USER, 1e6 }, { WAKE, 0 }, { USER, 9e6 }, { TIMES, 0 } } } } },
	};

	(void)state;
	CHECK_CASES(cases);
}

static void work_is_slower_only_while_the_sibling_is_busy(void **state)
{
	static const struct sched_case cases[] = {
		{ .what = "a sibling that does nothing",
		  .record = "a@31/1 a@6031/1 a@6131/1 user 6000 system 110 idle 49069 switches 1 migrations 0 "
			    "preemptions 0 ok",
		  .smt = 2,
		  .nr_cpus = 9,
		  .scripts = { { "a", 1, 0, { { USER, 6000 }, { KERNEL, 100 }, { TIMES, 0 } } } } },
		{ .what = "a sibling that comes and goes",
		  .record = "a@31/0 b@10036/8 b@16036/8 b@16186/8 a@22086/0 a@22186/0 events 10 ok",
		  .core_alone = true,
		  .smt = 2,
		  .scripts = { { "a", 1, 0, { { USER, 20000 }, { KERNEL, 100 }, { EVENTS, 0 } } },
			       { "b", 10001, 0, { { USER, 4000 }, { KERNEL, 100 } } } } },
		{ .what = "two that start together",
		  .record = "a@31/0 b@36/8 a@3031/0 a@3181/0 b@3036/8 b@3186/8 ok",
		  .core_alone = true,
		  .smt = 2,
		  .scripts = { { "a", 1, 0, { { USER, 2000 }, { KERNEL, 100 } } },
			       { "b", 1, 0, { { USER, 2000 }, { KERNEL, 100 } } } } },
	};

	(void)state;
	CHECK_CASES(cases);
}

static void a_task_alone_makes_few_events(void **state)
{
	static const struct sched_case cases[] = {
		{ .what = "two per piece of user work",
		  .record = "a@31/1 events 2 a@1000000031/1 events 4 a@2000000031/1 events 6 ok",
		  .scripts = { { "a",
				 1,
				 0,
				 { { EVENTS, 0 }, { USER, 1e9 }, { EVENTS, 0 }, { USER, 1e9 }, { EVENTS, 0 } } } } },
		{ .what = "none for work below a microsecond",
		  .record = "a@31/1 events 2 a@131/1 a@231/1 a@931/1 events 2 ok",
		  .scripts = { { "a",
				 1,
				 0,
				 { { EVENTS, 0 }, { USER, 100 }, { KERNEL, 100 }, { USER, 700 }, { EVENTS, 0 } } } } },
		{ .what = "two tasks: a few per slice",
		  .record = "a@31/0 b@4000010.001/0 a@98000151.012/0 events 77 b@110000281.025/0 events 80 ok",
		  .nr_cpus = 1,
		  .scripts = { { "a", 1, 0, { { USER, 50e6 }, { EVENTS, 0 } } },
			       { "b", 1, 0, { { USER, 60e6 }, { EVENTS, 0 } } } } },
	};

	(void)state;
	CHECK_CASES(cases);
}

static void who_spins_keeps_the_cpu_and_is_found_there(void **state)
{
	static const struct sched_case cases[] = {
		{ .what = "after a migration",
		  .record = "a@31/1 b@32/4 a@61/2 b@5032/4 b@5032/4 a@5042/2 a@6142/2 ok",
		  .scripts = { { "a", 1, 0, { { FORK, 0 }, { SPIN, 0 }, { USER, 100 } } },
			       { "b", 2, 0, { { USER, 5000 }, { LEAVE, 0 } } } } },
		{ .what = "longer than its slice",
		  .record = "a@31/1 b@32/0 b@9000032/0 b@9000032/0 c@9000042.001/0 a@9000042/1 a@9000142/1 "
			    "c@9001142.001/0 ok",
		  .nr_cpus = 2,
		  .scripts = { { "a", 1, 0, { { SPIN, 0 }, { USER, 100 } } },
			       { "b", 2, 0, { { KERNEL, 9e6 }, { LEAVE, 0 } } },
			       { "c", 3, 1, { { USER, 100 } } } } },
	};

	(void)state;
	CHECK_CASES(cases);
}

static void a_preemption_point_moves_a_task_only_when_another_took_its_cpu(void **state)
{
	static const struct sched_case cases[] = {
		{ .what = "nobody waits",
		  .record = "a@31/1 a@9000031/1 a@9000031/1 ok",
		  .scripts = { { "a", 1, 0, { { KERNEL, 9e6 }, { POINT, 0 } } } } },
		{ .what = "somebody does, but the slice is not over",
		  .record = "a@31/0 a@3900031/0 a@3900031/0 b@3900041.001/0 b@3900141.001/0 ok",
		  .nr_cpus = 1,
		  .scripts = { { "a", 1, 0, { { KERNEL, 3.9e6 }, { POINT, 0 } } }, { "b", 2, 0, { { USER, 100 } } } } },
		{ .what = "the slice is over: back on the same CPU",
		  .record = "a@31/0 a@4000031/0 b@4000041.001/0 b@4000141.001/0 a@4000151.002/0 ok",
		  .nr_cpus = 1,
		  .scripts = { { "a", 1, 0, { { KERNEL, 4e6 }, { POINT, 0 } } }, { "b", 2, 0, { { USER, 100 } } } } },
		{ .what = "the slice is over: another CPU is idle first",
		  .record = "a@31/1 a@4500031/1 b@32/0 c@4500041.001/1 b@5000032/0 moved a@5000042.001/0 "
			    "a@5001052.001/0 c@13500041.001/1 ok",
		  .nr_cpus = 2,
		  .scripts = { { "a", 1, 0, { { KERNEL, 4.5e6 }, { POINT, 0 }, { USER, 10 } } },
			       { "b", 2, 0, { { USER, 5e6 } } },
			       { "c", 3, 1, { { USER, 9e6 } } } } },
	};

	(void)state;
	CHECK_CASES(cases);
}

static void a_deadlock_names_the_tasks(void **state)
{
	static const struct sched_case cases[] = {
		{ .what = "one that spins, and one that waits for its CPU",
		  .record = "a@31/0 deadlock at 0.031 us: cpu 0 'a' waits for a lock; cpu 0 'b' waits for its "
			    "turn on a CPU",
		  .nr_cpus = 1,
		  .scripts = { { "a", 1, 0, { { SPIN, 0 } } }, { "b", 2, 0, { { USER, 5000 } } } } },
		{ .what = "asleep",
		  .record = "a@31/1 b@32/4 b@5032/4 deadlock at 5.032 us: cpu 1 'a' waits for a wake",
		  .scripts = { { "a", 1, 0, { { SLEEP, 0 } } }, { "b", 2, 0, { { USER, 5000 } } } } },
	};

	(void)state;
	CHECK_CASES(cases);
}

static void without_a_scheduler(struct cpu *cpu, void *arg)
{
	struct task *tasks = arg;
	struct task *task = &tasks[cpu->id];

	*task = (struct task){ .cpu = cpu, .actor = cpu->actor };
	task_user(task, NS(100));
	task_kernel(task, NS(10));
	task_balance_exec(task);
	task_balance_fork(task);
	task->operations += task_preempt_point(task); /* never */
	if (cpu->id) {
		task_sleep(task, "a wake");
	} else {
		task_sleep_for(task, NS(1000));
		task_wake(task, &tasks[1]);
	}
	cpu_sync(cpu);
}

static void without_a_scheduler_a_task_keeps_its_cpu(void **state)
{
	const struct machine_config config = rig_machine(1);
	struct task tasks[2] = { 0 };
	struct rig rig;

	(void)state;
	rig_create(&rig, &config, 1);
	for (int i = 0; i < 2; i++)
		rig_start(&rig, i, 1, without_a_scheduler, tasks);
	assert_int_equal(rig_run(&rig, NULL), 0);
	for (int i = 0; i < 2; i++) {
		assert_ptr_equal(tasks[i].cpu, &rig.cpus[i]);
		assert_int_equal(tasks[i].user_ps, NS(100));
		assert_int_equal(tasks[i].operations, 0);
		assert_int_equal(rig.cpus[i].date, 1 + NS(1110) + i);
	}
	rig_destroy(&rig);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_alone_runs_at_full_speed),
		cmocka_unit_test(tasks_on_one_cpu_take_turns_by_slices),
		cmocka_unit_test(new_tasks_go_to_the_idlest_cpu),
		cmocka_unit_test(a_woken_task_goes_to_an_idle_cpu_near_its_last),
		cmocka_unit_test(a_waker_about_to_sleep_draws_the_woken_task_to_it),
		cmocka_unit_test(an_idle_cpu_pulls_the_task_that_waits_longest),
		cmocka_unit_test(work_is_slower_only_while_the_sibling_is_busy),
		cmocka_unit_test(a_task_alone_makes_few_events),
		cmocka_unit_test(who_spins_keeps_the_cpu_and_is_found_there),
		cmocka_unit_test(a_preemption_point_moves_a_task_only_when_another_took_its_cpu),
		cmocka_unit_test(a_deadlock_names_the_tasks),
		cmocka_unit_test(without_a_scheduler_a_task_keeps_its_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
