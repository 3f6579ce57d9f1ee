/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the line model asks of the engine, for line_rate:
 *
 *	line_record EXPERIMENT VARIANT [KEY=VALUE]... | line_rate ENGINE EXPERIMENT VARIANT [KEY=VALUE]...
 *
 * The linker puts the functions below between the model and engine.h (--wrap,
 * see the Makefile), which works only without optimisation across files.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/util/rng.h"
#include "tests/bench/line_setup.h"
#include "tests/bench/request_log.h"

#define NR_SLOTS (4 * REQUEST_LOG_MAX_ACTORS)

/* The number of a recorded actor, found by its address. */
struct slot {
	const struct actor *actor;
	int number;
};

struct recording {
	struct request_log log;
	struct slot slots[NR_SLOTS];
	int nr_actors;
};

/* An actor or a call of the recorded run, whose end is to be recorded too. */
struct body {
	struct engine *engine;
	engine_fn *fn;
	void *arg;
};

static struct recording recording; /* the functions that are wrapped have no argument for it */

/* What the linker calls the functions of engine.h, and us in their place. */
struct engine *__real_engine_create(enum engine_kind kind, int nr_cpus, struct error *err);
struct engine *__wrap_engine_create(enum engine_kind kind, int nr_cpus, struct error *err);
struct actor *__real_engine_spawn(struct engine *engine, int cpu, const char *name, sim_ps start, engine_fn *fn,
				  void *arg);
struct actor *__wrap_engine_spawn(struct engine *engine, int cpu, const char *name, sim_ps start, engine_fn *fn,
				  void *arg);
int __real_engine_run(struct engine *engine, struct error *err);
int __wrap_engine_run(struct engine *engine, struct error *err);
void __real_actor_sleep_until(struct engine *engine, sim_ps date);
void __wrap_actor_sleep_until(struct engine *engine, sim_ps date);
void __real_actor_park(struct engine *engine, const char *waits_for);
void __wrap_actor_park(struct engine *engine, const char *waits_for);
void __real_actor_wake(struct engine *engine, struct actor *actor, sim_ps date);
void __wrap_actor_wake(struct engine *engine, struct actor *actor, sim_ps date);
void __real_engine_call(struct engine *engine, int cpu, sim_ps date, engine_fn *fn, void *arg);
void __wrap_engine_call(struct engine *engine, int cpu, sim_ps date, engine_fn *fn, void *arg);

/* Where the actor is, or where it belongs. */
static struct slot *find_slot(const struct actor *actor)
{
	size_t place = rng_mix((uintptr_t)actor) % NR_SLOTS;

	while (recording.slots[place].actor && recording.slots[place].actor != actor)
		place = (place + 1) % NR_SLOTS;
	return &recording.slots[place];
}

static void run_body(void *arg)
{
	struct body body = *(struct body *)arg;

	free(arg);
	body.fn(body.arg);
	request_log_add(&recording.log, REQUEST_END, 0, 0);
	recording.log.end = engine_now(body.engine);
}

static struct body *body_create(struct engine *engine, engine_fn *fn, void *arg)
{
	struct body *body = malloc(sizeof(*body));

	if (!body)
		abort();
	*body = (struct body){ .engine = engine, .fn = fn, .arg = arg };
	return body;
}

struct engine *__wrap_engine_create(enum engine_kind kind, int nr_cpus, struct error *err)
{
	recording.log.nr_cpus = nr_cpus;
	return __real_engine_create(kind, nr_cpus, err);
}

struct actor *__wrap_engine_spawn(struct engine *engine, int cpu, const char *name, sim_ps start, engine_fn *fn,
				  void *arg)
{
	struct actor *actor;

	assert(recording.nr_actors < REQUEST_LOG_MAX_ACTORS);
	actor = __real_engine_spawn(engine, cpu, name, start, run_body, body_create(engine, fn, arg));
	*find_slot(actor) = (struct slot){ .actor = actor, .number = recording.nr_actors++ };
	request_log_add(&recording.log, REQUEST_SPAWN, cpu, start - engine_now(engine));
	return actor;
}

int __wrap_engine_run(struct engine *engine, struct error *err)
{
	request_log_add(&recording.log, REQUEST_END, 0, 0);
	return __real_engine_run(engine, err);
}

void __wrap_actor_sleep_until(struct engine *engine, sim_ps date)
{
	request_log_add(&recording.log, REQUEST_SLEEP, 0, date - engine_now(engine));
	recording.log.nr_steps += date > engine_now(engine);
	__real_actor_sleep_until(engine, date);
}

void __wrap_actor_park(struct engine *engine, const char *waits_for)
{
	request_log_add(&recording.log, REQUEST_PARK, 0, 0);
	recording.log.nr_steps++;
	__real_actor_park(engine, waits_for);
}

void __wrap_actor_wake(struct engine *engine, struct actor *actor, sim_ps date)
{
	request_log_add(&recording.log, REQUEST_WAKE, find_slot(actor)->number, date - engine_now(engine));
	__real_actor_wake(engine, actor, date);
}

void __wrap_engine_call(struct engine *engine, int cpu, sim_ps date, engine_fn *fn, void *arg)
{
	request_log_add(&recording.log, REQUEST_CALL, cpu, date - engine_now(engine));
	recording.log.nr_steps++;
	__real_engine_call(engine, cpu, date, run_body, body_create(engine, fn, arg));
}

int main(int argc, char **argv)
{
	struct arena *arena = arena_create();
	struct run_config config;
	double metrics[NR_METRICS];
	struct error err;
	char text[1024];

	if (argc < 3) {
		fprintf(stderr, "usage: %s EXPERIMENT VARIANT [KEY=VALUE]... | line_rate ...\n", argv[0]);
		return 2;
	}
	if (line_setup(arena, argv + 1, argc - 1, &config, &err) || run_execute(&config, 0, metrics, &err) ||
	    request_log_write(&recording.log, &err)) {
		fprintf(stderr, "%s\n", error_format(&err, text, sizeof(text)));
		return 1;
	}
	free(recording.log.requests);
	arena_destroy(arena);
	return 0;
}
