/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contend's engines, by their interface alone: one actor per CPU. The variant is the engine. */
#include "tests/bench/work.h"

#include "sim/cli/options.h"
#include "sim/engine/engine.h"

struct bench {
	struct engine *engine;
	struct cpu *holder;
	struct cpu *first_waiting, *last_waiting;
	int nr_rounds;
};

struct cpu {
	struct bench *bench;
	struct actor *actor;
	struct cpu *next_waiting;
	uint64_t random;
	int id;
};

static void think(struct cpu *cpu)
{
	struct engine *engine = cpu->bench->engine;

	actor_sleep_until(engine, think_until(&cpu->random, cpu->id, engine_now(engine)));
}

static void hold_main(void *arg)
{
	struct cpu *cpu = arg;

	for (int i = 0; i < cpu->bench->nr_rounds; i++)
		think(cpu);
}

static void lock_wait(struct bench *bench, struct cpu *cpu)
{
	cpu->next_waiting = NULL;
	if (bench->first_waiting)
		bench->last_waiting->next_waiting = cpu;
	else
		bench->first_waiting = cpu;
	bench->last_waiting = cpu;
	actor_park(bench->engine, "the lock");
}

/* Returns when the hold is over. */
static void lock_and_hold(struct bench *bench, struct cpu *cpu)
{
	if (bench->holder) {
		lock_wait(bench, cpu);
		return;
	}
	bench->holder = cpu;
	actor_sleep_until(bench->engine, engine_now(bench->engine) + HOLD_PS);
}

static void unlock(struct bench *bench)
{
	bench->holder = bench->first_waiting;
	if (!bench->holder)
		return;
	bench->first_waiting = bench->holder->next_waiting;
	actor_wake(bench->engine, bench->holder->actor, engine_now(bench->engine) + HOLD_PS);
}

static void lock_main(void *arg)
{
	struct cpu *cpu = arg;

	for (int i = 0; i < cpu->bench->nr_rounds; i++) {
		think(cpu);
		lock_and_hold(cpu->bench, cpu);
		unlock(cpu->bench);
	}
}

static enum engine_kind engine_kind(const char *name)
{
	for (int kind = 0; engine_names[kind]; kind++) {
		if (!strcmp(name, engine_names[kind]))
			return (enum engine_kind)kind;
	}
	fprintf(stderr, "there is no engine '%s'\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	const struct work work = work_parse(argc, argv);
	struct cpu *cpus = calloc((size_t)work.nr_cpus, sizeof(*cpus));
	struct bench bench = { .nr_rounds = work.nr_rounds };
	struct error err;
	double started;

	bench.engine = engine_create(engine_kind(work.variant), work.nr_cpus, &err);
	if (!cpus || !bench.engine)
		return 1;
	for (int i = 0; i < work.nr_cpus; i++) {
		cpus[i] = (struct cpu){ .bench = &bench, .id = i, .random = think_seed(i) };
		/* 1 ps is the first date; the first thought ends at a date of the CPU's own all the same */
		cpus[i].actor = engine_spawn(bench.engine, i, "cpu", 1, work.lock ? lock_main : hold_main, &cpus[i]);
	}
	started = work_seconds();
	if (engine_run(bench.engine, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	work_print(&work, engine_now(bench.engine), work_seconds() - started);
	engine_destroy(bench.engine);
	free(cpus);
	return 0;
}
