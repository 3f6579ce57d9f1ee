/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where areas of vmalloc() lie in the kernel's address space, and the locks
 * that CPUs share over that (alloc_vmap_area() and free_vmap_area_noflush() of
 * mm/vmalloc.c, 6.9 to 7.1).
 *
 * There is a node per CPU, up to a bound. A CPU takes addresses from the pool
 * of its own node, by exact size, or when that is empty from what is free of
 * all, under the one free_vmap_area_lock. Which node has an area among its busy
 * ones its address says (64 KiB of each node by turns), so that lock is often
 * another CPU's. A freed area waits at the node that it was taken for until
 * vmap_lazy_nr is above lazy_max_pages(); then all go back to pools, and a
 * quarter of what pools held goes back to all.
 *
 * Reduced: the purge runs where the threshold is passed instead of in a worker
 * on that CPU, and fills a node's pools under one hold; its flush of TLBs and
 * what it does with each area are in the caller's constants. Addresses that go
 * back to all are not found again, as there are enough of them; so trees have
 * no depth here, and any work under a lock takes hold_ps. Alignment is left
 * out.
 */
#ifndef CONTEND_KERNEL_VMAP_AREA_H
#define CONTEND_KERNEL_VMAP_AREA_H

#include "models/hardware/machine.h"
#include "models/kernel/policy.h"
#include "models/kernel/spinlock.h"
#include "sim/util/arena.h"

#define VMAP_MAX_NODES 128 /* vmap_init_nodes() */

struct vmap;
struct vmap_area;

struct vmap_site {
	struct arena *arena;
	const struct machine *machine;
	struct engine *engine;
	const struct policy_choice *lock; /* of the axis zone_lock; outlives it */
	uint64_t seed;
	int max_nodes; /* 1 to VMAP_MAX_NODES; 1: no pools, as up to 6.8 */
	sim_ps hold_ps; /* under any of the locks */
};

struct vmap *vmap_create(const struct vmap_site *site);

/*
 * alloc_vmap_area(): addresses for nr_pages and a guard page; vmap_free() takes them back. Both block while others have a
 * lock, and charge nothing but locks, what is done under them, and the atomic of the lazy pages.
 */
struct vmap_area *vmap_alloc(struct vmap *vmap, struct cpu *cpu, uint32_t nr_pages);
void vmap_free(struct vmap *vmap, struct cpu *cpu, struct vmap_area *area);

/* What the two charge a CPU that has all lines to itself, but for purges. */
sim_ps vmap_alloc_alone_ps(const struct vmap *vmap);
sim_ps vmap_free_alone_ps(const struct vmap *vmap);

/* How often each kind of lock was taken. */
struct vmap_counters {
	uint64_t pool, busy, lazy, free;
	uint64_t purges;
};

void vmap_counters(const struct vmap *vmap, struct vmap_counters *counters);

#endif
