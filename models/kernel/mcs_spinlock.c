/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/kernel/mcs_spinlock.h"

struct mcs_nodes *mcs_nodes_create(struct arena *arena)
{
	return arena_alloc(arena, sizeof(struct mcs_nodes));
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
