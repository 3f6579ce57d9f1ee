/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * zone_lock: mcs, a queue of waiters each of which spins on a line of its own.
 * The word is the tail of the queue; the holder is in it until it unlocks.
 *
 *	lock      swap the tail; behind somebody: store to its node, spin on the own one
 *	unlock    nobody behind: tail -> 0 by compare-and-swap; else store to the next one's node
 *
 * Mellor-Crummey and Scott, Algorithms for scalable synchronization on
 * shared-memory multiprocessors, ACM TOCS 9(1), 1991, section 2.4. What a
 * hand-over costs does not depend on how many wait.
 */
#include "models/kernel/mcs_spinlock.h"

struct mcs_params {
	double pause_ns;
};

static const struct param mcs_params[] = {
	SPIN_PAUSE_PARAM(struct mcs_params),
	PARAM_END,
};

static void *mcs_create(const void *params, struct arena *arena, struct spinlock *lock)
{
	(void)params, (void)lock;
	return mcs_nodes_create(arena);
}

static struct line *node_of(const struct spinlock *lock, int cpu)
{
	return mcs_node(lock->queue, lock, cpu);
}

/* Spin on a word of the own node until it is not 0. */
static uint64_t wait_for_word(const struct mcs_params *mcs, struct cpu *cpu, struct spinlock *lock, enum mcs_word word)
{
	return mcs_wait_for_word(cpu, lock, node_of(lock, cpu->id), word, mcs->pause_ns);
}

static void mcs_lock(const void *params, struct cpu *cpu, struct spinlock *lock)
{
	struct line *node = node_of(lock, cpu->id);
	uint64_t prev;

	line_write(cpu, node, MCS_LOCKED, 0);
	line_write(cpu, node, MCS_NEXT, 0);
	prev = line_swap(cpu, lock->line, lock->word, mcs_pointer(cpu->id));
	if (!prev)
		return;
	line_write(cpu, node_of(lock, mcs_cpu(prev)), MCS_NEXT, mcs_pointer(cpu->id));
	wait_for_word(params, cpu, lock, MCS_LOCKED);
}

static bool mcs_trylock(const void *params, struct cpu *cpu, struct spinlock *lock)
{
	struct line *node = node_of(lock, cpu->id);
	uint64_t tail = line_read(cpu, lock->line, lock->word);

	(void)params;
	if (tail)
		return false;
	line_write(cpu, node, MCS_NEXT, 0);
	return line_cas(cpu, lock->line, lock->word, &tail, mcs_pointer(cpu->id));
}

static void mcs_unlock(const void *params, struct cpu *cpu, struct spinlock *lock)
{
	uint64_t tail = mcs_pointer(cpu->id);
	uint64_t next = line_read(cpu, node_of(lock, cpu->id), MCS_NEXT);

	if (!next) {
		if (line_cas(cpu, lock->line, lock->word, &tail, 0))
			return;
		next = wait_for_word(params, cpu, lock, MCS_NEXT); /* has swapped the tail, not yet linked itself */
	}
	line_post_bits(cpu, node_of(lock, mcs_cpu(next)), MCS_LOCKED, UINT64_MAX, 1);
}

const struct spinlock_policy zone_lock_mcs = {
	.policy = {
		.name = "mcs",
		.summary = "MCS lock: a first come, first served queue, each waiter spins on a line of its own",
		.mirrors = "none for spinlocks; mcs_spin_lock() in kernel/locking/mcs_spinlock.h",
		.params = mcs_params,
		.params_size = sizeof(struct mcs_params),
	},
	.create = mcs_create,
	.lock = mcs_lock,
	.trylock = mcs_trylock,
	.unlock = mcs_unlock,
};
