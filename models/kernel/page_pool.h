/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the driver of a network card has its receive buffers from: single pages that come back to it when their data have
 * been read, net/core/page_pool.c, v6.12, as mlx5 uses it (order 0).
 *
 * The queue's NAPI context takes pages from a cache of its own. An empty cache takes up to 64 from the ring, to which
 * readers on any CPU return pages, and only an empty ring asks the page allocator, for 64 at once. A reader that finds
 * the ring full gives its page back to the allocator.
 *
 * Abstracts: the time of cache and ring, which is in the caller's; two packets that share a page, which here is
 * read as a whole; DMA mappings.
 */
#ifndef CONTEND_KERNEL_PAGE_POOL_H
#define CONTEND_KERNEL_PAGE_POOL_H

#include <stdint.h>

#include "models/kernel/page_alloc.h"
#include "models/kernel/task.h"
#include "sim/util/arena.h"

#define PP_ALLOC_CACHE_REFILL 64

struct page_pool;

/* A page of a pool. */
struct pool_page {
	struct pool_page *next; /* for whoever has it */
	struct page_pool *pool;
	pfn_t pfn;
};

/* Empty at first. Lives in the arena. */
struct page_pool *page_pool_create(struct arena *arena, struct page_alloc *page_alloc, uint32_t ring_pages);

/* By the NAPI context alone. NULL: no memory. May block, and return on another CPU. */
struct pool_page *page_pool_alloc(struct page_pool *pool, struct task *task);

/* By anybody: nobody uses the page any more. The same. */
void page_pool_put(struct task *task, struct pool_page *page);

/* Give back what the pool keeps. */
void page_pool_destroy(struct page_pool *pool, struct task *task);

#endif
