/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random programs of actors that sleep, park, wake, call, spawn and move, on few
 * CPUs and close dates, so that many events meet. Every event knows when, where
 * and by which request it must come; a program keeps the order when its log is
 * strictly ascending by (date, CPU, request) and nothing is missing.
 */
#include "sim/engine/engine.h"

#include "sim/util/arena.h"
#include "sim/util/rng.h"
#include "tests/support/forked.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Under AddressSanitizer each actor is a thread, which takes a hundred times as long. */
#ifdef __SANITIZE_ADDRESS__
#define MOST 256
#define SEEDS 2
#else
#define MOST 4096
#define SEEDS 8
#endif

struct shape {
	const char *what;
	enum engine_kind engine;
	int nr_cpus;
	int nr_actors;
	int nr_steps; /* of each actor */
	sim_ps spread_ps; /* how far ahead events are at most */
	uint64_t nr_hops; /* how often a call calls again, at most */
	uint64_t nr_seeds;
};

/* An event to come, by the test's own books. */
struct expected {
	sim_ps date;
	int cpu;
	uint64_t request;
};

struct walker;

struct program {
	struct arena *arena;
	struct engine *engine;
	const struct shape *shape;
	struct rng rng;
	struct expected last; /* the event that ran last */
	uint64_t nr_requests;
	uint64_t nr_events;
	uint64_t nr_wrong;
	uint64_t hash; /* of all events in their order */
	struct walker *walkers;
	int nr_walkers;
};

/* An actor of the program. */
struct walker {
	struct program *program;
	struct actor *actor;
	int cpu;
	int left;
	struct expected next;
};

/* A call of the program. */
struct errand {
	struct program *program;
	struct walker *sleeper; /* to be woken, or NULL */
	int left; /* how often it calls again */
	struct expected next;
};

static struct expected request(struct program *program, int cpu)
{
	sim_ps ahead = rng_between(&program->rng, 1, program->shape->spread_ps);

	return (struct expected){ engine_now(program->engine) + ahead, cpu, program->nr_requests++ };
}

static int some_cpu(struct program *program)
{
	return (int)rng_below(&program->rng, (uint64_t)program->shape->nr_cpus);
}

static bool is_after(const struct expected *a, const struct expected *b)
{
	if (a->date != b->date)
		return a->date > b->date;
	return a->cpu != b->cpu ? a->cpu > b->cpu : a->request > b->request;
}

/* An event has come: is it its date, and after all before it? */
static void arrive(struct program *program, const struct expected *event)
{
	bool right = engine_now(program->engine) == event->date;

	if (program->nr_events++)
		right = right && is_after(event, &program->last);
	program->nr_wrong += !right;
	program->last = *event;
	program->hash = rng_mix(program->hash ^ rng_mix((uint64_t)event->date ^ (event->request << 40)));
}

/* Half of the time; a walker that runs, or is parked. */
static void may_move(struct walker *walker)
{
	struct program *program = walker->program;

	if (rng_below(&program->rng, 2))
		return;
	walker->cpu = some_cpu(program);
	actor_move(program->engine, walker->actor, walker->cpu);
}

static void wake(struct walker *walker)
{
	walker->next = request(walker->program, walker->cpu);
	actor_wake(walker->program->engine, walker->actor, walker->next.date);
}

static void run_errand(void *arg)
{
	struct errand *errand = arg;
	struct program *program = errand->program;

	arrive(program, &errand->next);
	if (errand->left-- > 0) {
		errand->next = request(program, some_cpu(program));
		engine_call(program->engine, errand->next.cpu, errand->next.date, run_errand, errand);
	} else if (errand->sleeper) {
		may_move(errand->sleeper);
		wake(errand->sleeper);
	}
}

static void send_errand(struct program *program, struct walker *sleeper)
{
	struct errand *errand = arena_alloc(program->arena, sizeof(*errand));

	*errand = (struct errand){ .program = program, .sleeper = sleeper };
	errand->left = (int)rng_below(&program->rng, program->shape->nr_hops + 1);
	errand->next = request(program, some_cpu(program));
	engine_call(program->engine, errand->next.cpu, errand->next.date, run_errand, errand);
}

static void park(struct walker *walker)
{
	send_errand(walker->program, walker);
	actor_park(walker->program->engine, "an errand");
}

/* Wakes oneself before the park: it must last until that date, in the place of the wake. */
static void park_awaited(struct walker *walker)
{
	wake(walker);
	may_move(walker);
	walker->next.cpu = walker->cpu;
	send_errand(walker->program, NULL);
	actor_park(walker->program->engine, "nobody");
}

static void doze(struct walker *walker)
{
	may_move(walker);
	walker->next = request(walker->program, walker->cpu);
	actor_sleep_until(walker->program->engine, walker->next.date);
}

static void spawn(struct program *program, engine_fn *fn)
{
	struct walker *walker = &program->walkers[program->nr_walkers++];

	walker->program = program;
	walker->cpu = some_cpu(program);
	walker->next = request(program, walker->cpu);
	walker->actor = engine_spawn(program->engine, walker->cpu, "walker", walker->next.date, fn, walker);
}

static void walk(void *arg)
{
	static void (*const steps[])(struct walker *) = { doze, park, park_awaited };
	struct walker *walker = arg;
	struct program *program = walker->program;

	arrive(program, &walker->next);
	for (int i = 0; i < program->shape->nr_steps; i++) {
		if (program->nr_walkers < program->shape->nr_actors)
			spawn(program, walk);
		steps[rng_below(&program->rng, 3)](walker);
		arrive(program, &walker->next);
	}
}

/* Keeps the run alive until every event has come. */
static void outlast(void *arg)
{
	actor_sleep_until(arg, PS_PER_MS);
}

static void program_run(FILE *record, const struct shape *shape, uint64_t seed)
{
	struct program program = { .shape = shape, .rng = rng_stream(seed, 0) };
	struct error err = { .text = "" };

	program.arena = arena_create();
	program.walkers = arena_calloc(program.arena, (size_t)shape->nr_actors, sizeof(*program.walkers));
	program.engine = engine_create(shape->engine, shape->nr_cpus, &err);
	engine_spawn(program.engine, 0, "outlast", 1, outlast, program.engine);
	while (program.nr_walkers < (shape->nr_actors + 1) / 2)
		spawn(&program, walk);
	if (engine_run(program.engine, &err) || program.nr_wrong || program.nr_events != program.nr_requests)
		fprintf(record,
			"WRONG with seed %" PRIu64 ": %" PRIu64 " of %" PRIu64 " events out of order, %" PRIu64
			" ran; %s\n",
			seed, program.nr_wrong, program.nr_requests, program.nr_events, err.text);
	fprintf(record, "%016" PRIx64 "\n", program.hash);
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
	{ "one CPU", .nr_cpus = 1, .nr_actors = 12, .nr_steps = 40, .spread_ps = 5, .nr_hops = 3, .nr_seeds = SEEDS },
	{ "two CPUs, always the next date", .nr_cpus = 2, .nr_actors = 12, .nr_steps = 40, .spread_ps = 1, .nr_hops = 3,
	  .nr_seeds = SEEDS },
	{ "few CPUs", .nr_cpus = 5, .nr_actors = 40, .nr_steps = 40, .spread_ps = 10, .nr_hops = 3, .nr_seeds = SEEDS },
	{ "long chains of calls", .nr_cpus = 5, .nr_actors = 8, .nr_steps = 10, .spread_ps = 20, .nr_hops = 200,
	  .nr_seeds = 2 },
	{ "many CPUs", .nr_cpus = 768, .nr_actors = 768, .nr_steps = 4, .spread_ps = 10, .nr_hops = 1, .nr_seeds = 1 },
	{ "all CPUs", .nr_cpus = MOST, .nr_actors = MOST, .nr_steps = 2, .spread_ps = 10, .nr_hops = 0, .nr_seeds = 1 },
	{ "all actors on one CPU", .nr_cpus = 1, .nr_actors = MOST, .nr_steps = 2, .spread_ps = 3, .nr_hops = 0,
	  .nr_seeds = 1 },
};

/* The hashes of all its seeds. */
static struct forked shape_run(const struct shape *shape, enum engine_kind engine)
{
	struct shape on_engine = *shape;

	on_engine.engine = engine;
	return forked_run(program_run_seeds, &on_engine);
}

static void shape_check(const struct shape *shape, const struct forked *forked)
{
	if (strstr(forked->record, "WRONG") || forked->status)
		print_error("%s: status %d\n%s%s", shape->what, forked->status, forked->record, forked->stderr_text);
	assert_null(strstr(forked->record, "WRONG"));
	assert_int_equal(forked->status, 0);
	assert_string_equal(forked->stderr_text, "");
	assert_true(strlen(forked->record) >= 17 * shape->nr_seeds);
}

static void random_programs_run_by_date_and_cpu_and_request_alike_on_both_engines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct forked fast = shape_run(&shapes[i], ENGINE_FAST);
		struct forked simgrid = shape_run(&shapes[i], ENGINE_SIMGRID);

		shape_check(&shapes[i], &fast);
		shape_check(&shapes[i], &simgrid);
		assert_string_equal(fast.record, simgrid.record);
		forked_free(&fast);
		forked_free(&simgrid);
	}
}

static void the_same_program_runs_the_same_twice(void **state)
{
	(void)state;
	for (size_t i = 0; i < 6; i++) {
		struct forked once = shape_run(&shapes[i % 3], (enum engine_kind)(i / 3));
		struct forked again = shape_run(&shapes[i % 3], (enum engine_kind)(i / 3));

		shape_check(&shapes[i % 3], &once);
		assert_string_equal(once.record, again.record);
		forked_free(&once);
		forked_free(&again);
	}
}

#define NR_SLEEPERS 16
#define NR_SLEEPS 6250 /* of each */

struct sleeper {
	struct engine *engine;
	struct rng rng;
	int nr_exact;
};

static void sleep_often(void *arg)
{
	struct sleeper *sleeper = arg;

	for (int i = 0; i < NR_SLEEPS; i++) {
		sim_ps until = engine_now(sleeper->engine) + rng_between(&sleeper->rng, 1, PS_PER_MS);

		actor_sleep_until(sleeper->engine, until);
		sleeper->nr_exact += engine_now(sleeper->engine) == until;
	}
}

static void run_sleepers(FILE *record, const void *arg)
{
	struct sleeper sleepers[NR_SLEEPERS];
	const enum engine_kind *kind = arg;
	struct engine *engine = engine_create(*kind, 768, NULL);
	int nr_exact = 0;

	for (int i = 0; i < NR_SLEEPERS; i++) {
		sleepers[i] = (struct sleeper){ .engine = engine, .rng = rng_stream(7, (uint64_t)i) };
		engine_spawn(engine, i * 47, "sleeper", 1, sleep_often, &sleepers[i]);
	}
	engine_run(engine, NULL);
	for (int i = 0; i < NR_SLEEPERS; i++)
		nr_exact += sleepers[i].nr_exact;
	fprintf(record, "%d", nr_exact);
	engine_destroy(engine);
}

static void a_hundred_thousand_sleeps_are_exact(void **state)
{
	static const enum engine_kind kinds[] = { ENGINE_FAST, ENGINE_SIMGRID };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct forked forked = forked_run(run_sleepers, &kinds[i]);

		assert_string_equal(forked.record, "100000");
		assert_int_equal(forked.status, 0);
		forked_free(&forked);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_programs_run_by_date_and_cpu_and_request_alike_on_both_engines),
		cmocka_unit_test(the_same_program_runs_the_same_twice),
		cmocka_unit_test(a_hundred_thousand_sleeps_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
