/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The promises of engine.h. Most cases are scripts, one per actor, and the
 * record that they must leave; each runs in a process of its own.
 */
#include "sim/engine/engine.h"

#include "tests/support/forked.h"

#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define NR_CPUS 8
#define MAX_STEPS 8
#define MAX_SCRIPTS 12

enum verb {
	END,
	SLEEP, /* until date */
	PARK,
	WAKE, /* actor `target` at date */
	CALL, /* on CPU `target` at date */
	SPAWN, /* actor `target` at date */
	MOVE, /* to CPU `target` */
	FETCH, /* the parked actor `target` to the own CPU */
	RENAME, /* what the parked actor `target` waits for */
	FAIL,
	FAILING_CALL, /* on CPU `target` at date */
};

struct step {
	enum verb verb;
	sim_ps date;
	int target;
};

/* An actor notes "name@date" when it starts and after each step that may block, its calls note "name()@date". */
struct script {
	const char *name; /* NULL ends a list */
	int cpu;
	sim_ps start; /* 0: another actor spawns it */
	struct step steps[MAX_STEPS];
};

/* clang-format off */
#define NOTHING { { END, 0, 0 } }
#define PARKED(name, cpu) { name, cpu, 1, { { PARK, 0, 0 } } }
/* clang-format on */

struct script_case {
	const char *what;
	const char *record; /* ends in "ok", or in the error */
	struct script scripts[MAX_SCRIPTS];
};

struct role {
	struct play *play;
	const struct script *script;
	struct actor *actor;
};

struct play {
	struct engine *engine;
	FILE *record;
	struct role roles[MAX_SCRIPTS];
};

static void note(const struct role *role, const char *suffix)
{
	const struct engine *engine = role->play->engine;

	fprintf(role->play->record, "%s%s@%" PRId64 " ", role->script->name, suffix, engine_now(engine));
}

static void note_call(void *arg)
{
	struct role *role = arg;

	note(role, engine_self(role->play->engine) ? "() as an actor" : "()");
}

static void fail_call(void *arg)
{
	struct role *role = arg;

	engine_fail(role->play->engine, "the call of %s gives up", role->script->name);
	note(role, " went on");
}

static void step_request(struct role *role, const struct step *step)
{
	struct engine *engine = role->play->engine;

	switch (step->verb) {
	case WAKE:
		actor_wake(engine, role->play->roles[step->target].actor, step->date);
		break;
	case MOVE:
		actor_move(engine, role->actor, step->target);
		break;
	case FETCH:
		actor_move(engine, role->play->roles[step->target].actor, role->script->cpu);
		break;
	case RENAME:
		actor_waits_for(role->play->roles[step->target].actor, "another wake");
		break;
	case CALL:
		engine_call(engine, step->target, step->date, note_call, role);
		break;
	case FAILING_CALL:
		engine_call(engine, step->target, step->date, fail_call, role);
		break;
	default:
		break;
	}
}

static bool step_block(struct role *role, const struct step *step)
{
	struct engine *engine = role->play->engine;

	switch (step->verb) {
	case SLEEP:
		actor_sleep_until(engine, step->date);
		return true;
	case PARK:
		actor_park(engine, "a wake");
		return true;
	case FAIL:
		engine_fail(engine, "%s gives up", role->script->name);
		return true;
	default:
		return false;
	}
}

static void role_act(void *arg)
{
	struct role *role = arg;
	struct play *play = role->play;

	note(role, "");
	for (const struct step *step = role->script->steps; step->verb != END; step++) {
		step_request(role, step);
		if (step->verb == SPAWN) {
			struct role *child = &play->roles[step->target];

			child->actor = engine_spawn(play->engine, child->script->cpu, child->script->name, step->date,
						    role_act, child);
		}
		if (step_block(role, step))
			note(role, "");
		if (engine_self(play->engine) != role->actor)
			fputs("(not itself) ", play->record);
	}
}

static const struct engine_case {
	enum engine_kind kind;
	const char *name;
} engines[] = { { ENGINE_FAST, "fast" }, { ENGINE_SIMGRID, "simgrid" } };

#define NR_ENGINES (sizeof(engines) / sizeof(engines[0]))

/* One case on one engine. */
struct staging {
	const struct engine_case *engine;
	const struct script_case *script_case;
	struct engine_spare *spare; /* NULL: none */
};

static void play_run(FILE *record, const void *arg)
{
	const struct staging *staging = arg;
	const struct script_case *script_case = staging->script_case;
	struct play play = { .record = record };
	struct error err;

	play.engine = engine_create(staging->engine->kind, NR_CPUS, &err);
	engine_use_spare(play.engine, staging->spare);
	for (int i = 0; i < MAX_SCRIPTS && script_case->scripts[i].name; i++) {
		const struct script *script = &script_case->scripts[i];
		struct role *role = &play.roles[i];

		*role = (struct role){ .play = &play, .script = script };
		if (script->start)
			role->actor =
				engine_spawn(play.engine, script->cpu, script->name, script->start, role_act, role);
	}
	if (engine_run(play.engine, &err))
		fputs(err.text, record);
	else
		fputs("ok", record);
	engine_destroy(play.engine);
}

static void check_case(const struct staging *staging)
{
	const struct script_case *script_case = staging->script_case;
	struct forked forked = forked_run(play_run, staging);

	if (strcmp(forked.record, script_case->record))
		print_error("case: %s, engine %s\n", script_case->what, staging->engine->name);
	assert_string_equal(forked.record, script_case->record);
	assert_string_equal(forked.stderr_text, "");
	assert_int_equal(forked.status, 0);
	forked_free(&forked);
}

static void check_cases(const struct engine_case *engine, const struct script_case *cases, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		check_case(&(struct staging){ .engine = engine, .script_case = &cases[i] });
}

static void check_cases_on_all(const struct script_case *cases, size_t nr)
{
	for (size_t i = 0; i < NR_ENGINES; i++)
		check_cases(&engines[i], cases, nr);
}

#define NR_CASES(cases) (sizeof(cases) / sizeof((cases)[0]))
#define CHECK_CASES(cases) check_cases_on_all(cases, NR_CASES(cases))

static void events_of_one_date_run_by_cpu(void **state)
{
	static const struct script_case cases[] = {
		{ "created downwards",
		  "a@5 b@5 c@5 a@9 b@9 c@9 ok",
		  { { "c", 7, 5, { { SLEEP, 9, 0 } } },
		    { "b", 3, 5, { { SLEEP, 9, 0 } } },
		    { "a", 0, 5, { { SLEEP, 9, 0 } } } } },
		{ "created upwards",
		  "a@5 b@5 c@5 a@9 b@9 c@9 ok",
		  { { "a", 0, 5, { { SLEEP, 9, 0 } } },
		    { "b", 3, 5, { { SLEEP, 9, 0 } } },
		    { "c", 7, 5, { { SLEEP, 9, 0 } } } } },
		{ "an earlier date comes before a lower CPU",
		  "b@1 a@2 ok",
		  { { "a", 0, 2, NOTHING }, { "b", 7, 1, NOTHING } } },
		{ "calls as well as actors",
		  "a@1 b@1 a@9 b()@9 c@9 b()@9 d@10 ok",
		  { { "b", 2, 1, { { CALL, 9, 7 }, { CALL, 9, 2 } } },
		    { "c", 5, 9, NOTHING },
		    { "a", 0, 1, { { SLEEP, 9, 0 } } },
		    { "d", 7, 10, NOTHING } } },
	};

	(void)state;
	CHECK_CASES(cases);
}

static void events_of_one_date_and_cpu_run_in_the_order_of_request(void **state)
{
	static const struct script_case cases[] = {
		{ "actors in the order of spawning",
		  "a@1 b@1 c@1 ok",
		  { { "a", 3, 1, NOTHING }, { "b", 3, 1, NOTHING }, { "c", 3, 1, NOTHING } } },
		{ "a wake, a call, a spawn, then a sleep",
		  "p@1 w@1 q@2 p@10 w()@10 s@10 q@10 ok",
		  { { "p", 3, 1, { { PARK, 0, 0 } } },
		    { "q", 3, 2, { { SLEEP, 10, 0 } } },
		    { "w", 5, 1, { { WAKE, 10, 0 }, { CALL, 10, 3 }, { SPAWN, 10, 3 } } },
		    { "s", 3, 0, NOTHING } } },
		{ "a sleep, then a spawn, a call and a wake",
		  "p@1 q@1 w@2 q@10 s@10 w()@10 p@10 ok",
		  { { "p", 3, 1, { { PARK, 0, 0 } } },
		    { "q", 3, 1, { { SLEEP, 10, 0 } } },
		    { "w", 5, 2, { { SPAWN, 10, 3 }, { CALL, 10, 3 }, { WAKE, 10, 0 } } },
		    { "s", 3, 0, NOTHING } } },
		{ "a wake before the park has its place by its request",
		  "p@1 w@2 q@3 p@5 p@10 q@10 ok",
		  { { "p", 3, 1, { { SLEEP, 5, 0 }, { PARK, 0, 0 } } },
		    { "w", 5, 2, { { WAKE, 10, 0 } } },
		    { "q", 3, 3, { { SLEEP, 10, 0 } } } } },
		{ "a step is whole: what it wakes on its own CPU comes after it",
		  "p@1 q@1 w@2 w@3 p@4 q@4 ok",
		  { { "p", 3, 1, { { PARK, 0, 0 } } },
		    { "q", 3, 1, { { PARK, 0, 0 } } },
		    { "w", 3, 2, { { WAKE, 4, 0 }, { SLEEP, 3, 0 }, { WAKE, 4, 1 } } } } },
		{ "a park is over by a wake of the same date and CPU",
		  "p@1 w@1 p@2 ok",
		  { { "p", 3, 1, { { PARK, 0, 0 } } }, { "w", 3, 1, { { WAKE, 1, 0 } } } } },
	};

	(void)state;
	CHECK_CASES(cases);
}

static void effects_come_at_their_date_and_not_1_ps_earlier(void **state)
{
	static const struct script_case cases[] = {
		{ "a wake",
		  "w@1 p@1 w@99 p@100 w@101 ok",
		  { { "p", 7, 1, { { PARK, 0, 0 } } },
		    { "w", 0, 1, { { WAKE, 100, 0 }, { SLEEP, 99, 0 }, { SLEEP, 101, 0 } } } } },
		{ "a call",
		  "a@1 a@99 a()@100 a@101 ok",
		  { { "a", 7, 1, { { CALL, 100, 0 }, { SLEEP, 99, 0 }, { SLEEP, 101, 0 } } } } },
		{ "a spawn",
		  "a@1 a@99 s@100 a@101 ok",
		  { { "a", 7, 1, { { SPAWN, 100, 1 }, { SLEEP, 99, 0 }, { SLEEP, 101, 0 } } },
		    { "s", 0, 0, NOTHING } } },
		{ "nothing comes before now + 1",
		  "p@7 a@8 p@9 a()@9 s@9 ok",
		  { { "p", 0, 7, { { PARK, 0, 0 } } },
		    { "a", 0, 8, { { WAKE, 2, 0 }, { CALL, 8, 0 }, { SPAWN, 1, 2 } } },
		    { "s", 0, 0, NOTHING } } },
		{ "a sleep until a date that has come does not block",
		  "a@5 a@5 a@5 a@6 ok",
		  { { "a", 0, 5, { { SLEEP, 5, 0 }, { SLEEP, 2, 0 }, { SLEEP, 6, 0 } } } } },
	};

	(void)state;
	CHECK_CASES(cases);
}

static void a_wake_before_the_park_is_kept(void **state)
{
	static const struct script_case cases[] = {
		{ "its date comes after the park",
		  "p@1 w@1 p@20 p@50 ok",
		  { { "p", 0, 1, { { SLEEP, 20, 0 }, { PARK, 0, 0 } } }, { "w", 1, 1, { { WAKE, 50, 0 } } } } },
		{ "its date came before the park",
		  "p@1 w@1 p@20 p@20 ok",
		  { { "p", 0, 1, { { SLEEP, 20, 0 }, { PARK, 0, 0 } } }, { "w", 1, 1, { { WAKE, 10, 0 } } } } },
		{ "of an actor that has not started",
		  "w@1 p@5 p@8 ok",
		  { { "w", 0, 1, { { WAKE, 8, 1 } } }, { "p", 1, 5, { { PARK, 0, 0 } } } } },
		{ "it ends one park only",
		  "p@1 w@1 p@20 p@20 w@30 p@40 ok",
		  { { "p", 0, 1, { { SLEEP, 20, 0 }, { PARK, 0, 0 }, { PARK, 0, 0 } } },
		    { "w", 1, 1, { { WAKE, 10, 0 }, { SLEEP, 30, 0 }, { WAKE, 40, 0 } } } } },
	};

	(void)state;
	CHECK_CASES(cases);
}

static void calls_that_remain_when_the_last_actor_returns_are_dropped(void **state)
{
	static const struct script_case cases[] = {
		{ "at a later date", "a@1 a@9 ok", { { "a", 0, 1, { { CALL, 10, 0 }, { SLEEP, 9, 0 } } } } },
		{ "at the same date and CPU",
		  "a@1 b@2 a@9 ok",
		  { { "a", 3, 1, { { SLEEP, 9, 0 } } }, { "b", 3, 2, { { CALL, 9, 3 } } } } },
	};

	(void)state;
	CHECK_CASES(cases);
}

static void an_actor_that_moves_has_its_events_where_it_moved_to(void **state)
{
	static const struct script_case cases[] = {
		{ "to a higher CPU, then a sleep",
		  "a@1 b@1 b@9 a@9 ok",
		  { { "a", 0, 1, { { MOVE, 0, 7 }, { SLEEP, 9, 0 } } }, { "b", 3, 1, { { SLEEP, 9, 0 } } } } },
		{ "to a lower CPU, then a sleep",
		  "b@1 a@1 a@9 b@9 ok",
		  { { "a", 7, 1, { { MOVE, 0, 0 }, { SLEEP, 9, 0 } } }, { "b", 3, 1, { { SLEEP, 9, 0 } } } } },
		{ "among the events of its new CPU it comes by its request",
		  "b@1 c@1 a@2 b@9 a@9 c@9 ok",
		  { { "a", 7, 2, { { MOVE, 0, 3 }, { SLEEP, 9, 0 } } },
		    { "b", 3, 1, { { SLEEP, 9, 0 } } },
		    { "c", 5, 1, { { SLEEP, 9, 0 } } } } },
		{ "its next step, not those that were due on its old CPU",
		  "a@1 b@1 b@3 a()@9 b@9 a@9 ok",
		  { { "a", 0, 1, { { CALL, 9, 0 }, { MOVE, 0, 5 }, { SLEEP, 9, 0 } } },
		    { "b", 3, 1, { { SLEEP, 3, 0 }, { SLEEP, 9, 0 } } } } },
		{ "twice before it blocks: where it is then",
		  "a@1 b@1 a@9 b@9 ok",
		  { { "a", 0, 1, { { MOVE, 0, 7 }, { MOVE, 0, 2 }, { SLEEP, 9, 0 } } },
		    { "b", 3, 1, { { SLEEP, 9, 0 } } } } },
		{ "while parked: the wake after it",
		  "p@1 b@1 w@2 b@9 p@9 ok",
		  { { "p", 0, 1, { { PARK, 0, 0 } } },
		    { "b", 3, 1, { { SLEEP, 9, 0 } } },
		    { "w", 6, 2, { { FETCH, 0, 0 }, { WAKE, 9, 0 } } } } },
		{ "with a wake that came before the park",
		  "p@1 w@1 b@2 p@3 b@9 p@9 ok",
		  { { "p", 0, 1, { { SLEEP, 3, 0 }, { MOVE, 0, 5 }, { PARK, 0, 0 } } },
		    { "b", 3, 2, { { SLEEP, 9, 0 } } },
		    { "w", 1, 1, { { WAKE, 9, 0 } } } } },
		{ "and back, when the old CPU has events at the date",
		  "a@1 b@1 b@5 a@5 a@9 b@9 ok",
		  { { "a", 0, 1, { { MOVE, 0, 5 }, { SLEEP, 5, 0 }, { MOVE, 0, 0 }, { SLEEP, 9, 0 } } },
		    { "b", 3, 1, { { SLEEP, 5, 0 }, { SLEEP, 9, 0 } } } } },
		{ "a deadlock names its last CPU, and what it waited for last",
		  "p@1 w@2 deadlock at 0.000002 us: cpu 6 'p' waits for another wake",
		  { { "p", 0, 1, { { PARK, 0, 0 } } }, { "w", 6, 2, { { FETCH, 0, 0 }, { RENAME, 0, 0 } } } } },
	};

	(void)state;
	CHECK_CASES(cases);
}

static void a_deadlock_is_reported_with_who_waits_for_what(void **state)
{
	static const struct script_case cases[] = {
		{ "one of two",
		  "w@1 b@3 deadlock at 0.000003 us: cpu 5 'b' waits for a wake",
		  { { "b", 5, 3, { { PARK, 0, 0 } } }, { "w", 0, 1, NOTHING } } },
		{ "the last event is the return of another",
		  "b@1 w@1 w@12345000 deadlock at 12.345 us: cpu 2 'b' waits for a wake",
		  { PARKED("b", 2), { "w", 5, 1, { { SLEEP, 12345000, 0 } } } } },
		{ "the last event is a call",
		  "b@1 b()@4000000 deadlock at 4 us: cpu 2 'b' waits for a wake",
		  { { "b", 2, 1, { { CALL, 4000000, 1 }, { PARK, 0, 0 } } } } },
		{ "more than fit",
		  "a@1 b@1 c@1 d@1 e@1 f@1 g@1 h@1 i@1 j@1 deadlock at 0.000001 us: cpu 0 'a' waits for a wake; "
		  "cpu 0 'b' waits for a wake; cpu 0 'c' waits for a wake; cpu 0 'd' waits for a wake; "
		  "cpu 1 'e' waits for a wake; cpu 1 'f' waits for a wake; cpu 1 'g' waits for a wake; "
		  "cpu 1 'h' waits for a wake; and 2 more",
		  { PARKED("a", 0), PARKED("b", 0), PARKED("c", 0), PARKED("d", 0), PARKED("e", 1), PARKED("f", 1),
		    PARKED("g", 1), PARKED("h", 1), PARKED("i", 2), PARKED("j", 2) } },
	};

	(void)state;
	CHECK_CASES(cases);
}

static void a_failure_stops_the_run_at_once(void **state)
{
	static const struct script_case cases[] = {
		{ "of an actor, with others asleep, parked, due and not started",
		  "s@1 p@1 a@5 a gives up",
		  { { "s", 0, 1, { { SLEEP, 6, 0 } } },
		    PARKED("p", 1),
		    { "a", 2, 5, { { FAIL, 0, 0 }, { SLEEP, 7, 0 } } },
		    { "due", 2, 5, NOTHING },
		    { "later", 0, 9, NOTHING } } },
		{ "of a call",
		  "a@1 b@1 the call of b gives up",
		  { { "a", 0, 1, { { CALL, 7, 0 }, { SLEEP, 6, 0 } } },
		    { "b", 1, 1, { { FAILING_CALL, 5, 1 }, { CALL, 5, 1 }, { PARK, 0, 0 } } } } },
	};

	(void)state;
	CHECK_CASES(cases);
}

/* 2^53 picoseconds, 4 bits for 8 CPUs and one more */
#define SIMGRID_PS ((INT64_C(1) << 49) - 1)
#define TOO_FAR_FOR_SIMGRID \
	"a date of 562949953.421312 us is beyond the longest possible run, 562949953.421311 us with 8 CPUs"
#define FAST_PS (INT64_MAX - 1)
#define TOO_FAR_FOR_FAST \
	"a date of 9223372036854.775807 us is beyond the longest possible run, 9223372036854.775806 us with 8 CPUs"

/* clang-format off */
#define LAST_DATES(name, last, before_text, last_text, too_far) \
	{ "the last of " name, "a@1 a@" before_text " a@" last_text " ok", \
	  { { "a", 7, 1, { { SLEEP, last - 1, 0 }, { SLEEP, last, 0 } } } } }, \
	{ "too far for a sleep, " name, "a@1 " too_far, { { "a", 0, 1, { { SLEEP, last + 1, 0 } } } } }, \
	{ "too far for a call, " name, "a@1 " too_far, { { "a", 0, 1, { { CALL, last + 1, 0 } } } } }, \
	{ "too far for a wake, " name, "b@1 a@1 " too_far, \
	  { PARKED("b", 0), { "a", 0, 1, { { WAKE, last + 1, 0 } } } } }, \
	{ "too far for the start, " name, too_far, { { "a", 0, last + 1, NOTHING } } }
/* clang-format on */

static void a_date_too_far_fails_the_run_and_the_last_one_is_exact(void **state)
{
	static const struct script_case simgrid[] = {
		LAST_DATES("simgrid", SIMGRID_PS, "562949953421310", "562949953421311", TOO_FAR_FOR_SIMGRID),
	};
	static const struct script_case fast[] = {
		LAST_DATES("fast", FAST_PS, "9223372036854775805", "9223372036854775806", TOO_FAR_FOR_FAST),
	};

	(void)state;
	check_cases(&engines[0], fast, NR_CASES(fast));
	check_cases(&engines[1], simgrid, NR_CASES(simgrid));
}

static const struct script_case any_program = {
	"any",
	"a@1 b@2 c@5 a()@8 a@9 ok",
	{ { "a", 0, 1, { { SPAWN, 5, 2 }, { CALL, 8, 3 }, { PARK, 0, 0 } } },
	  { "b", 3, 2, { { WAKE, 9, 0 } } },
	  { "c", 3, 0, NOTHING } },
};

static void run_one_after_the_other(FILE *record, const void *arg)
{
	static const struct script_case stuck = { "stuck", "", { PARKED("p", 3), PARKED("q", 4) } };

	const struct staging *staging = arg;

	play_run(record, &(struct staging){ staging->engine, &any_program, staging->spare });
	play_run(record, &(struct staging){ staging->engine, &stuck, staging->spare });
	play_run(record, &(struct staging){ staging->engine, &any_program, staging->spare });
}

static void check_one_after_the_other(struct engine_spare *spare)
{
	for (size_t i = 0; i < NR_ENGINES; i++) {
		const struct staging staging = { &engines[i], NULL, spare };
		struct forked forked = forked_run(run_one_after_the_other, &staging);

		assert_string_equal(forked.record, "a@1 b@2 c@5 a()@8 a@9 ok"
						   "p@1 q@1 deadlock at 0.000001 us: cpu 3 'p' waits for a wake; "
						   "cpu 4 'q' waits for a wake"
						   "a@1 b@2 c@5 a()@8 a@9 ok");
		assert_int_equal(forked.status, 0);
		forked_free(&forked);
	}
}

static void engines_can_follow_each_other_in_one_process(void **state)
{
	(void)state;
	check_one_after_the_other(NULL);
}

/* What a deadlock leaves behind is no harm to the next one. */
static void engines_can_hand_on_their_memory(void **state)
{
	struct arena *arena = arena_create();
	struct engine_spare *spare = engine_spare_create(arena);

	(void)state;
	check_one_after_the_other(spare);
	engine_spare_destroy(spare);
	arena_destroy(arena);
}

/* The engine's arguments, were they seen, would print a help text and exit. */
#define HELP "--help"

static void run_with_help(FILE *record, const void *arg)
{
	char self[PATH_MAX] = "";

	(void)arg;
	/* the path, not the link: under valgrind the link would run valgrind */
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		abort();
	dup2(fileno(record), STDOUT_FILENO);
	execl(self, "engine", HELP, "--version", "--cfg=no/such:key", (char *)NULL);
	abort();
}

static void the_command_line_is_not_seen(void **state)
{
	struct forked forked = forked_run(run_with_help, NULL);

	(void)state;
	assert_string_equal(forked.record, any_program.record);
	assert_string_equal(forked.stderr_text, "");
	assert_int_equal(forked.status, 0);
	forked_free(&forked);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_of_one_date_run_by_cpu),
		cmocka_unit_test(events_of_one_date_and_cpu_run_in_the_order_of_request),
		cmocka_unit_test(effects_come_at_their_date_and_not_1_ps_earlier),
		cmocka_unit_test(a_wake_before_the_park_is_kept),
		cmocka_unit_test(calls_that_remain_when_the_last_actor_returns_are_dropped),
		cmocka_unit_test(an_actor_that_moves_has_its_events_where_it_moved_to),
		cmocka_unit_test(a_deadlock_is_reported_with_who_waits_for_what),
		cmocka_unit_test(a_failure_stops_the_run_at_once),
		cmocka_unit_test(a_date_too_far_fails_the_run_and_the_last_one_is_exact),
		cmocka_unit_test(engines_can_follow_each_other_in_one_process),
		cmocka_unit_test(engines_can_hand_on_their_memory),
		cmocka_unit_test(the_command_line_is_not_seen),
	};

	if (argc > 1 && !strcmp(argv[1], HELP)) {
		play_run(stdout, &(struct staging){ &engines[1], &any_program, NULL });
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
