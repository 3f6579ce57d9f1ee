/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Between engine.c, which keeps the promises of engine.h that hold for every
 * engine, and the engines themselves: one file and one row in engine.c each.
 *
 * The code of an actor between two blocking points, and a whole call, is a
 * step. An engine knows only steps: it runs each at its date, by CPU and then
 * by request number. Sleeping, waking, spawning, deadlocks and errors are
 * engine.c's, and so is every check: dates reach an engine already moved past
 * now and within date_max_ps.
 */
#ifndef CONTEND_ENGINE_ENGINE_OPS_H
#define CONTEND_ENGINE_ENGINE_OPS_H

#include <stddef.h>

#include "sim/engine/engine.h"
#include "sim/engine/fiber_stack.h"
#include "sim/util/arena.h"

/* What a step must follow: its date, and its place among the requests. */
struct due {
	sim_ps date;
	uint64_t request;
};

/* What an actor was spawned with. */
struct actor_origin {
	struct actor *next; /* in the order of spawning */
	const char *name;
	engine_fn *fn;
	void *arg;
};

/* What every step looks at: short, because with thousands of actors it is not in the near caches. */
struct actor {
	struct engine *engine;
	const char *waits_for; /* parked: for what; else NULL */
	struct due wake; /* whose step has not begun; date 0: none */
	int cpu;
	bool finished;
	struct actor_origin *origin; /* NULL: no actor but an engine's own, for a call */
};

struct engine_spare {
	struct fiber_stacks stacks;
};

/* An engine's own struct begins with this. */
struct engine {
	const struct engine_ops *ops;
	struct arena *arena; /* holds the engine and all its actors */
	struct engine_spare *spare; /* NULL: none */
	int nr_cpus;
	sim_ps now;
	sim_ps date_max_ps; /* set by open */
	struct actor *self; /* whose step runs; NULL in a call */
	uint64_t nr_requests;
	struct actor *actors;
	struct actor **actors_end;
	int nr_alive; /* actors that have not returned */
	bool running;
	bool failed;
	struct error error;
};

struct engine_ops {
	size_t engine_bytes;
	size_t actor_bytes; /* of the engine's own struct, which begins with struct actor */

	/* Prepare an engine that is zeroed but for the fields above. Fills err and returns -1 on failure. */
	int (*open)(struct engine *engine, struct error *err);

	/* Let go of all that is not in the arena. */
	void (*close)(struct engine *engine);

	/* Run steps until no actor is alive or stop was called. */
	void (*run)(struct engine *engine);

	/* The next step of an actor, which has none. */
	void (*schedule)(struct actor *actor, struct due due);

	/* End the running step of this actor; returns when the next one begins. */
	void (*block)(struct actor *actor);

	/* Both: the running actor's next step is the one that it waits for. */
	void (*sleep)(struct actor *actor, struct due due);

	/* A call as a step of a CPU. */
	void (*call)(struct engine *engine, int cpu, struct due due, engine_fn *fn, void *arg);

	/* Abandon the running step and every other: run returns, this does not. */
	void (*stop)(struct engine *engine);
};

extern const struct engine_ops engine_fast_ops;
extern const struct engine_ops engine_simgrid_ops;

/* No further step may begin. */
static inline bool engine_is_over(const struct engine *engine)
{
	return engine->failed || !engine->nr_alive;
}

/* An engine calls this when the step of `request` begins. A wake that asked for it has had its effect. */
static inline void actor_begin_step(struct actor *actor, uint64_t request)
{
	if (actor->wake.request == request)
		actor->wake.date = 0;
}

/* An engine calls this for an actor's first step; returns when the actor has, and is dead. */
void actor_execute(struct actor *actor);

/* An engine calls this at the end of a step with actors alive and no step to come. Does not return. */
void engine_deadlock(struct engine *engine);

#endif
