/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A spinlock made of cache lines, so that what a hand-over costs and what
 * arrivals do to the owner come out of the line model.
 *
 * How CPUs queue up is the axis `zone_lock`: qspinlock (Linux), ticket, mcs,
 * cna, tas. All leave interrupts to the caller: spin_lock_irqsave() is
 * spin_lock() here, and the time from asking to letting go is counted as time
 * with interrupts off.
 */
#ifndef CONTEND_KERNEL_SPINLOCK_H
#define CONTEND_KERNEL_SPINLOCK_H

#include <stdbool.h>

#include "models/hardware/cpu.h"
#include "models/hardware/line.h"
#include "models/kernel/policy.h"
#include "sim/util/arena.h"

struct spinlock;

struct spinlock_policy {
	struct policy policy;

	/* What the policy keeps beside the lock word (queue nodes); NULL when it needs nothing. */
	void *(*create)(const void *params, struct arena *arena, struct spinlock *lock);

	/* Returns with the lock held. Blocks while another CPU has it. */
	void (*lock)(const void *params, struct cpu *cpu, struct spinlock *lock);

	/* One try, never waits for the holder (but for the line). */
	bool (*trylock)(const void *params, struct cpu *cpu, struct spinlock *lock);

	void (*unlock)(const void *params, struct cpu *cpu, struct spinlock *lock);
};

struct spinlock_site {
	struct arena *arena;
	const struct machine *machine;
	struct engine *engine;
	int home_node; /* of the lock's line */
	uint64_t seed;
};

struct spinlock {
	const struct policy_choice *choice;
	const char *name; /* for deadlock reports */
	struct spinlock_site site;
	struct line *line; /* what else lives on it is the caller's business */
	int word; /* the lock word; policies may also use word + 1 */
	void *queue; /* the policy's own */
	const struct cpu *holder; /* NULL: free. For checks alone, never for timing */
};

/* A free lock in word and word + 1 of a line. `choice` outlives it. */
void spinlock_init(struct spinlock *lock, const struct spinlock_site *site, const struct policy_choice *choice,
		   const char *name, struct line *line, int word);

/*
 * What they cost is the policy's accesses of lines. They block: spin_lock() also as long as another CPU has the lock.
 * Taking a lock that this CPU holds and unlocking one that it does not fail the run (engine_fail).
 */
void spin_lock(struct cpu *cpu, struct spinlock *lock);
bool spin_trylock(struct cpu *cpu, struct spinlock *lock);
void spin_unlock(struct cpu *cpu, struct spinlock *lock);

/* What a policy's spinner waits for: the bits of `mask` in a word to be those of `value`, or to be others. */
struct spin_condition {
	const struct spinlock *lock; /* for deadlock reports */
	struct line *line;
	int word;
	uint64_t mask, value;
	bool others;
	double pause_ns; /* between two looks: a change is seen at the next one */
};

/*
 * smp_cond_load_acquire(): for policies, read a word until the condition holds; returns the word. Every look is a
 * line_read, but none is simulated while the copy of the line stays: see line_await_change.
 */
uint64_t spin_until(struct cpu *cpu, const struct spin_condition *condition);

/* pause_ns of a policy's parameter table. */
#define SPIN_PAUSE_PARAM(type) \
	PARAM(type, pause_ns, "ns", 40, 0, 1e6, \
	      "cpu_relax() between two looks of a spinner (x86 PAUSE: about 40 ns from Skylake on)")

#endif
