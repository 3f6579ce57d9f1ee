/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engine: simulated time and actors. This is all that models see of it.
 *
 * An actor is ordinary blocking C on a stack of its own and belongs to one
 * simulated CPU, another one after actor_move. Exactly one actor or call runs
 * at a time, until it blocks, so model state needs no locks; the clock moves
 * only while an actor blocks.
 *
 * Order. Events of one date run by ascending CPU, and events of one (date,
 * CPU) in the order in which they were requested. Every wake and call takes
 * effect at least 1 ps after its request, so what happens at a date is settled
 * before the date starts. Every engine keeps this order, so every engine gives
 * the same bytes.
 */
#ifndef CONTEND_ENGINE_ENGINE_H
#define CONTEND_ENGINE_ENGINE_H

#include <stdbool.h>

#include "sim/util/arena.h"
#include "sim/util/error.h"
#include "sim/util/units.h"

struct engine;
struct actor;

typedef void engine_fn(void *arg);

enum engine_kind {
	ENGINE_FAST, /* the default */
	ENGINE_SIMGRID, /* the reference: slower by an order of magnitude */
};

/*
 * An engine for CPUs 0 .. nr_cpus - 1, at date 0. One engine per process at a time; a process may have several one after
 * the other, or create one after a fork. The SimGrid engine never sees the user's command line. Fails (NULL) when the
 * engine cannot start.
 */
struct engine *engine_create(enum engine_kind kind, int nr_cpus, struct error *err);

/*
 * What an engine leaves for the next one of its process: memory that is dear to get (the fast engine's stacks are half of
 * what a short run of hundreds of CPUs costs). For a process that makes one run after the other.
 */
struct engine_spare;

struct engine_spare *engine_spare_create(struct arena *arena);
void engine_spare_destroy(struct engine_spare *spare); /* once no engine uses it; NULL is fine */

/* Take from `spare` what there is, and leave it there in the end. Before engine_run; NULL is fine. */
void engine_use_spare(struct engine *engine, struct engine_spare *spare);

/* Frees the engine and every actor, finished or not. NULL is fine. */
void engine_destroy(struct engine *engine);

/*
 * A new actor of a CPU that starts fn(arg) at `start` (>= 1 ps after now). `name` goes into deadlock reports and must
 * outlive the engine. Callable before engine_run and from actors and calls.
 */
struct actor *engine_spawn(struct engine *engine, int cpu, const char *name, sim_ps start, engine_fn *fn, void *arg);

/*
 * Run until every actor has returned. Fails when actors remain that nobody will wake (deadlock): the text names them
 * and what `describe` says each waits for; also when a date exceeds what the engine can hold. Not to be called twice.
 */
int engine_run(struct engine *engine, struct error *err);

/* The current date. */
sim_ps engine_now(const struct engine *engine);

/* The actor that runs now, or NULL inside a call or outside engine_run. */
struct actor *engine_self(const struct engine *engine);

/* Block the running actor until `date`; returns at once when date <= now. */
void actor_sleep_until(struct engine *engine, sim_ps date);

/*
 * Block the running actor until somebody wakes it. `waits_for` says in a few words what for (deadlock report; must
 * stay valid while parked). A wake requested earlier and not yet consumed is consumed: the actor then sleeps until that
 * wake's date at most.
 */
void actor_park(struct engine *engine, const char *waits_for);

/*
 * Make `actor`'s current or next park end at `date` (>= now + 1 ps; earlier dates are moved there). At most one wake
 * may be outstanding per actor. Does not block.
 */
void actor_wake(struct engine *engine, struct actor *actor, sim_ps date);

/*
 * `actor` belongs to another CPU from now on: its next step is an event of that one. The actor must be running, or parked
 * with no wake outstanding. Does not block.
 */
void actor_move(struct engine *engine, struct actor *actor, int cpu);

/* A parked actor with no wake outstanding waits for something else than it said (deadlock report; as for actor_park). */
void actor_waits_for(struct actor *actor, const char *waits_for);

/*
 * Run fn(arg) at `date` (>= now + 1 ps; earlier dates are moved there) as an event of `cpu`. fn must not block. Calls
 * still pending when the last actor returns are dropped.
 */
void engine_call(struct engine *engine, int cpu, sim_ps date, engine_fn *fn, void *arg);

/*
 * A failure found by a model (an actor that ends while holding a lock, time running back): engine_run stops at once and
 * returns this error. The first one counts. Does not return when an actor or a call is running.
 */
void engine_fail(struct engine *engine, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
