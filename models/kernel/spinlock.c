/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/kernel/spinlock.h"

static const struct spinlock_policy *spinlock_policy(const struct spinlock *lock)
{
	return (const struct spinlock_policy *)(const void *)lock->choice->policy;
}

void spinlock_init(struct spinlock *lock, const struct spinlock_site *site, const struct policy_choice *choice,
		   const char *name, struct line *line, int word)
{
	*lock = (struct spinlock){ .choice = choice, .name = name, .site = *site, .line = line, .word = word };
	lock->queue = spinlock_policy(lock)->create(choice->params, site->arena, lock);
}

static void check_not_held(const struct cpu *cpu, const struct spinlock *lock)
{
	if (lock->holder == cpu)
		engine_fail(lock->site.engine, "cpu %d takes %s, which it holds already", cpu->id, lock->name);
}

static void note_holder(const struct cpu *cpu, struct spinlock *lock)
{
	if (lock->holder)
		engine_fail(lock->site.engine, "cpu %d has taken %s, which cpu %d holds", cpu->id, lock->name,
			    lock->holder->id);
	lock->holder = cpu;
}

void spin_lock(struct cpu *cpu, struct spinlock *lock)
{
	check_not_held(cpu, lock);
	spinlock_policy(lock)->lock(lock->choice->params, cpu, lock);
	note_holder(cpu, lock);
}

bool spin_trylock(struct cpu *cpu, struct spinlock *lock)
{
	const bool taken = spinlock_policy(lock)->trylock(lock->choice->params, cpu, lock);

	if (taken)
		note_holder(cpu, lock);
	return taken;
}

void spin_unlock(struct cpu *cpu, struct spinlock *lock)
{
	if (lock->holder != cpu)
		engine_fail(lock->site.engine, "cpu %d unlocks %s, which it does not hold", cpu->id, lock->name);
	lock->holder = NULL;
	spinlock_policy(lock)->unlock(lock->choice->params, cpu, lock);
}

uint64_t spin_until(struct cpu *cpu, const struct spin_condition *condition)
{
	const sim_ps pause_ps = ns_to_ps(condition->pause_ns);
	const sim_ps began = cpu->date;
	uint64_t value = line_read(cpu, condition->line, condition->word);

	while (((value & condition->mask) == condition->value) == condition->others) {
		line_await_change(cpu, condition->line, condition->word, value, condition->lock->name);
		if (pause_ps)
			cpu_work(cpu, pause_ps - (cpu->date - began) % pause_ps);
		value = line_read(cpu, condition->line, condition->word);
	}
	return value;
}
