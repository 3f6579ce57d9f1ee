/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/request_log.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/util/rng.h"

#define MAX_ACTORS (1 << 13) /* request.who */
#define NR_SLOTS (4 * MAX_ACTORS)

enum request_kind {
	REQUEST_SPAWN,
	REQUEST_SLEEP,
	REQUEST_PARK,
	REQUEST_WAKE,
	REQUEST_CALL,
	REQUEST_END, /* of an actor, a call, or what came before engine_run */
};

struct request {
	uint64_t kind : 3;
	uint64_t who : 13; /* wake: number of the actor; spawn, call: CPU */
	uint64_t delay_ps : 48;
};

/* The number of a recorded actor, found by its address. */
struct slot {
	const struct actor *actor;
	int number;
};

struct request_log {
	struct request *requests;
	uint64_t nr_requests, nr_allocated;
	uint64_t nr_steps;
	struct slot slots[NR_SLOTS];
	int nr_actors;
	int nr_cpus;
	sim_ps end;
};

/* An actor or a call of the recorded run, whose end is to be recorded too. */
struct body {
	struct engine *engine;
	engine_fn *fn;
	void *arg;
};

struct replay {
	const struct request *next;
	struct engine *engine;
	struct actor *actors[MAX_ACTORS];
	int nr_actors;
};

static struct request_log *recording;

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

static void *checked(void *memory)
{
	if (memory)
		return memory;
	fprintf(stderr, "out of memory\n");
	exit(1);
}

static void record(enum request_kind kind, int who, sim_ps delay_ps)
{
	struct request_log *log = recording;

	if (log->nr_requests == log->nr_allocated) {
		log->nr_allocated = log->nr_allocated ? 2 * log->nr_allocated : 1 << 16;
		log->requests = checked(realloc(log->requests, log->nr_allocated * sizeof(*log->requests)));
	}
	log->requests[log->nr_requests++] = (struct request){
		.kind = kind,
		.who = (unsigned int)who & (MAX_ACTORS - 1),
		.delay_ps = delay_ps > 0 ? (uint64_t)delay_ps & ((UINT64_C(1) << 48) - 1) : 0,
	};
}

/* Where the actor is, or where it belongs. */
static struct slot *find_slot(struct request_log *log, const struct actor *actor)
{
	size_t place = rng_mix((uintptr_t)actor) % NR_SLOTS;

	while (log->slots[place].actor && log->slots[place].actor != actor)
		place = (place + 1) % NR_SLOTS;
	return &log->slots[place];
}

static void run_body(void *arg)
{
	struct body body = *(struct body *)arg;

	free(arg);
	body.fn(body.arg);
	record(REQUEST_END, 0, 0);
	recording->end = engine_now(body.engine);
}

static struct body *body_create(struct engine *engine, engine_fn *fn, void *arg)
{
	struct body *body = checked(malloc(sizeof(*body)));

	*body = (struct body){ .engine = engine, .fn = fn, .arg = arg };
	return body;
}

struct engine *__wrap_engine_create(enum engine_kind kind, int nr_cpus, struct error *err)
{
	if (recording)
		recording->nr_cpus = nr_cpus;
	return __real_engine_create(kind, nr_cpus, err);
}

struct actor *__wrap_engine_spawn(struct engine *engine, int cpu, const char *name, sim_ps start, engine_fn *fn,
				  void *arg)
{
	struct request_log *log = recording;
	struct actor *actor;

	if (!log)
		return __real_engine_spawn(engine, cpu, name, start, fn, arg);
	assert(log->nr_actors < MAX_ACTORS);
	actor = __real_engine_spawn(engine, cpu, name, start, run_body, body_create(engine, fn, arg));
	*find_slot(log, actor) = (struct slot){ .actor = actor, .number = log->nr_actors };
	log->nr_actors++;
	record(REQUEST_SPAWN, cpu, start - engine_now(engine));
	return actor;
}

int __wrap_engine_run(struct engine *engine, struct error *err)
{
	if (recording)
		record(REQUEST_END, 0, 0);
	return __real_engine_run(engine, err);
}

void __wrap_actor_sleep_until(struct engine *engine, sim_ps date)
{
	if (recording) {
		record(REQUEST_SLEEP, 0, date - engine_now(engine));
		recording->nr_steps += date > engine_now(engine);
	}
	__real_actor_sleep_until(engine, date);
}

void __wrap_actor_park(struct engine *engine, const char *waits_for)
{
	if (recording) {
		record(REQUEST_PARK, 0, 0);
		recording->nr_steps++;
	}
	__real_actor_park(engine, waits_for);
}

void __wrap_actor_wake(struct engine *engine, struct actor *actor, sim_ps date)
{
	if (recording)
		record(REQUEST_WAKE, find_slot(recording, actor)->number, date - engine_now(engine));
	__real_actor_wake(engine, actor, date);
}

void __wrap_engine_call(struct engine *engine, int cpu, sim_ps date, engine_fn *fn, void *arg)
{
	if (!recording) {
		__real_engine_call(engine, cpu, date, fn, arg);
		return;
	}
	record(REQUEST_CALL, cpu, date - engine_now(engine));
	recording->nr_steps++;
	__real_engine_call(engine, cpu, date, run_body, body_create(engine, fn, arg));
}

static void replay_body(void *arg)
{
	struct replay *replay = arg;
	struct engine *engine = replay->engine;

	for (;;) {
		const struct request request = *replay->next++;
		const sim_ps date = engine_now(engine) + (sim_ps)request.delay_ps;

		switch ((enum request_kind)request.kind) {
		case REQUEST_SPAWN:
			replay->actors[replay->nr_actors++] =
				engine_spawn(engine, (int)request.who, "recorded", date, replay_body, replay);
			break;
		case REQUEST_SLEEP:
			actor_sleep_until(engine, date);
			break;
		case REQUEST_PARK:
			actor_park(engine, "its recorded wake");
			break;
		case REQUEST_WAKE:
			actor_wake(engine, replay->actors[request.who], date);
			break;
		case REQUEST_CALL:
			engine_call(engine, (int)request.who, date, replay_body, replay);
			break;
		case REQUEST_END:
			return;
		}
	}
}

struct request_log *request_log_create(void)
{
	return checked(calloc(1, sizeof(struct request_log)));
}

void request_log_destroy(struct request_log *log)
{
	free(log->requests);
	free(log);
}

void request_log_record(struct request_log *log)
{
	recording = log;
}

uint64_t request_log_nr_steps(const struct request_log *log)
{
	return log->nr_steps;
}

int request_log_replay(const struct request_log *log, enum engine_kind kind, struct error *err)
{
	struct replay replay = { .next = log->requests };
	int status;

	replay.engine = engine_create(kind, log->nr_cpus, err);
	if (!replay.engine)
		return -1;
	replay_body(&replay);
	status = engine_run(replay.engine, err);
	if (!status && (replay.next != log->requests + log->nr_requests || engine_now(replay.engine) != log->end))
		status = error_plain(err, "the engine alone did not end as it did with the model");
	engine_destroy(replay.engine);
	return status;
}
