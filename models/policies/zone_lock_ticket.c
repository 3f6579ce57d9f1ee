/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * zone_lock: ticket, what Linux had on x86 from v2.6.25 to v4.1. First come,
 * first served; every waiter spins on the lock's own line, so that each release
 * makes all of them read it again:
 *
 *	next   the next ticket to be drawn, by fetch-and-add
 *	owner  the ticket that holds the lock; the holder stores the following one
 *
 * The collapse under many waiters is that of Boyd-Wickizer and others,
 * Non-scalable locks are dangerous, OLS 2012. Proportional backoff is that of
 * Mellor-Crummey and Scott, ACM TOCS 9(1), 1991, section 2.2.
 */
#include "models/kernel/spinlock.h"

struct ticket_params {
	double pause_ns;
	double backoff_ns;
};

static const struct param ticket_params[] = {
	SPIN_PAUSE_PARAM(struct ticket_params),
	PARAM(struct ticket_params, backoff_ns, "ns", 0, 0, 1e6,
	      "proportional backoff: pause before the next look, per waiter ahead; 0 spins"),
	PARAM_END,
};

/* What the holder knows; it is in a register. */
struct ticket_queue {
	uint64_t owner;
};

static int next_word(const struct spinlock *lock)
{
	return lock->word;
}

static int owner_word(const struct spinlock *lock)
{
	return lock->word + 1;
}

static void *ticket_create(const void *params, struct arena *arena, struct spinlock *lock)
{
	(void)params, (void)lock;
	return arena_alloc(arena, sizeof(struct ticket_queue));
}

static void note_owner(struct spinlock *lock, uint64_t ticket)
{
	struct ticket_queue *queue = lock->queue;

	queue->owner = ticket;
}

static void wait_spinning(const struct ticket_params *params_of_ticket, struct cpu *cpu, struct spinlock *lock,
			  uint64_t ticket)
{
	const struct spin_condition condition = {
		.lock = lock,
		.line = lock->line,
		.word = owner_word(lock),
		.mask = UINT64_MAX,
		.value = ticket,
		.pause_ns = params_of_ticket->pause_ns,
	};

	spin_until(cpu, &condition);
}

/* Looks that would hit a copy of the line that nobody has changed are not simulated. */
static void wait_backing_off(sim_ps backoff_ps, struct cpu *cpu, struct spinlock *lock, uint64_t ticket)
{
	uint64_t owner;

	while ((owner = line_read(cpu, lock->line, owner_word(lock))) != ticket) {
		const sim_ps period_ps = (sim_ps)(ticket - owner) * backoff_ps;
		const sim_ps looked = cpu->date;

		line_await_change(cpu, lock->line, owner_word(lock), owner, lock->name);
		cpu_work(cpu, period_ps - (cpu->date - looked) % period_ps);
	}
}

static void ticket_lock(const void *params, struct cpu *cpu, struct spinlock *lock)
{
	const struct ticket_params *params_of_ticket = params;
	const sim_ps backoff_ps = ns_to_ps(params_of_ticket->backoff_ns);
	const uint64_t ticket = line_fetch_add(cpu, lock->line, next_word(lock), 1);

	if (backoff_ps)
		wait_backing_off(backoff_ps, cpu, lock, ticket);
	else
		wait_spinning(params_of_ticket, cpu, lock, ticket);
	note_owner(lock, ticket);
}

/* `next` only grows: when it is still what it was as it equalled `owner`, the lock was free all the time. */
static bool ticket_trylock(const void *params, struct cpu *cpu, struct spinlock *lock)
{
	uint64_t next = line_read(cpu, lock->line, next_word(lock));
	const uint64_t ticket = next;

	(void)params;
	if (line_read(cpu, lock->line, owner_word(lock)) != ticket ||
	    !line_cas(cpu, lock->line, next_word(lock), &next, ticket + 1))
		return false;
	note_owner(lock, ticket);
	return true;
}

static void ticket_unlock(const void *params, struct cpu *cpu, struct spinlock *lock)
{
	const struct ticket_queue *queue = lock->queue;

	(void)params;
	line_post_bits(cpu, lock->line, owner_word(lock), UINT64_MAX, queue->owner + 1);
}

const struct spinlock_policy zone_lock_ticket = {
	.policy = {
		.name = "ticket",
		.summary = "ticket lock: first come, first served, all waiters spin on the lock's line",
		.mirrors = "__ticket_spin_lock() in arch/x86/include/asm/spinlock.h of v2.6.25 to v4.1",
		.params = ticket_params,
		.params_size = sizeof(struct ticket_params),
	},
	.create = ticket_create,
	.lock = ticket_lock,
	.trylock = ticket_trylock,
	.unlock = ticket_unlock,
};
