/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Spinlocks on lines: what every policy of zone_lock must keep, the order of
 * those that promise one, and what taking a lock costs in line transactions,
 * counted by hand along queued_spin_lock_slowpath() of Linux v6.12.
 */
#include "models/kernel/spinlock.h"

#include "models/registry.h"
#include "tests/support/rig.h"
#include "tests/support/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ORDER_BYTES 256

/* A lock on a line of its own in a rig. */
struct bench {
	struct rig rig;
	struct policy_choice choice;
	struct spinlock lock;
	int nr_inside, nr_violations, nr_taken;
	int node, nr_node_changes; /* of its holders */
	char order[ORDER_BYTES]; /* who got it */
};

static void bench_create(struct bench *bench, const struct machine_config *config, const struct policy *policy,
			 const char *params)
{
	struct spinlock_site site;

	*bench = (struct bench){ .order = "" };
	rig_create(&bench->rig, config, 1);
	bench->choice = rig_choice_with(&bench->rig, policy, params);
	site = (struct spinlock_site){
		.arena = bench->rig.arena, .machine = bench->rig.machine, .engine = bench->rig.engine, .seed = 1
	};
	spinlock_init(&bench->lock, &site, &bench->choice, "the lock of the test", rig_line(&bench->rig, 0), 2);
}

static void bench_destroy(struct bench *bench)
{
	rig_destroy(&bench->rig);
}

static void bench_run(struct bench *bench)
{
	struct error err = { .text = "" };

	rig_limit(&bench->rig, PS_PER_S);
	rig_run(&bench->rig, &err);
	assert_string_equal(err.text, "");
	assert_int_equal(bench->nr_violations, 0);
	assert_null(bench->lock.holder);
}

static uint64_t transactions_of(const struct cpu *cpu)
{
	uint64_t sum = 0;

	for (int distance = 0; distance < NR_DISTANCES; distance++)
		sum += cpu->counters.transactions[distance];
	return sum;
}

/* One that wants the lock so many times, from a date on, and holds it each time. */
struct taker {
	struct bench *bench;
	int cpu;
	sim_ps at_ps, hold_ps, think_ps;
	int nr_times;
	sim_ps asked_ps, got_ps, let_go_ps; /* the last time */
	sim_ps longest_wait_ps;
	uint64_t transactions; /* to get it, the last time */
	uint64_t transactions_then; /* of the CPU, when it got it */
};

static void hold(struct taker *taker, struct cpu *cpu)
{
	struct bench *bench = taker->bench;
	size_t used = strlen(bench->order);

	if (used + 8 < ORDER_BYTES)
		sprintf(bench->order + used, "%s%d", used ? " " : "", cpu->id);
	cpu_sync(cpu);
	bench->nr_violations += bench->nr_inside++ > 0;
	bench->nr_taken++;
	bench->nr_node_changes += bench->node != cpu->place->node;
	bench->node = cpu->place->node;
	cpu_work(cpu, taker->hold_ps);
	cpu_sync(cpu);
	bench->nr_inside--;
}

static void take(struct cpu *cpu, void *arg)
{
	struct taker *taker = arg;

	cpu_work(cpu, taker->at_ps - cpu->date);
	for (int i = 0; i < taker->nr_times; i++) {
		const uint64_t before = transactions_of(cpu);

		taker->asked_ps = cpu->date;
		spin_lock(cpu, &taker->bench->lock);
		taker->got_ps = cpu->date;
		taker->transactions_then = transactions_of(cpu);
		taker->transactions = taker->transactions_then - before;
		taker->longest_wait_ps = ps_max(taker->longest_wait_ps, cpu->date - taker->asked_ps);
		hold(taker, cpu);
		taker->let_go_ps = cpu->date;
		spin_unlock(cpu, &taker->bench->lock);
		cpu_work(cpu, taker->think_ps);
	}
}

static void start_takers(struct bench *bench, struct taker *takers, int nr)
{
	for (int i = 0; i < nr; i++) {
		takers[i].bench = bench;
		takers[i].nr_times += takers[i].nr_times == 0;
		rig_start(&bench->rig, takers[i].cpu, 1, take, &takers[i]);
	}
}

/* ---- mutual exclusion ---- */

#define NR_ROUNDS 25

static void work_at_random(struct cpu *cpu, void *arg)
{
	struct bench *bench = arg;
	struct taker taker = { .bench = bench };

	for (int i = 0; i < NR_ROUNDS; i++) {
		cpu_work(cpu, rng_between(&cpu->rng, 0, NS(3000)));
		if (i % 4 == 3) {
			while (!spin_trylock(cpu, &bench->lock))
				cpu_work(cpu, NS(100));
		} else {
			spin_lock(cpu, &bench->lock);
		}
		taker.hold_ps = rng_between(&cpu->rng, 1, NS(500));
		hold(&taker, cpu);
		spin_unlock(cpu, &bench->lock);
	}
}

static void one_cpu_at_a_time_has_the_lock_and_all_get_it(void **state)
{
	struct machine_config config = rig_machine(2);

	(void)state;
	for (int i = 0; registry_policy_at(AXIS_ZONE_LOCK, i); i++) {
		for (int far = 0; far < 2; far++) {
			struct bench bench;

			config.line.far_atomics = far;
			bench_create(&bench, &config, registry_policy_at(AXIS_ZONE_LOCK, i), NULL);
			for (int cpu = 0; cpu < 16; cpu++)
				rig_start(&bench.rig, cpu, 1, work_at_random, &bench);
			bench_run(&bench);
			assert_int_equal(bench.nr_taken, 16 * NR_ROUNDS);
			bench_destroy(&bench);
		}
	}
}

/* ---- order ---- */

static void queues_serve_first_come_first(void **state)
{
	static const char *const fair[] = { "qspinlock", "ticket", "mcs" };
	struct machine_config config = rig_machine(1);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fair); i++) {
		struct taker takers[] = {
			{ .cpu = 0, .at_ps = 1 * PS_PER_US, .hold_ps = 20 * PS_PER_US },
			{ .cpu = 5, .at_ps = 2 * PS_PER_US, .hold_ps = PS_PER_US },
			{ .cpu = 1, .at_ps = 3 * PS_PER_US, .hold_ps = PS_PER_US },
			{ .cpu = 7, .at_ps = 4 * PS_PER_US, .hold_ps = 20 * PS_PER_US },
			{ .cpu = 2, .at_ps = 5 * PS_PER_US, .hold_ps = PS_PER_US },
			{ .cpu = 4, .at_ps = 27 * PS_PER_US, .hold_ps = PS_PER_US },
			{ .cpu = 3, .at_ps = 28 * PS_PER_US, .hold_ps = PS_PER_US },
		};
		struct bench bench;

		bench_create(&bench, &config, registry_policy(AXIS_ZONE_LOCK, fair[i]), NULL);
		start_takers(&bench, takers, ARRAY_SIZE(takers));
		bench_run(&bench);
		assert_string_equal(bench.order, "0 5 1 7 2 4 3");
		bench_destroy(&bench);
	}
}

/* ---- costs of a lock that nobody waits for ---- */

/* CPUs 0, 4, 4 and 0 again, which have their queue nodes by then. */
static void a_free_lock_costs_one_transaction_from_elsewhere_and_none_here(void **state)
{
	struct machine_config config = rig_machine(1);

	(void)state;
	for (int i = 0; registry_policy_at(AXIS_ZONE_LOCK, i); i++) {
		struct taker takers[] = {
			{ .cpu = 0, .at_ps = PS_PER_US, .hold_ps = NS(100), .think_ps = 4 * PS_PER_US, .nr_times = 2 },
			{ .cpu = 4, .at_ps = 2 * PS_PER_US, .hold_ps = NS(100), .nr_times = 2 },
		};
		struct bench bench;

		bench_create(&bench, &config, registry_policy_at(AXIS_ZONE_LOCK, i), NULL);
		start_takers(&bench, takers, 2);
		bench_run(&bench);
		assert_int_equal(takers[0].transactions, 1);
		assert_int_equal(takers[1].transactions, 0);
		assert_in_range(takers[1].got_ps - takers[1].asked_ps, NS(5), NS(10));
		for (int cpu = 0; cpu < 2; cpu++) /* unlocking costs none */
			assert_int_equal(transactions_of(&bench.rig.cpus[takers[cpu].cpu]),
					 takers[cpu].transactions_then);
		bench_destroy(&bench);
	}
}

/* ---- trylock ---- */

struct attempts {
	struct bench *bench;
	sim_ps at_ps[3];
	bool got[3];
};

static void attempt(struct cpu *cpu, void *arg)
{
	struct attempts *attempts = arg;

	for (int i = 0; i < 3; i++) {
		cpu_work(cpu, attempts->at_ps[i] - cpu->date);
		attempts->got[i] = spin_trylock(cpu, &attempts->bench->lock);
		if (attempts->got[i])
			spin_unlock(cpu, &attempts->bench->lock);
	}
}

static void a_try_takes_a_free_lock_and_nothing_else(void **state)
{
	struct machine_config config = rig_machine(1);

	(void)state;
	for (int i = 0; registry_policy_at(AXIS_ZONE_LOCK, i); i++) {
		struct taker takers[] = {
			{ .cpu = 0, .at_ps = 2 * PS_PER_US, .hold_ps = 4 * PS_PER_US },
			{ .cpu = 5, .at_ps = 3 * PS_PER_US, .hold_ps = 4 * PS_PER_US },
		};
		struct attempts attempts = { .at_ps = { PS_PER_US, 4 * PS_PER_US, 20 * PS_PER_US } };
		struct bench bench;

		bench_create(&bench, &config, registry_policy_at(AXIS_ZONE_LOCK, i), NULL);
		attempts.bench = &bench;
		start_takers(&bench, takers, 2);
		rig_start(&bench.rig, 2, 1, attempt, &attempts);
		bench_run(&bench);
		assert_true(attempts.got[0]);
		assert_false(attempts.got[1]);
		assert_true(attempts.got[2]);
		bench_destroy(&bench);
	}
}

/* ---- qspinlock: the table ---- */

/* Every core its own cluster of one socket: each transaction takes 100 ns. Spinners look all the time. */
static struct machine_config flat_machine(void)
{
	struct machine_config config = rig_machine(1);

	config.topology.sockets = 1;
	config.topology.clusters_per_node = 16;
	config.topology.cores_per_cluster = 1;
	return config;
}

static void qspinlock_create_flat(struct bench *bench)
{
	struct machine_config config = flat_machine();

	bench_create(bench, &config, registry_policy(AXIS_ZONE_LOCK, "qspinlock"), "pause_ns 0");
}

/* Failed compare-and-swap; the bit and the look behind it hit; the holder stores; read; store. */
static void a_pending_waiter_takes_three_transactions_and_its_holder_one(void **state)
{
	struct taker takers[] = {
		{ .cpu = 0, .at_ps = PS_PER_US, .hold_ps = 10 * PS_PER_US },
		{ .cpu = 1, .at_ps = 2 * PS_PER_US, .hold_ps = PS_PER_US },
	};
	struct bench bench;

	(void)state;
	qspinlock_create_flat(&bench);
	start_takers(&bench, takers, 2);
	bench_run(&bench);
	assert_int_equal(takers[1].transactions, 3);
	assert_int_equal(transactions_of(&bench.rig.cpus[1]), 3);
	assert_int_equal(transactions_of(&bench.rig.cpus[0]), 1 + 1);
	bench_destroy(&bench);
}

/*
 * CPU 2 queues behind a holder and a pending one: a failed compare-and-swap, its node from home, the exchange of the tail,
 * since the pending CPU has read in between. As head it reads again after the holder's unlock, the pending one's store and
 * that one's unlock; last it takes the lock and empties the queue by compare-and-swap.
 */
static void the_head_of_the_queue_reads_again_at_every_change(void **state)
{
	struct taker takers[] = {
		{ .cpu = 0, .at_ps = PS_PER_US, .hold_ps = 10 * PS_PER_US },
		{ .cpu = 1, .at_ps = 2 * PS_PER_US, .hold_ps = 10 * PS_PER_US },
		{ .cpu = 2, .at_ps = 3 * PS_PER_US, .hold_ps = PS_PER_US },
	};
	struct bench bench;

	(void)state;
	qspinlock_create_flat(&bench);
	start_takers(&bench, takers, 3);
	bench_run(&bench);
	assert_string_equal(bench.order, "0 1 2");
	assert_int_equal(takers[2].transactions, 1 + 1 + 1 + 3 + 1);
	bench_destroy(&bench);
}

/* One more behind: it links itself to the node of CPU 2, loses its own node to the hand-over and reads it again. */
static void a_waiter_behind_the_head_spins_on_its_own_node(void **state)
{
	struct taker takers[] = {
		{ .cpu = 0, .at_ps = PS_PER_US, .hold_ps = 10 * PS_PER_US },
		{ .cpu = 1, .at_ps = 2 * PS_PER_US, .hold_ps = 10 * PS_PER_US },
		{ .cpu = 2, .at_ps = 3 * PS_PER_US, .hold_ps = 10 * PS_PER_US },
		{ .cpu = 3, .at_ps = 4 * PS_PER_US, .hold_ps = PS_PER_US },
	};
	struct bench bench;

	(void)state;
	qspinlock_create_flat(&bench);
	start_takers(&bench, takers, 4);
	bench_run(&bench);
	assert_string_equal(bench.order, "0 1 2 3");
	/* failed compare-and-swap, own node, exchange, link, own node again; head: the word, again, and take it */
	assert_int_equal(takers[3].transactions, 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1);
	bench_destroy(&bench);
}

/*
 * With a queue of 8 and holds long enough for all else to settle: the holder's store, the head's read and the head's store
 * follow each other, each a transfer of the lock's line.
 */
static void a_steady_hand_over_takes_three_transfers(void **state)
{
	struct taker takers[8];
	struct bench bench;
	int nr_seen = 0;

	(void)state;
	qspinlock_create_flat(&bench);
	for (int i = 0; i < 8; i++)
		takers[i] = (struct taker){ .cpu = i, .at_ps = (1 + i) * PS_PER_US, .hold_ps = 20 * PS_PER_US };
	start_takers(&bench, takers, 8);
	bench_run(&bench);
	assert_string_equal(bench.order, "0 1 2 3 4 5 6 7");
	for (int i = 3; i < 7; i++) { /* from the second of the queue to the last but one */
		const sim_ps hand_over_ps = takers[i].got_ps - takers[i - 1].let_go_ps;

		assert_in_range(hand_over_ps, NS(285), NS(300));
		nr_seen++;
	}
	assert_int_equal(nr_seen, 4);
	bench_destroy(&bench);
}

/* ---- all at once ---- */

#define NR_TIMES 100

struct crush {
	uint64_t transactions; /* per acquisition, in hundredths */
	int nr_node_changes;
	sim_ps longest_wait_ps;
};

/* 8 CPUs want the lock nearly all the time. */
static struct crush crush_on(const struct machine_config *config, const char *policy, const char *params,
			     sim_ps hold_ps)
{
	struct taker takers[8];
	struct bench bench;
	struct crush crush = { 0 };

	bench_create(&bench, config, registry_policy(AXIS_ZONE_LOCK, policy), params);
	for (int i = 0; i < 8; i++)
		takers[i] = (struct taker){
			.cpu = i, .at_ps = PS_PER_US, .hold_ps = hold_ps, .think_ps = hold_ps / 5, .nr_times = NR_TIMES
		};
	start_takers(&bench, takers, 8);
	bench_run(&bench);
	assert_int_equal(bench.nr_taken, 8 * NR_TIMES);
	for (int i = 0; i < 8; i++) {
		crush.transactions += transactions_of(&bench.rig.cpus[i]) * 100 / (8 * NR_TIMES);
		crush.longest_wait_ps = ps_max(crush.longest_wait_ps, takers[i].longest_wait_ps);
	}
	crush.nr_node_changes = bench.nr_node_changes;
	bench_destroy(&bench);
	return crush;
}

#define HOLD_PS NS(500)

/* Those of two nodes. */
static struct crush crush(const char *policy, const char *params)
{
	struct machine_config config = rig_machine(1);

	return crush_on(&config, policy, params, HOLD_PS);
}

#define TWO_ROUNDS_PS (2 * 8 * (HOLD_PS + 3 * NS(100))) /* of all CPUs: holds and hand-overs */

static void cna_keeps_to_a_node_until_its_threshold_and_starves_nobody(void **state)
{
	const struct crush fair = crush("qspinlock", NULL);
	const struct crush ever = crush("cna", "shuffle_bits 0 threshold_ns 1e9");
	const struct crush ten_us = crush("cna", "shuffle_bits 0 threshold_ns 10000");
	const struct crush fifty_us = crush("cna", "shuffle_bits 0 threshold_ns 50000");

	(void)state;
	/* whoever comes first is done before the other node's first turn */
	assert_in_range(ever.nr_node_changes, 1, 10);
	assert_true(ever.longest_wait_ps > 4 * NR_TIMES * HOLD_PS);
	assert_in_range(ten_us.longest_wait_ps, 10 * PS_PER_US, 10 * PS_PER_US + TWO_ROUNDS_PS);
	assert_in_range(fifty_us.longest_wait_ps, 50 * PS_PER_US, 50 * PS_PER_US + TWO_ROUNDS_PS);
	assert_true(ever.nr_node_changes < fifty_us.nr_node_changes);
	assert_true(fifty_us.nr_node_changes < ten_us.nr_node_changes);
	assert_true(ten_us.nr_node_changes < fair.nr_node_changes);
}

static void a_cna_head_looks_behind_it_as_seldom_as_it_is_told(void **state)
{
	const int fair = crush("qspinlock", NULL).nr_node_changes;
	const int always = crush("cna", "threshold_ns 1e9 shuffle_bits 0").nr_node_changes;
	const int seldom = crush("cna", "threshold_ns 1e9 shuffle_bits 7").nr_node_changes;
	const int never = crush("cna", "threshold_ns 1e9 shuffle_bits 31").nr_node_changes;

	(void)state;
	assert_true(always < seldom && seldom < never);
	assert_int_equal(never, fair);
}

/* In hundredths per acquisition, where every CPU is far from every other and holds are long enough for all to look. */
static uint64_t transactions_apart(const char *policy, const char *params)
{
	struct machine_config config = flat_machine();

	return crush_on(&config, policy, params, 5 * PS_PER_US).transactions;
}

static void backoff_spares_the_line(void **state)
{
	(void)state;
	assert_true(transactions_apart("tas", "first_ns 1000") * 3 < transactions_apart("tas", "first_ns 0") * 2);
	assert_true(transactions_apart("ticket", "backoff_ns 4000") * 3 < transactions_apart("ticket", NULL) * 2);
}

static void all_look_at_a_ticket_and_one_at_a_queue(void **state)
{
	(void)state;
	/* a ticket's release and its 7 waiters; a draw and again the waiters, less who holds the lock */
	assert_in_range(transactions_apart("ticket", NULL), 14 * 100, 16 * 100);
	/* swap, link, and the predecessor's look at it; promotion: look at `next`, store, and look at that */
	assert_in_range(transactions_apart("mcs", NULL), 5 * 100, 7 * 100);
}

/* ---- mistakes ---- */

static void unlock_only(struct cpu *cpu, void *arg)
{
	spin_unlock(cpu, arg);
}

static void lock_twice(struct cpu *cpu, void *arg)
{
	spin_lock(cpu, arg);
	spin_lock(cpu, arg);
}

static void lock_and_keep(struct cpu *cpu, void *arg)
{
	spin_lock(cpu, arg);
}

struct mistake {
	rig_fn *first, *second; /* of CPUs 3 and 6 */
	const char *parts[4]; /* of the error */
};

static void mistakes_end_the_run_and_name_cpu_and_lock(void **state)
{
	static const struct mistake cases[] = {
		{ unlock_only, NULL, { "cpu 3 unlocks the lock of the test, which it does not hold" } },
		{ lock_and_keep, unlock_only, { "cpu 6 unlocks the lock of the test, which it does not hold" } },
		{ lock_twice, NULL, { "cpu 3 takes the lock of the test, which it holds already" } },
		{ lock_and_keep, lock_and_keep, { "deadlock", "cpu 6", "the lock of the test" } },
	};
	struct machine_config config = rig_machine(1);

	(void)state;
	for (int policy = 0; registry_policy_at(AXIS_ZONE_LOCK, policy); policy++) {
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			struct error err = { .text = "" };
			struct bench bench;

			bench_create(&bench, &config, registry_policy_at(AXIS_ZONE_LOCK, policy), NULL);
			rig_start(&bench.rig, 3, 1, cases[i].first, &bench.lock);
			if (cases[i].second)
				rig_start(&bench.rig, 6, PS_PER_US, cases[i].second, &bench.lock);
			assert_int_equal(rig_run(&bench.rig, &err), -1);
			for (int part = 0; part < 4 && cases[i].parts[part]; part++)
				assert_non_null(strstr(err.text, cases[i].parts[part]));
			bench_destroy(&bench);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_cpu_at_a_time_has_the_lock_and_all_get_it),
		cmocka_unit_test(queues_serve_first_come_first),
		cmocka_unit_test(a_free_lock_costs_one_transaction_from_elsewhere_and_none_here),
		cmocka_unit_test(a_try_takes_a_free_lock_and_nothing_else),
		cmocka_unit_test(a_pending_waiter_takes_three_transactions_and_its_holder_one),
		cmocka_unit_test(the_head_of_the_queue_reads_again_at_every_change),
		cmocka_unit_test(a_waiter_behind_the_head_spins_on_its_own_node),
		cmocka_unit_test(a_steady_hand_over_takes_three_transfers),
		cmocka_unit_test(cna_keeps_to_a_node_until_its_threshold_and_starves_nobody),
		cmocka_unit_test(a_cna_head_looks_behind_it_as_seldom_as_it_is_told),
		cmocka_unit_test(backoff_spares_the_line),
		cmocka_unit_test(all_look_at_a_ticket_and_one_at_a_queue),
		cmocka_unit_test(mistakes_end_the_run_and_name_cpu_and_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
