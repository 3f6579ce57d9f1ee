/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Slab caches as the page allocator sees them: when a cache takes a block of
 * pages and when it gives one back. mm/slub.c, v6.12: a slab per CPU to
 * allocate from, partly free slabs per CPU and per node, and an empty slab goes
 * back once its node keeps min_partial others.
 *
 * Objects cost nothing here: what a fast path takes is in the constants of the
 * workload that calls. The node's list_lock and the struct pages of slabs are
 * not modelled.
 */
#ifndef CONTEND_KERNEL_SLAB_H
#define CONTEND_KERNEL_SLAB_H

#include <stdint.h>

#include "models/hardware/machine.h"
#include "models/kernel/page_alloc.h"
#include "models/kernel/task.h"
#include "sim/util/arena.h"

struct kmem_cache;
struct slab; /* some pages, cut into objects */

/* A cache for objects of so many bytes; at least 8, at most KMALLOC_MAX_CACHE_BYTES. */
#define KMALLOC_MAX_CACHE_BYTES (2 * PAGE_BYTES)
struct kmem_cache *kmem_cache_create(struct arena *arena, const struct machine *machine, struct page_alloc *page_alloc,
				     uint32_t object_bytes);

/*
 * An object, told by its slab. Both may block (on a zone lock) where they need or give back pages, and freeing may return
 * on another CPU then. NULL when there is no memory.
 */
struct slab *kmem_cache_alloc(struct kmem_cache *cache, struct task *task);
void kmem_cache_free(struct kmem_cache *cache, struct task *task, struct slab *slab);

/* Order of a cache's slabs: calculate_order() with nr_cpus CPUs. */
unsigned slab_order(uint32_t object_bytes, int nr_cpus);

/* Pages in slabs now, and blocks given back on another CPU than the one that took them. */
uint64_t kmem_cache_pages(const struct kmem_cache *cache);
uint64_t kmem_cache_freed_elsewhere(const struct kmem_cache *cache);

#endif
