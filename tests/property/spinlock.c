/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What every policy of zone_lock keeps on any machine, with any CPUs, holds and
 * pauses: one CPU at a time, every CPU its turns, nobody in the end, and the
 * same dates by both engines. A case that fails prints its seed.
 */
#include "models/kernel/spinlock.h"

#include "models/registry.h"
#include "tests/support/random_machine.h"
#include "tests/support/rig.h"
#include "tests/support/unit.h"

#include <inttypes.h>

#ifdef __SANITIZE_ADDRESS__
#define NR_SEEDS 3 /* each SimGrid actor is a thread */
#else
#define NR_SEEDS 24
#endif
#define MAX_WORKERS 16
#define NR_ROUNDS 10
#define MAX_TURNS (MAX_WORKERS * NR_ROUNDS * 2)

/* One acquisition. */
struct turn {
	int cpu, lock;
	sim_ps date;
};

/* Two locks, the second also taken inside the first, as zone->lock is inside pcp->lock. */
struct contest {
	struct rig rig;
	struct policy_choice choice;
	struct spinlock locks[2];
	int nr_inside[2];
	int nr_violations;
	sim_ps think_ps, hold_ps; /* at most */
	struct turn turns[MAX_TURNS];
	int nr_turns;
};

static void enter(struct contest *contest, struct cpu *cpu, int lock)
{
	cpu_sync(cpu);
	contest->nr_violations += contest->nr_inside[lock]++ > 0;
	if (contest->nr_turns < MAX_TURNS)
		contest->turns[contest->nr_turns++] = (struct turn){ .cpu = cpu->id, .lock = lock, .date = cpu->date };
	cpu_work(cpu, rng_between(&cpu->rng, 0, contest->hold_ps));
}

static void leave(struct contest *contest, struct cpu *cpu, int lock)
{
	cpu_sync(cpu);
	contest->nr_inside[lock]--;
	spin_unlock(cpu, &contest->locks[lock]);
}

static void work(struct cpu *cpu, void *arg)
{
	struct contest *contest = arg;

	for (int i = 0; i < NR_ROUNDS; i++) {
		const bool outer = rng_below(&cpu->rng, 2) && spin_trylock(cpu, &contest->locks[0]);

		if (outer)
			enter(contest, cpu, 0);
		spin_lock(cpu, &contest->locks[1]);
		enter(contest, cpu, 1);
		leave(contest, cpu, 1);
		if (outer)
			leave(contest, cpu, 0);
		cpu_work(cpu, rng_between(&cpu->rng, 0, contest->think_ps));
	}
}

static void create(struct contest *contest, const struct policy *policy, enum engine_kind engine, uint64_t seed)
{
	struct rng rng = rng_stream(seed, 4000);
	struct arena *arena = arena_create();
	struct machine_config config = random_machine(&rng, arena);
	int cpus[MAX_WORKERS];
	int nr_cpus, nr;

	config.topology.cores_per_cluster++;
	rig_create_on(&contest->rig, &config, seed, engine);
	nr_cpus = machine_nr_cpus(contest->rig.machine);
	nr = (int)rng_between(&rng, 2, nr_cpus < MAX_WORKERS ? nr_cpus : MAX_WORKERS);
	random_cpus(&rng, nr_cpus, cpus, nr);
	contest->choice = rig_choice_with(&contest->rig, policy, rng_below(&rng, 2) ? "pause_ns 0" : NULL);
	contest->think_ps = rng_between(&rng, 0, NS(2000));
	contest->hold_ps = rng_between(&rng, 0, NS(1000));
	for (int i = 0; i < 2; i++) {
		const int home_node = (int)rng_below(&rng, (uint64_t)machine_nr_nodes(contest->rig.machine));
		const struct spinlock_site site = { .arena = contest->rig.arena,
						    .machine = contest->rig.machine,
						    .engine = contest->rig.engine,
						    .home_node = home_node,
						    .seed = seed + (uint64_t)i };

		spinlock_init(&contest->locks[i], &site, &contest->choice, "a lock", rig_line(&contest->rig, home_node),
			      1);
	}
	for (int i = 0; i < nr; i++)
		rig_start(&contest->rig, cpus[i], rng_between(&rng, 1, NS(100)), work, contest);
	rig_limit(&contest->rig, PS_PER_S);
	arena_destroy(arena);
}

/* How often each CPU that started had the second lock. */
static int nr_short_of_turns(const struct contest *contest)
{
	int nr = 0;

	for (int id = 0; id < machine_nr_cpus(contest->rig.machine); id++) {
		int nr_turns = 0;

		for (int i = 0; i < contest->nr_turns; i++)
			nr_turns += contest->turns[i].lock == 1 && contest->turns[i].cpu == id;
		nr += contest->rig.cpus[id].actor && nr_turns != NR_ROUNDS;
	}
	return nr;
}

/* Wrong things; what the run did goes into `contest`, whose rig is gone afterwards. */
static int run(struct contest *contest, const struct policy *policy, enum engine_kind engine, uint64_t seed)
{
	struct error err = { .text = "" };
	int nr_wrong;

	*contest = (struct contest){ .nr_turns = 0 };
	create(contest, policy, engine, seed);
	nr_wrong = (rig_run(&contest->rig, &err) != 0) + contest->nr_violations + nr_short_of_turns(contest);
	for (int i = 0; i < 2; i++)
		nr_wrong += contest->locks[i].holder != NULL;
	if (nr_wrong)
		print_error("%s, seed %" PRIu64 ": %d wrong, %d turns; %s\n", policy->name, seed, nr_wrong,
			    contest->nr_turns, err.text);
	rig_destroy(&contest->rig);
	return nr_wrong;
}

static bool same_turns(const struct contest *a, const struct contest *b)
{
	if (a->nr_turns != b->nr_turns)
		return false;
	for (int i = 0; i < a->nr_turns; i++)
		if (a->turns[i].cpu != b->turns[i].cpu || a->turns[i].lock != b->turns[i].lock ||
		    a->turns[i].date != b->turns[i].date)
			return false;
	return true;
}

static void one_cpu_at_a_time_and_each_its_turns_at_the_same_dates_by_both_engines(void **state)
{
	(void)state;
	for (int i = 0; registry_policy_at(AXIS_ZONE_LOCK, i); i++) {
		const struct policy *policy = registry_policy_at(AXIS_ZONE_LOCK, i);

		for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
			static const size_t bytes = sizeof(struct contest);
			struct contest *fast = test_malloc(bytes), *simgrid = test_malloc(bytes);

			assert_int_equal(run(fast, policy, ENGINE_FAST, seed), 0);
			assert_int_equal(run(simgrid, policy, ENGINE_SIMGRID, seed), 0);
			if (!same_turns(fast, simgrid))
				print_error("%s, seed %" PRIu64 ": the engines differ\n", policy->name, seed);
			assert_true(same_turns(fast, simgrid));
			test_free(fast);
			test_free(simgrid);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_cpu_at_a_time_and_each_its_turns_at_the_same_dates_by_both_engines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
