/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/kernel/folio_lock.h"

static const struct folio_lock_policy *folio_lock_policy(const struct policy_choice *choice)
{
	return (const struct folio_lock_policy *)(const void *)choice->policy;
}

bool folio_trylock(struct cpu *cpu, struct folio *folio)
{
	return !(line_fetch_or(cpu, folio->page, FOLIO_FLAGS, PG_LOCKED) & PG_LOCKED);
}

void folio_lock(const struct policy_choice *choice, struct cpu *cpu, struct folio *folio)
{
	if (!folio_trylock(cpu, folio))
		folio_lock_policy(choice)->lock_slow(choice->params, cpu, folio);
}

void folio_unlock(const struct policy_choice *choice, struct cpu *cpu, struct folio *folio)
{
	if (line_fetch_xor(cpu, folio->page, FOLIO_FLAGS, PG_LOCKED) & PG_WAITERS)
		folio_lock_policy(choice)->wake(choice->params, cpu, folio);
}
