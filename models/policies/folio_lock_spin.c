/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * folio_lock: spin. A CPU that finds the lock taken reads until it looks free
 * and tries again. Not what Linux does: the counterpart to `sleep`.
 */
#include "models/kernel/folio_lock.h"

struct spin_params {
	double pause_ns;
};

static const struct param spin_params[] = {
	PARAM(struct spin_params, pause_ns, "ns", 40, 1, 1e6,
	      "pause between two looks at the lock (x86 PAUSE: about 40 ns from Skylake on)"),
	PARAM_END,
};

static void spin_lock_slow(const void *params, struct cpu *cpu, struct folio *folio)
{
	const struct spin_params *spin = params;

	do {
		do
			cpu_work(cpu, ns_to_ps(spin->pause_ns));
		while (line_read(cpu, folio->page, FOLIO_FLAGS) & PG_LOCKED);
	} while (!folio_trylock(cpu, folio));
}

static void spin_wake(const void *params, struct cpu *cpu, struct folio *folio)
{
	(void)params, (void)cpu, (void)folio; /* nobody sleeps, so nobody sets PG_waiters */
}

const struct folio_lock_policy folio_lock_spin = {
	.policy = {
		.name = "spin",
		.summary = "a CPU that finds the folio locked spins on it",
		.mirrors = "none; what __folio_lock() in mm/filemap.c would be without sleeping",
		.params = spin_params,
		.params_size = sizeof(struct spin_params),
	},
	.lock_slow = spin_lock_slow,
	.wake = spin_wake,
};
