/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/kernel/mcs_spinlock.h"

struct mcs_nodes *mcs_nodes_create(struct arena *arena)
{
	return arena_alloc(arena, sizeof(struct mcs_nodes));
}

uint64_t mcs_wait_for_word(struct cpu *cpu, const struct spinlock *lock, struct line *node, enum mcs_word word,
			   double pause_ns)
{
	const struct spin_condition condition = {
		.lock = lock,
		.line = node,
		.word = word,
		.mask = UINT64_MAX,
		.value = 0,
		.others = true,
		.pause_ns = pause_ns,
	};

	return spin_until(cpu, &condition);
}

struct line *mcs_node(struct mcs_nodes *nodes, const struct spinlock *lock, int cpu)
{
	const struct spinlock_site *site = &lock->site;

	if (!nodes->lines)
		nodes->lines = arena_calloc(site->arena, (size_t)machine_nr_cpus(site->machine), sizeof(struct line *));
	if (!nodes->lines[cpu])
		nodes->lines[cpu] = line_create(site->arena, site->machine, site->engine, lock->name,
						machine_place(site->machine, cpu)->node, site->seed + (uint64_t)cpu);
	return nodes->lines[cpu];
}
