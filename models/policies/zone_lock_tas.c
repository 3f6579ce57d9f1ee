/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * zone_lock: tas, test-and-set with exponential backoff. No queue: who finds
 * the lock taken pauses for a random time and looks again, at most twice as
 * long each time; who finds it free swaps in a 1. Whoever comes first wins, so
 * CPUs near the line can keep others out. Without backoff a waiter spins on its
 * copy of the line until the lock is free (test-and-test-and-set).
 *
 * Anderson, The performance of spin lock alternatives for shared-memory
 * multiprocessors, IEEE TPDS 1(1), 1990; Mellor-Crummey and Scott, ACM TOCS
 * 9(1), 1991, section 2.1. Linux has no such lock on x86 but for guests
 * (virt_spin_lock(), without backoff).
 */
#include "models/kernel/spinlock.h"
#include "sim/util/rng.h"

#define BACKOFF_RNG_STREAM (UINT64_C(3) << 32) /* apart from the streams of CPUs and lines */

struct tas_params {
	double pause_ns;
	double first_ns;
	double longest_ns;
};

/* The shortest is about one transfer between cores of a socket, the longest about what a hundred of them take. */
static const struct param tas_params[] = {
	SPIN_PAUSE_PARAM(struct tas_params),
	PARAM(struct tas_params, first_ns, "ns", 100, 0, 1e6, "the first pause is at most so long; 0: spin"),
	PARAM(struct tas_params, longest_ns, "ns", 10000, 0, 1e7, "no pause is longer"),
	PARAM_END,
};

struct tas_queue {
	struct rng rng;
};

static void *tas_create(const void *params, struct arena *arena, struct spinlock *lock)
{
	struct tas_queue *queue = arena_alloc(arena, sizeof(*queue));

	(void)params;
	queue->rng = rng_stream(lock->site.seed, BACKOFF_RNG_STREAM);
	return queue;
}

static bool test_and_set(struct cpu *cpu, struct spinlock *lock)
{
	return line_swap(cpu, lock->line, lock->word, 1) == 0;
}

static void spin_until_free(const struct tas_params *tas, struct cpu *cpu, const struct spinlock *lock)
{
	const struct spin_condition condition = {
		.lock = lock,
		.line = lock->line,
		.word = lock->word,
		.mask = UINT64_MAX,
		.value = 0,
		.pause_ns = tas->pause_ns,
	};

	spin_until(cpu, &condition);
}

/*
 * Pauses and looks until the lock is free. Returns the limit of the pause after these. Looks that would hit a copy of the
 * line that nobody has changed are not simulated.
 */
static sim_ps back_off_until_free(sim_ps limit_ps, sim_ps longest_ps, struct cpu *cpu, struct spinlock *lock)
{
	struct tas_queue *queue = lock->queue;
	sim_ps look = cpu->date;
	uint64_t seen;

	for (;;) {
		do {
			look += rng_between(&queue->rng, 1, limit_ps);
			limit_ps = ps_min(2 * limit_ps, longest_ps);
		} while (look <= cpu->date);
		cpu_work(cpu, look - cpu->date);
		seen = line_read(cpu, lock->line, lock->word);
		if (!seen)
			return limit_ps;
		line_await_change(cpu, lock->line, lock->word, seen, lock->name);
	}
}

static void tas_lock(const void *params, struct cpu *cpu, struct spinlock *lock)
{
	const struct tas_params *tas = params;
	const sim_ps longest_ps = ns_to_ps(tas->longest_ns);
	sim_ps limit_ps = ps_min(ns_to_ps(tas->first_ns), longest_ps);

	while (!test_and_set(cpu, lock)) {
		if (limit_ps)
			limit_ps = back_off_until_free(limit_ps, longest_ps, cpu, lock);
		else
			spin_until_free(tas, cpu, lock);
	}
}

static bool tas_trylock(const void *params, struct cpu *cpu, struct spinlock *lock)
{
	(void)params;
	return line_read(cpu, lock->line, lock->word) == 0 && test_and_set(cpu, lock);
}

static void tas_unlock(const void *params, struct cpu *cpu, struct spinlock *lock)
{
	(void)params;
	line_post_bits(cpu, lock->line, lock->word, UINT64_MAX, 0);
}

const struct spinlock_policy zone_lock_tas = {
	.policy = {
		.name = "tas",
		.summary = "test-and-set with exponential backoff: no queue, no fairness",
		.mirrors = "none; virt_spin_lock() in arch/x86/include/asm/qspinlock.h with backoff",
		.params = tas_params,
		.params_size = sizeof(struct tas_params),
	},
	.create = tas_create,
	.lock = tas_lock,
	.trylock = tas_trylock,
	.unlock = tas_unlock,
};
