/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/kernel/page_pool.h"

struct page_pool {
	struct arena *arena;
	struct page_alloc *page_alloc;
	struct pool_page *cache, *ring;
	uint32_t nr_ring, ring_pages;
	struct pool_page *unused; /* not of any page */
};

struct page_pool *page_pool_create(struct arena *arena, struct page_alloc *page_alloc, uint32_t ring_pages)
{
	struct page_pool *pool = arena_alloc(arena, sizeof(*pool));

	*pool = (struct page_pool){ .arena = arena, .page_alloc = page_alloc, .ring_pages = ring_pages };
	return pool;
}

static void push(struct pool_page **list, struct pool_page *page)
{
	page->next = *list;
	*list = page;
}

static struct pool_page *pop(struct pool_page **list)
{
	struct pool_page *page = *list;

	if (page)
		*list = page->next;
	return page;
}

/* page_pool_refill_alloc_cache() */
static void refill_from_ring(struct page_pool *pool)
{
	for (int i = 0; i < PP_ALLOC_CACHE_REFILL && pool->nr_ring; i++) {
		push(&pool->cache, pop(&pool->ring));
		pool->nr_ring--;
	}
}

/* __page_pool_alloc_pages_slow() */
static void refill_from_allocator(struct page_pool *pool, struct task *task)
{
	pfn_t pages[PP_ALLOC_CACHE_REFILL];
	const uint32_t nr = alloc_pages_bulk(pool->page_alloc, task, MIGRATE_UNMOVABLE, PP_ALLOC_CACHE_REFILL, pages);

	for (uint32_t i = 0; i < nr; i++) {
		struct pool_page *page = pop(&pool->unused);

		if (!page)
			page = arena_alloc(pool->arena, sizeof(*page));
		page->pool = pool;
		page->pfn = pages[i];
		push(&pool->cache, page);
	}
}

struct pool_page *page_pool_alloc(struct page_pool *pool, struct task *task)
{
	if (!pool->cache)
		refill_from_ring(pool);
	if (!pool->cache)
		refill_from_allocator(pool, task);
	return pop(&pool->cache);
}

/* page_pool_return_page() */
static void return_page(struct task *task, struct pool_page *page)
{
	struct page_pool *pool = page->pool;
	const pfn_t pfn = page->pfn;

	push(&pool->unused, page);
	free_pages(pool->page_alloc, task, pfn, 0);
}

void page_pool_put(struct task *task, struct pool_page *page)
{
	struct page_pool *pool = page->pool;

	if (pool->nr_ring == pool->ring_pages) {
		return_page(task, page);
		return;
	}
	push(&pool->ring, page);
	pool->nr_ring++;
}

void page_pool_destroy(struct page_pool *pool, struct task *task)
{
	struct pool_page *page;

	while ((page = pop(&pool->cache)) || (page = pop(&pool->ring)))
		return_page(task, page);
	pool->nr_ring = 0;
}
