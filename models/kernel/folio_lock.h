/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The folio lock: bit PG_locked in the flags word. Taking and dropping it is
 * the same for all (one atomic each, on the struct page line); what a CPU does
 * that finds it taken is the axis `folio_lock`.
 */
#ifndef CONTEND_KERNEL_FOLIO_LOCK_H
#define CONTEND_KERNEL_FOLIO_LOCK_H

#include <stdbool.h>

#include "models/hardware/cpu.h"
#include "models/kernel/folio.h"
#include "models/kernel/policy.h"

struct folio_lock_policy {
	struct policy policy;

	/* __folio_lock(): PG_locked was found set. Returns with the lock held. */
	void (*lock_slow)(const void *params, struct cpu *cpu, struct folio *folio);

	/* folio_wake_bit(): PG_waiters was seen set when the lock was dropped. */
	void (*wake)(const void *params, struct cpu *cpu, struct folio *folio);
};

/* folio_trylock(): test-and-set of PG_locked, one atomic. */
bool folio_trylock(struct cpu *cpu, struct folio *folio);

/* folio_lock() and folio_unlock(): the latter flips PG_locked and looks at PG_waiters in one atomic. */
void folio_lock(const struct policy_choice *choice, struct cpu *cpu, struct folio *folio);
void folio_unlock(const struct policy_choice *choice, struct cpu *cpu, struct folio *folio);

#endif
