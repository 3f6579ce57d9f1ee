/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The folio lock: what every policy must keep, and the sleeping one step by
 * step.
 */
#include "models/kernel/folio_lock.h"

#include "models/registry.h"
#include "tests/support/rig.h"
#include "tests/support/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NOTES_BYTES 128

/* ---- mutual exclusion ---- */

/* CPUs that take one of two folios' locks over and over. */
struct crowd {
	struct policy_choice choice;
	struct folio *folios[2];
	int nr_folios;
	int nr_inside[2];
	int nr_violations;
	int nr_rounds; /* of each CPU */
	int nr_done;
};

static void take_lock_often(struct cpu *cpu, void *arg)
{
	struct crowd *crowd = arg;

	for (int i = 0; i < crowd->nr_rounds; i++) {
		int which = (int)rng_below(&cpu->rng, (uint64_t)crowd->nr_folios);

		cpu_work(cpu, rng_between(&cpu->rng, 0, NS(3000)));
		folio_lock(&crowd->choice, cpu, crowd->folios[which]);
		cpu_sync(cpu);
		crowd->nr_violations += crowd->nr_inside[which]++ > 0;
		cpu_work(cpu, rng_between(&cpu->rng, 1, NS(500)));
		cpu_sync(cpu);
		crowd->nr_inside[which]--;
		folio_unlock(&crowd->choice, cpu, crowd->folios[which]);
		crowd->nr_done++;
	}
}

/* Wrong things: two inside at once, CPUs that never came back, flags that stayed. */
static int run_crowd(const struct policy *policy, const char *params, int nr_folios, uint64_t seed)
{
	struct machine_config config = rig_machine(2);
	struct crowd crowd = { .nr_folios = nr_folios, .nr_rounds = 25 };
	struct error err = { .text = "" };
	struct rig rig;
	int nr_wrong;

	rig_create(&rig, &config, seed);
	crowd.choice = rig_choice_with(&rig, policy, params);
	crowd.folios[0] = rig_folio(&rig, 0);
	crowd.folios[1] = rig_folio(&rig, 1);
	crowd.folios[1]->waitqueue = crowd.folios[0]->waitqueue; /* as two that hash to one queue */
	for (int cpu = 0; cpu < 16; cpu++)
		rig_start(&rig, cpu, 1, take_lock_often, &crowd);
	rig_limit(&rig, PS_PER_S);
	nr_wrong = (rig_run(&rig, &err) != 0) + crowd.nr_violations + (crowd.nr_done != 16 * crowd.nr_rounds);
	for (int i = 0; i < nr_folios; i++)
		nr_wrong += (line_peek(crowd.folios[i]->page, FOLIO_FLAGS) & PG_LOCKED) != 0;
	if (nr_folios == 1)
		nr_wrong += line_peek(crowd.folios[0]->page, FOLIO_FLAGS) != 0;
	if (nr_wrong)
		print_error("%s, %s, %d folios, seed %" PRIu64 ": %s\n", policy->name, params, nr_folios, seed,
			    err.text);
	rig_destroy(&rig);
	return nr_wrong;
}

static void one_cpu_at_a_time_holds_a_folios_lock_and_all_get_it(void **state)
{
	(void)state;
	for (int i = 0; registry_policy_at(AXIS_FOLIO_LOCK, i); i++)
		for (uint64_t seed = 1; seed <= 6; seed++)
			assert_int_equal(run_crowd(registry_policy_at(AXIS_FOLIO_LOCK, i), "", 1 + seed % 2, seed), 0);
}

static void sleepers_of_two_folios_in_one_queue_are_not_mixed_up(void **state)
{
	static const char *const params[] = {
		"unfairness 0",
		"unfairness 1",
		"unfairness 2",
		"sleep_ns 0 wake_ns 0 wake_latency_ns 1 unfairness 0",
		"sleep_ns 5000 wake_ns 0",
	};
	const struct policy *sleep = registry_policy(AXIS_FOLIO_LOCK, "sleep");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(params); i++)
		for (uint64_t seed = 1; seed <= 4; seed++)
			assert_int_equal(run_crowd(sleep, params[i], 2, seed), 0);
}

/* ---- who gets the lock ---- */

struct script;

/* One that wants the lock so many times, from a date on, and holds it each time. */
struct taker {
	struct script *script;
	int cpu;
	sim_ps at_ps;
	int nr_times;
	sim_ps got_ps; /* the last time */
};

struct script {
	struct policy_choice choice;
	struct folio *folio;
	struct rig rig;
	char order[NOTES_BYTES]; /* who got the lock */
};

#define HOLD_PS (10 * PS_PER_US)

static void take_lock(struct cpu *cpu, void *arg)
{
	struct taker *taker = arg;
	struct script *script = taker->script;

	cpu_work(cpu, taker->at_ps - cpu->date);
	for (int i = 0; i < taker->nr_times; i++) {
		char *end;

		folio_lock(&script->choice, cpu, script->folio);
		end = script->order + strlen(script->order);
		sprintf(end, "%s%d", end > script->order ? " " : "", cpu->id);
		taker->got_ps = cpu->date;
		cpu_work(cpu, HOLD_PS);
		folio_unlock(&script->choice, cpu, script->folio);
	}
}

static void script_create(struct script *script, const char *policy, const char *params)
{
	struct machine_config config = rig_machine(1);

	*script = (struct script){ .order = "" };
	rig_create(&script->rig, &config, 1);
	script->choice = rig_choice_with(&script->rig, registry_policy(AXIS_FOLIO_LOCK, policy), params);
	script->folio = rig_folio(&script->rig, 0);
}

static void script_run(struct script *script, struct taker *takers, int nr)
{
	struct error err = { .text = "" };

	for (int i = 0; i < nr; i++) {
		takers[i].script = script;
		rig_start(&script->rig, takers[i].cpu, 1, take_lock, &takers[i]);
	}
	rig_run(&script->rig, &err);
	assert_string_equal(err.text, "");
}

static void sleepers_get_the_lock_in_the_order_in_which_they_came(void **state)
{
	struct taker takers[] = {
		{ .cpu = 0, .at_ps = 1 * PS_PER_US, .nr_times = 1 },
		{ .cpu = 5, .at_ps = 2 * PS_PER_US, .nr_times = 1 },
		{ .cpu = 1, .at_ps = 3 * PS_PER_US, .nr_times = 1 },
		{ .cpu = 7, .at_ps = 4 * PS_PER_US, .nr_times = 1 },
		{ .cpu = 2, .at_ps = 5 * PS_PER_US, .nr_times = 1 },
	};
	struct script script;

	(void)state;
	script_create(&script, "sleep", NULL);
	script_run(&script, takers, 5);
	assert_string_equal(script.order, "0 5 1 7 2");
	assert_int_equal(rig_counters(&script.rig).sleeps, 4);
	assert_int_equal(line_peek(script.folio->page, FOLIO_FLAGS), 0);
	rig_destroy(&script.rig);
}

struct unfair_case {
	const char *params;
	const char *order; /* CPU 0 takes the lock back at once, 5 times; CPU 2 sleeps and wants it once */
	uint64_t sleeps;
};

static void the_lock_is_handed_over_after_so_many_lost_tries(void **state)
{
	static const struct unfair_case cases[] = {
		{ "unfairness 0", "0 2 0 0 0 0", 2 },
		{ "unfairness 1", "0 0 2 0 0 0", 3 },
		{ "unfairness 2", "0 0 0 2 0 0", 4 },
		{ "unfairness 5", "0 0 0 0 0 2", 5 }, /* CPU 0 is done before */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct taker takers[] = {
			{ .cpu = 0, .at_ps = 1 * PS_PER_US, .nr_times = 5 },
			{ .cpu = 2, .at_ps = 2 * PS_PER_US, .nr_times = 1 },
		};
		struct script script;

		script_create(&script, "sleep", cases[i].params);
		script_run(&script, takers, 2);
		assert_string_equal(script.order, cases[i].order);
		assert_int_equal(rig_counters(&script.rig).sleeps, cases[i].sleeps);
		assert_int_equal(line_peek(script.folio->page, FOLIO_FLAGS), 0);
		rig_destroy(&script.rig);
	}
}

/* Flags as an onlooker sees them at some dates. */
struct onlooker {
	const struct folio *folio;
	sim_ps at_ps[4];
	uint64_t flags[4];
};

static void look_at_flags(struct cpu *cpu, void *arg)
{
	struct onlooker *onlooker = arg;

	for (int i = 0; i < 4; i++) {
		cpu_work(cpu, onlooker->at_ps[i] - cpu->date);
		cpu_sync(cpu);
		onlooker->flags[i] = line_peek(onlooker->folio->page, FOLIO_FLAGS);
	}
}

static void waiters_stay_marked_until_the_last_is_woken(void **state)
{
	struct taker takers[] = {
		{ .cpu = 0, .at_ps = 10 * PS_PER_US, .nr_times = 1 },
		{ .cpu = 2, .at_ps = 12 * PS_PER_US, .nr_times = 1 },
		{ .cpu = 4, .at_ps = 14 * PS_PER_US, .nr_times = 1 },
	};
	/* CPU 0 holds the lock until 20 us, CPU 2 until about 33, CPU 4 until about 46 */
	struct onlooker onlooker = { .at_ps = { 11 * PS_PER_US, 18 * PS_PER_US, 30 * PS_PER_US, 42 * PS_PER_US } };
	struct script script;

	(void)state;
	script_create(&script, "sleep", NULL);
	onlooker.folio = script.folio;
	rig_start(&script.rig, OBSERVER, 1, look_at_flags, &onlooker);
	script_run(&script, takers, 3);
	assert_int_equal(onlooker.flags[0], PG_LOCKED);
	assert_int_equal(onlooker.flags[1], PG_LOCKED | PG_WAITERS);
	assert_int_equal(onlooker.flags[2], PG_LOCKED | PG_WAITERS);
	assert_int_equal(onlooker.flags[3], PG_LOCKED);
	assert_int_equal(line_peek(script.folio->page, FOLIO_FLAGS), 0);
	rig_destroy(&script.rig);
}

/* ---- costs ---- */

static void a_free_lock_costs_one_atomic_each_way(void **state)
{
	(void)state;
	for (int i = 0; registry_policy_at(AXIS_FOLIO_LOCK, i); i++) {
		struct taker taker = { .cpu = 0, .at_ps = PS_PER_US, .nr_times = 2 };
		struct script script;

		script_create(&script, registry_policy_at(AXIS_FOLIO_LOCK, i)->name, NULL);
		script_run(&script, &taker, 1);
		/* from home, hold, unlock, lock */
		assert_int_equal(taker.got_ps, PS_PER_US + NS(100) + HOLD_PS + NS(5) + NS(5));
		assert_int_equal(script.rig.cpus[0].date, taker.got_ps + HOLD_PS + NS(5));
		assert_int_equal(rig_counters(&script.rig).sleeps, 0);
		rig_destroy(&script.rig);
	}
}

/*
 * CPU 1 looks every 40 ns and 1 ns: CPU 0 unlocks at about 11.1 us, and CPU 1 has the lock at most a look and two transfers
 * later.
 */
static void a_spinner_gets_the_lock_soon_after_its_release(void **state)
{
	struct taker takers[] = {
		{ .cpu = 0, .at_ps = PS_PER_US, .nr_times = 1 },
		{ .cpu = 1, .at_ps = 2 * PS_PER_US, .nr_times = 1 },
	};
	struct script script;

	(void)state;
	script_create(&script, "spin", NULL);
	script_run(&script, takers, 2);
	assert_string_equal(script.order, "0 1");
	assert_in_range(takers[1].got_ps, takers[0].got_ps + HOLD_PS, takers[0].got_ps + HOLD_PS + NS(41 + 5 * 20));
	assert_int_equal(rig_counters(&script.rig).sleeps, 0);
	assert_int_equal(line_peek(script.folio->page, FOLIO_FLAGS), 0);
	rig_destroy(&script.rig);
}

struct trylock_notes {
	struct folio *folio;
	bool first, second, third;
};

static void try_three_times(struct cpu *cpu, void *arg)
{
	struct trylock_notes *notes = arg;

	notes->first = folio_trylock(cpu, notes->folio);
	notes->second = folio_trylock(cpu, notes->folio);
	line_fetch_and(cpu, notes->folio->page, FOLIO_FLAGS, ~PG_LOCKED);
	notes->third = folio_trylock(cpu, notes->folio);
}

static void a_try_takes_a_free_lock_and_nothing_else(void **state)
{
	struct machine_config config = rig_machine(1);
	struct trylock_notes notes;
	struct rig rig;

	(void)state;
	rig_create(&rig, &config, 1);
	notes.folio = rig_folio(&rig, 0);
	rig_start(&rig, 0, 1, try_three_times, &notes);
	assert_int_equal(rig_run(&rig, NULL), 0);
	assert_true(notes.first);
	assert_false(notes.second);
	assert_true(notes.third);
	rig_destroy(&rig);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_cpu_at_a_time_holds_a_folios_lock_and_all_get_it),
		cmocka_unit_test(sleepers_of_two_folios_in_one_queue_are_not_mixed_up),
		cmocka_unit_test(sleepers_get_the_lock_in_the_order_in_which_they_came),
		cmocka_unit_test(the_lock_is_handed_over_after_so_many_lost_tries),
		cmocka_unit_test(waiters_stay_marked_until_the_last_is_woken),
		cmocka_unit_test(a_free_lock_costs_one_atomic_each_way),
		cmocka_unit_test(a_spinner_gets_the_lock_soon_after_its_release),
		cmocka_unit_test(a_try_takes_a_free_lock_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
