/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What every engine has in common. An actor's life in steps:
 *
 *	spawned -> step -> asleep -> step ...          until the date asked for
 *	                -> parked -> (woken) -> step    until the date of the wake
 *	                -> finished
 *
 * A wake stays in actor->wake until the step that it asked for begins. One that
 * comes before the park keeps its place in the order, as if the park had been
 * there first.
 */
#include "sim/engine/engine.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "sim/engine/engine_ops.h"
#include "sim/util/arena.h"

#define DATE_TEXT_BYTES 40
#define DEADLOCK_ACTORS 8

static const struct engine_ops *const engines[] = {
	[ENGINE_FAST] = &engine_fast_ops,
	[ENGINE_SIMGRID] = &engine_simgrid_ops,
};

/* Exact, in microseconds: "12.345 us". */
static const char *date_print(sim_ps date, char text[DATE_TEXT_BYTES])
{
	int bytes = snprintf(text, DATE_TEXT_BYTES, "%" PRId64, date / PS_PER_US);

	if (date % PS_PER_US) {
		bytes += snprintf(text + bytes, DATE_TEXT_BYTES - (size_t)bytes, ".%06" PRId64, date % PS_PER_US);
		while (text[bytes - 1] == '0')
			bytes--;
	}
	snprintf(text + bytes, DATE_TEXT_BYTES - (size_t)bytes, " us");
	return text;
}

/* A new request for a step at `date`; beyond the engine's range the run fails. */
static struct due due_at(struct engine *engine, sim_ps date)
{
	char wanted[DATE_TEXT_BYTES];
	char longest[DATE_TEXT_BYTES];

	date = ps_max(date, engine->now + 1);
	if (date > engine->date_max_ps) {
		engine_fail(engine, "a date of %s is beyond the longest possible run, %s with %d CPUs",
			    date_print(date, wanted), date_print(engine->date_max_ps, longest), engine->nr_cpus);
		date = engine->date_max_ps;
	}
	return (struct due){ .date = date, .request = engine->nr_requests++ };
}

struct engine *engine_create(enum engine_kind kind, int nr_cpus, struct error *err)
{
	const struct engine_ops *ops = engines[kind];
	struct arena *arena = arena_create();
	struct engine *engine = arena_alloc(arena, ops->engine_bytes);

	assert(nr_cpus > 0);
	engine->ops = ops;
	engine->arena = arena;
	engine->nr_cpus = nr_cpus;
	engine->actors_end = &engine->actors;
	if (ops->open(engine, err)) {
		arena_destroy(arena);
		return NULL;
	}
	return engine;
}

struct engine_spare *engine_spare_create(struct arena *arena)
{
	return arena_alloc(arena, sizeof(struct engine_spare));
}

void engine_spare_destroy(struct engine_spare *spare)
{
	if (spare)
		fiber_stacks_destroy(&spare->stacks);
}

void engine_use_spare(struct engine *engine, struct engine_spare *spare)
{
	engine->spare = spare;
}

void engine_destroy(struct engine *engine)
{
	if (!engine)
		return;
	engine->ops->close(engine);
	arena_destroy(engine->arena);
}

struct actor *engine_spawn(struct engine *engine, int cpu, const char *name, sim_ps start, engine_fn *fn, void *arg)
{
	struct actor *actor = arena_alloc_lines(engine->arena, engine->ops->actor_bytes);
	struct due due = due_at(engine, start);

	assert(cpu >= 0 && cpu < engine->nr_cpus);
	actor->engine = engine;
	actor->cpu = cpu;
	actor->origin = arena_alloc(engine->arena, sizeof(*actor->origin));
	*actor->origin = (struct actor_origin){ .name = name, .fn = fn, .arg = arg };
	*engine->actors_end = actor;
	engine->actors_end = &actor->origin->next;
	engine->nr_alive++;
	engine->ops->schedule(actor, due);
	return actor;
}

int engine_run(struct engine *engine, struct error *err)
{
	if (!engine->failed && engine->nr_alive) {
		engine->running = true;
		engine->ops->run(engine);
		engine->running = false;
	}
	engine->self = NULL;
	if (engine->failed)
		return error_plain(err, "%s", engine->error.text);
	assert(!engine->nr_alive);
	return 0;
}

sim_ps engine_now(const struct engine *engine)
{
	return engine->now;
}

struct actor *engine_self(const struct engine *engine)
{
	return engine->self;
}

void actor_sleep_until(struct engine *engine, sim_ps date)
{
	struct actor *self = engine->self;

	assert(self);
	if (date <= engine->now)
		return;
	engine->ops->sleep(self, due_at(engine, date));
}

void actor_park(struct engine *engine, const char *waits_for)
{
	struct actor *self = engine->self;

	assert(self && waits_for);
	if (!self->wake.date) {
		self->waits_for = waits_for;
		engine->ops->block(self);
	} else if (self->wake.date > engine->now) {
		engine->ops->sleep(self, self->wake);
	} else {
		self->wake.date = 0;
	}
}

void actor_wake(struct engine *engine, struct actor *actor, sim_ps date)
{
	assert(!actor->wake.date);
	actor->wake = due_at(engine, date);
	if (!actor->waits_for)
		return;
	actor->waits_for = NULL;
	engine->ops->schedule(actor, actor->wake);
}

void actor_move(struct engine *engine, struct actor *actor, int cpu)
{
	assert(actor == engine->self || actor->waits_for);
	assert(cpu >= 0 && cpu < engine->nr_cpus);
	actor->cpu = cpu;
}

void actor_waits_for(struct actor *actor, const char *waits_for)
{
	assert(actor->waits_for && waits_for);
	actor->waits_for = waits_for;
}

void engine_call(struct engine *engine, int cpu, sim_ps date, engine_fn *fn, void *arg)
{
	assert(cpu >= 0 && cpu < engine->nr_cpus);
	engine->ops->call(engine, cpu, due_at(engine, date), fn, arg);
}

void engine_fail(struct engine *engine, const char *format, ...)
{
	char text[ERROR_TEXT_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!engine->failed)
		error_plain(&engine->error, "%s", text);
	engine->failed = true;
	if (engine->running)
		engine->ops->stop(engine);
}

void actor_execute(struct actor *actor)
{
	actor->origin->fn(actor->origin->arg);
	actor->finished = true;
	actor->engine->nr_alive--;
}

void engine_deadlock(struct engine *engine)
{
	char date[DATE_TEXT_BYTES];
	struct error report;
	int nr = 0;

	error_plain(&report, "deadlock at %s: ", date_print(engine->now, date));
	for (struct actor *actor = engine->actors; actor; actor = actor->origin->next) {
		if (actor->finished || nr++ >= DEADLOCK_ACTORS)
			continue;
		error_append(&report, "%scpu %d '%s' waits for %s", nr > 1 ? "; " : "", actor->cpu, actor->origin->name,
			     actor->waits_for);
	}
	if (nr > DEADLOCK_ACTORS)
		error_append(&report, "; and %d more", nr - DEADLOCK_ACTORS);
	engine_fail(engine, "%s", report.text);
}
