/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fast engine: steps in a heap, actors as fibers.
 *
 * There is no scheduler to return to. Who blocks takes the next step from the
 * heap and switches to its fiber straight away: one switch per step, none when
 * the next step is its own. Calls need no stack of their own: whoever finds one
 * in the heap runs it where it is.
 *
 *	spawned -> in the heap -> first step: gets a stack -> blocked, in the heap -> step ...
 *	                                                   -> over: its stack goes back to the pool
 *
 * All of the pool goes when the engine does, with whatever actors are left.
 */
#include "sim/engine/engine_ops.h"

#include <assert.h>

#include "sim/engine/fiber.h"
#include "sim/engine/step_heap.h"

#define CACHE_LINE_BYTES 64
#define MANY_STEPS 512 /* pending: actors have left the near caches when their next step comes */

/* Up to the fiber's context it is what a step needs, in one cache line. */
struct runner {
	struct actor actor;
	uint64_t place; /* of its step; it has one at most */
	struct fiber fiber;
	struct call {
		engine_fn *fn;
		void *arg;
		struct runner *next; /* in the pool */
	} call;
};

static_assert(offsetof(struct runner, fiber.stack) <= CACHE_LINE_BYTES,
	      "a step needs more than one line of its runner");

struct fast {
	struct engine engine;
	struct step_heap heap;
	struct fiber_stacks own_stacks;
	struct fiber_stacks *stacks; /* these, or the spare ones */
	struct fiber outside; /* who called engine_run */
	struct fiber starter; /* runs until the first step of an actor: the calls before it may fail like any other */
	struct fiber *running;
	fiber_fn *main; /* of every actor */
	struct runner *calls; /* that have been made */
};

static struct fast *fast_of(struct engine *engine)
{
	return (struct fast *)engine;
}

static struct runner *runner_of(struct actor *actor)
{
	return (struct runner *)actor;
}

static struct step step_at(struct actor *actor, struct due due)
{
	struct runner *runner = runner_of(actor);

	runner->place = step_place(actor->cpu, due.request);
	return (struct step){ .date = due.date, .place = &runner->place };
}

/* Whose step. */
static struct runner *step_runner(struct step step)
{
	return (struct runner *)(void *)((char *)step.place - offsetof(struct runner, place));
}

/* Have the top of an actor's stack in the cache by the time of its step: with thousands of them it has left all near ones. */
static inline void prefetch_stack(const struct runner *runner, int nr_lines)
{
	const char *context = runner->fiber.context;

	for (int line = 0; line < nr_lines; line++)
		__builtin_prefetch(context + (ptrdiff_t)line * CACHE_LINE_BYTES);
}

/* The heap holds a step: else actors wait that nobody will wake. */
static void expect_step(struct fast *fast)
{
	if (!fast->heap.nr_steps)
		engine_deadlock(&fast->engine);
}

static struct step next_step(struct fast *fast)
{
	expect_step(fast);
	return step_heap_take(&fast->heap);
}

/* Make the calls that come before the first step of an actor, beginning with that of `step`. */
static struct step make_calls(struct fast *fast, struct step step)
{
	struct runner *call = step_runner(step);

	fast->engine.self = NULL;
	do {
		fast->engine.now = step.date;
		call->call.next = fast->calls;
		fast->calls = call;
		call->call.fn(call->call.arg);
		step = next_step(fast);
		call = step_runner(step);
	} while (!call->actor.origin);
	return step;
}

/* The clock and self become those of `step` or, if that is a call, of the first step after it that is none. */
static inline struct fiber *begin_step(struct fast *fast, struct step step)
{
	struct runner *runner = step_runner(step);

	if (!runner->actor.origin) {
		step = make_calls(fast, step);
		runner = step_runner(step);
	}
	if (!runner->fiber.context)
		fiber_prepare(&runner->fiber, fast->stacks, fast->main, runner);
	/* the root is likely to be next, and one of its children after that; in a function of its own this would be slower */
	if (fast->heap.nr_steps > MANY_STEPS) {
		for (size_t child = 1; child <= STEP_HEAP_CHILDREN; child++)
			__builtin_prefetch(step_runner(fast->heap.steps[child]));
	}
	if (fast->heap.nr_steps)
		prefetch_stack(step_runner(fast->heap.steps[0]), 2);
	actor_begin_step(&runner->actor, step_request(runner->place));
	fast->engine.now = step.date;
	fast->engine.self = &runner->actor;
	fast->running = &runner->fiber;
	return &runner->fiber;
}

static void fast_block(struct actor *actor)
{
	struct fast *fast = fast_of(actor->engine);
	struct fiber *next = begin_step(fast, next_step(fast));

	if (next != &runner_of(actor)->fiber)
		fiber_switch(&runner_of(actor)->fiber, next);
}

static void fast_sleep(struct actor *actor, struct due due)
{
	struct fast *fast = fast_of(actor->engine);
	struct step own = step_at(actor, due);
	struct fiber *next = begin_step(fast, step_heap_exchange(&fast->heap, own));

	if (next != &runner_of(actor)->fiber)
		fiber_switch(&runner_of(actor)->fiber, next);
}

/* An actor from its first step to its last. */
static void runner_main(void *arg)
{
	struct runner *runner = arg;
	struct fast *fast = fast_of(runner->actor.engine);
	struct fiber *next = &fast->outside;

	actor_execute(&runner->actor);
	if (!engine_is_over(&fast->engine))
		next = begin_step(fast, next_step(fast));
	fiber_leave(&runner->fiber, fast->stacks, next);
}

static void starter_main(void *arg)
{
	struct fast *fast = arg;

	fiber_leave(&fast->starter, fast->stacks, begin_step(fast, next_step(fast)));
}

static void fast_schedule(struct actor *actor, struct due due)
{
	prefetch_stack(runner_of(actor), 3);
	step_heap_add(&fast_of(actor->engine)->heap, step_at(actor, due));
}

static void fast_call(struct engine *engine, int cpu, struct due due, engine_fn *fn, void *arg)
{
	struct fast *fast = fast_of(engine);
	struct runner *call = fast->calls;

	if (call)
		fast->calls = call->call.next;
	else
		call = arena_alloc_lines(engine->arena, sizeof(*call));
	call->actor = (struct actor){ .engine = engine, .cpu = cpu };
	call->call = (struct call){ .fn = fn, .arg = arg };
	fast_schedule(&call->actor, due);
}

static int fast_open(struct engine *engine, struct error *err)
{
	(void)err;
	fast_of(engine)->main = runner_main;
	engine->date_max_ps = INT64_MAX - 1;
	return 0;
}

static void fast_close(struct engine *engine)
{
	struct fast *fast = fast_of(engine);

	step_heap_destroy(&fast->heap);
	if (engine->spare)
		fiber_stacks_reclaim(&engine->spare->stacks);
	fiber_stacks_destroy(&fast->own_stacks);
}

static void fast_run(struct engine *engine)
{
	struct fast *fast = fast_of(engine);

	fast->stacks = engine->spare ? &engine->spare->stacks : &fast->own_stacks;
	fiber_prepare(&fast->starter, fast->stacks, starter_main, fast);
	fast->running = &fast->starter;
	fiber_switch(&fast->outside, &fast->starter);
}

static void fast_stop(struct engine *engine)
{
	struct fast *fast = fast_of(engine);

	fiber_switch(fast->running, &fast->outside);
}

const struct engine_ops engine_fast_ops = {
	.engine_bytes = sizeof(struct fast),
	.actor_bytes = sizeof(struct runner),
	.open = fast_open,
	.close = fast_close,
	.run = fast_run,
	.schedule = fast_schedule,
	.block = fast_block,
	.sleep = fast_sleep,
	.call = fast_call,
	.stop = fast_stop,
};
