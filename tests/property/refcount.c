/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What every refcount policy of the registry keeps when CPUs race: no
 * reference is lost or made up, a frozen or dead folio gives none, nobody
 * frozen out is left waiting, and the last put is the last, exactly once. A
 * case that fails prints its seed.
 */
#include "models/kernel/refcount.h"

#include "models/registry.h"
#include "tests/support/random_machine.h"
#include "tests/support/rig.h"
#include "tests/support/unit.h"

#include <inttypes.h>
#include <stdio.h>

#define NR_SEEDS 60
#define MAX_WORKERS 16
#define NR_ROUNDS 12 /* of each worker */

struct race {
	const struct refcount_policy *policy;
	const void *params;
	struct folio *folio;
	struct rig rig;
	sim_ps pause_ps; /* at most, between two operations */
	bool freezes; /* workers also freeze the folio now and then */
	bool drops; /* worker 0 puts the first reference */
	bool frozen, dead; /* by what the operations returned */
	int nr_holders;
	int nr_gets, nr_refused, nr_freezes, nr_last;
	int nr_wrong;
};

static void pause_a_little(const struct race *race, struct cpu *cpu)
{
	cpu_work(cpu, rng_between(&cpu->rng, 0, race->pause_ps));
}

static void put(struct race *race, struct cpu *cpu)
{
	if (!race->policy->put(race->params, cpu, race->folio))
		return;
	race->nr_last++;
	race->nr_wrong += race->nr_holders != 0 || race->frozen;
	race->dead = true;
}

static void get_and_put(struct race *race, struct cpu *cpu)
{
	if (!race->policy->try_get(race->params, cpu, race->folio)) {
		race->nr_refused++;
		return;
	}
	race->nr_gets++;
	race->nr_holders++;
	race->nr_wrong += race->frozen || race->dead;
	pause_a_little(race, cpu);
	cpu_sync(cpu);
	race->nr_holders--;
	put(race, cpu);
}

/* From the one reference of the page cache to frozen and back. */
static void freeze(struct race *race, struct cpu *cpu)
{
	if (!race->policy->freeze(race->params, cpu, race->folio, 1))
		return;
	race->nr_freezes++;
	race->nr_wrong += race->nr_holders != 0 || race->frozen;
	race->frozen = true;
	pause_a_little(race, cpu);
	cpu_sync(cpu);
	race->frozen = false;
	race->policy->set(race->params, cpu, race->folio, 1);
}

static void work(struct cpu *cpu, void *arg)
{
	struct race *race = arg;

	for (int i = 0; i < NR_ROUNDS; i++) {
		pause_a_little(race, cpu);
		if (race->freezes && rng_below(&cpu->rng, 4) == 0)
			freeze(race, cpu);
		else
			get_and_put(race, cpu);
	}
}

static void drop(struct cpu *cpu, void *arg)
{
	struct race *race = arg;

	cpu_work(cpu, rng_between(&cpu->rng, 0, NR_ROUNDS * race->pause_ps / 2));
	put(race, cpu);
}

static void print_race(const struct race *race, uint64_t seed, const struct machine_config *config, const char *error)
{
	char text[256];

	print_error("%s, seed %" PRIu64
		    " (%s): count %d, %d gets, %d refused, %d freezes, %d last puts, %d wrong; %s\n",
		    race->policy->policy.name, seed, random_machine_text(config, text, sizeof(text)),
		    race->policy->count(race->folio), race->nr_gets, race->nr_refused, race->nr_freezes, race->nr_last,
		    race->nr_wrong, error);
}

/* The count with which it must end, and how often a put must have been the last. */
static bool ended_well(const struct race *race)
{
	if (race->drops)
		return race->policy->count(race->folio) == 0 && race->nr_last == 1;
	return race->policy->count(race->folio) == 1 && race->nr_last == 0;
}

static void run_race(struct race *race, const struct policy *policy, uint64_t seed)
{
	const struct policy_choice choice = { .policy = policy };
	struct rng rng = rng_stream(seed, 4000);
	struct arena *arena = arena_create();
	struct machine_config config = random_machine(&rng, arena);
	struct error err = { .text = "" };
	int cpus[MAX_WORKERS + 1];
	int nr_cpus, nr;

	config.topology.cores_per_cluster++;
	rig_create(&race->rig, &config, seed);
	nr_cpus = machine_nr_cpus(race->rig.machine);
	nr = (int)rng_between(&rng, 2, nr_cpus < MAX_WORKERS + 1 ? nr_cpus : MAX_WORKERS + 1);
	random_cpus(&rng, nr_cpus, cpus, nr);
	race->policy = refcount_policy(&choice);
	race->params = rig_choice(&race->rig, policy).params;
	race->folio = rig_folio(&race->rig, (int)rng_below(&rng, (uint64_t)machine_nr_nodes(race->rig.machine)));
	race->pause_ps = rng_between(&rng, 0, NS(400));
	line_poke(race->folio->page, FOLIO_REFCOUNT, 1);
	for (int i = 0; i < nr; i++)
		rig_start(&race->rig, cpus[i], rng_between(&rng, 1, NS(100)), i == 0 && race->drops ? drop : work,
			  race);
	rig_limit(&race->rig, PS_PER_S);
	race->nr_wrong += rig_run(&race->rig, &err) != 0;
	race->nr_wrong += race->policy->counted && !ended_well(race);
	if (race->nr_wrong)
		print_race(race, seed, &config, err.text);
	rig_destroy(&race->rig);
	arena_destroy(arena);
}

/* What a policy's races came to, over all seeds. */
struct tally {
	int nr_wrong, nr_gets, nr_refused, nr_freezes;
};

static struct tally run_races(const struct policy *policy, bool freezes, bool drops)
{
	struct tally tally = { 0 };

	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct race race = { .freezes = freezes, .drops = drops };

		run_race(&race, policy, seed);
		tally.nr_wrong += race.nr_wrong;
		tally.nr_gets += race.nr_gets;
		tally.nr_refused += race.nr_refused;
		tally.nr_freezes += race.nr_freezes;
	}
	return tally;
}

static bool is_counted(const struct policy *policy)
{
	const struct policy_choice choice = { .policy = policy };

	return refcount_policy(&choice)->counted;
}

static void equal_gets_and_puts_leave_the_count_as_it_was(void **state)
{
	(void)state;
	for (int i = 0; registry_policy_at(AXIS_REFCOUNT, i); i++) {
		const struct tally tally = run_races(registry_policy_at(AXIS_REFCOUNT, i), false, false);

		assert_int_equal(tally.nr_wrong, 0);
		assert_int_equal(tally.nr_refused, 0);
		assert_true(tally.nr_gets > NR_SEEDS * NR_ROUNDS);
	}
}

static void a_frozen_folio_gives_no_reference_and_thaws(void **state)
{
	(void)state;
	for (int i = 0; registry_policy_at(AXIS_REFCOUNT, i); i++) {
		const struct policy *policy = registry_policy_at(AXIS_REFCOUNT, i);
		const struct tally tally = run_races(policy, true, false);

		assert_int_equal(tally.nr_wrong, 0);
		assert_int_equal(tally.nr_freezes > NR_SEEDS, is_counted(policy));
		assert_int_equal(tally.nr_refused > NR_SEEDS, is_counted(policy));
		assert_true(tally.nr_gets > NR_SEEDS);
	}
}

static void the_last_put_is_one_whatever_gets_race_it(void **state)
{
	(void)state;
	for (int i = 0; registry_policy_at(AXIS_REFCOUNT, i); i++) {
		const struct policy *policy = registry_policy_at(AXIS_REFCOUNT, i);
		const struct tally tally = run_races(policy, false, true);

		assert_int_equal(tally.nr_wrong, 0);
		assert_int_equal(tally.nr_refused > NR_SEEDS, is_counted(policy));
		assert_true(tally.nr_gets > NR_SEEDS);
	}
}

/* ---- fetch-add: gets that fail while junk is cleared ---- */

#define FROZEN UINT64_C(0x80000000)
#define JUNK_LIMIT (FROZEN + UINT64_C(0x40000000))

static void junk_is_cleared_by_many_at_once_and_the_mark_stays(void **state)
{
	const struct policy *policy = registry_policy(AXIS_REFCOUNT, "fetch-add");
	const struct policy_choice choice = { .policy = policy };

	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct race race = { .policy = refcount_policy(&choice), .pause_ps = NS(200) };
		struct machine_config config = rig_machine(2);
		uint64_t word;

		config.line.jitter_pct = 30;
		rig_create(&race.rig, &config, seed);
		race.folio = rig_folio(&race.rig, 0);
		line_poke(race.folio->page, FOLIO_REFCOUNT, JUNK_LIMIT - seed);
		for (int cpu = 0; cpu < 16; cpu++)
			rig_start(&race.rig, cpu, 1, work, &race);
		assert_int_equal(rig_run(&race.rig, NULL), 0);
		word = line_peek(race.folio->page, FOLIO_REFCOUNT);
		rig_destroy(&race.rig);
		assert_int_equal(race.nr_gets, 0);
		assert_int_equal(race.nr_refused, 16 * NR_ROUNDS);
		assert_true(word >= FROZEN && word < FROZEN + 16 * NR_ROUNDS); /* cleared, and junk of later ones */
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_gets_and_puts_leave_the_count_as_it_was),
		cmocka_unit_test(a_frozen_folio_gives_no_reference_and_thaws),
		cmocka_unit_test(the_last_put_is_one_whatever_gets_race_it),
		cmocka_unit_test(junk_is_cleared_by_many_at_once_and_the_mark_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
