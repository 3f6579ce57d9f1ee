/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/kernel/skb.h"

#include <assert.h>

#define LINE_BYTES 64U /* SMP_CACHE_BYTES */
#define PAGE_FRAG_ROOM 32U /* sk_page_frag_refill() asks for so much */

/* skb_small_head_cache, then kmalloc's from 1 KiB to KMALLOC_MAX_CACHE_BYTES */
static const uint32_t head_cache_bytes[] = { MAX_TCP_HEADER_BYTES + SKB_SHARED_INFO_BYTES, 1024, 2048, 4096, 8192 };
#define NR_HEAD_CACHES ((int)(sizeof(head_cache_bytes) / sizeof(head_cache_bytes[0])))

struct skb_block {
	struct skb_block *next_unused;
	pfn_t pfn;
	int refs;
	int cpu; /* that allocated it */
	uint8_t order;
};

struct skb_pool {
	struct arena *arena;
	struct page_alloc *page_alloc;
	struct kmem_cache *self; /* skbuff_head_cache */
	struct kmem_cache *heads[NR_HEAD_CACHES];
	struct skb_block *unused_blocks;
	struct sk_buff *unused_skbs;
	uint64_t pages; /* in blocks */
	uint64_t freed_elsewhere; /* blocks */
	uint64_t elsewhere_at_begin, frees_at_begin;
};

struct skb_pool *skb_pool_create(struct arena *arena, const struct machine *machine, struct page_alloc *page_alloc)
{
	struct skb_pool *pool = arena_alloc(arena, sizeof(*pool));

	pool->arena = arena;
	pool->page_alloc = page_alloc;
	pool->self = kmem_cache_create(arena, machine, page_alloc, SKB_STRUCT_BYTES);
	for (int i = 0; i < NR_HEAD_CACHES; i++)
		pool->heads[i] = kmem_cache_create(arena, machine, page_alloc, head_cache_bytes[i]);
	return pool;
}

/* With one reference; NULL when there is no memory. */
static struct skb_block *block_alloc(struct skb_pool *pool, struct task *task, unsigned order)
{
	const int cpu = task->cpu->id;
	const pfn_t pfn = alloc_pages(pool->page_alloc, task, order, MIGRATE_UNMOVABLE);
	struct skb_block *block = pool->unused_blocks;

	if (pfn == NO_PAGE)
		return NULL;
	if (block)
		pool->unused_blocks = block->next_unused;
	else
		block = arena_alloc(pool->arena, sizeof(*block));
	*block = (struct skb_block){ .pfn = pfn, .refs = 1, .cpu = cpu, .order = (uint8_t)order };
	pool->pages += UINT64_C(1) << order;
	return block;
}

/* put_page() of a compound page */
static void block_put(struct skb_pool *pool, struct task *task, struct skb_block *block)
{
	const pfn_t pfn = block->pfn;
	const unsigned order = block->order;

	assert(block->refs > 0);
	if (--block->refs)
		return;
	pool->pages -= UINT64_C(1) << order;
	pool->freed_elsewhere += block->cpu != task->cpu->id;
	block->next_unused = pool->unused_blocks;
	pool->unused_blocks = block;
	free_pages(pool->page_alloc, task, pfn, order);
}

/* kmalloc_reserve(): what an allocation of so many bytes of linear data takes. */
static uint32_t head_bytes(uint32_t linear_bytes)
{
	return (linear_bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES + SKB_SHARED_INFO_BYTES;
}

static struct kmem_cache *head_cache(const struct skb_pool *pool, uint32_t bytes, uint32_t *rounded)
{
	for (int i = 0; i < NR_HEAD_CACHES; i++) {
		*rounded = head_cache_bytes[i];
		if (bytes <= head_cache_bytes[i])
			return pool->heads[i];
	}
	return NULL;
}

static unsigned order_of_bytes(uint32_t bytes)
{
	unsigned order = 0;

	while (PAGE_BYTES << order < bytes)
		order++;
	return order;
}

/* Returns false, with nothing held, when there is no memory. */
static bool head_alloc(struct skb_pool *pool, struct task *task, struct sk_buff *skb, uint32_t linear_bytes)
{
	const uint32_t bytes = head_bytes(linear_bytes);
	uint32_t rounded;

	skb->head_cache = head_cache(pool, bytes, &rounded);
	if (skb->head_cache) {
		skb->head = kmem_cache_alloc(skb->head_cache, task);
	} else {
		skb->head_block = block_alloc(pool, task, order_of_bytes(bytes));
		rounded = (uint32_t)PAGE_BYTES << order_of_bytes(bytes);
	}
	skb->truesize = rounded + SKB_STRUCT_BYTES;
	return skb->head || skb->head_block;
}

struct sk_buff *skb_alloc(struct skb_pool *pool, struct task *task, uint32_t linear_bytes)
{
	struct slab *self = kmem_cache_alloc(pool->self, task);
	struct sk_buff *skb = pool->unused_skbs;

	if (!self)
		return NULL;
	if (skb)
		pool->unused_skbs = skb->next;
	else
		skb = arena_alloc(pool->arena, sizeof(*skb));
	*skb = (struct sk_buff){ .self = self };
	if (head_alloc(pool, task, skb, linear_bytes))
		return skb;
	skb_free(pool, task, skb);
	return NULL;
}

/* A block to go into the next slot: of `order`, or the largest smaller one there is. */
static struct skb_block *frag_alloc(struct skb_pool *pool, struct task *task, unsigned *order)
{
	struct skb_block *block;

	while (!(block = block_alloc(pool, task, *order)) && *order)
		(*order)--;
	return block;
}

struct sk_buff *skb_alloc_with_frags(struct skb_pool *pool, struct task *task, uint32_t linear_bytes,
				     uint32_t data_bytes, unsigned max_order)
{
	struct sk_buff *skb = skb_alloc(pool, task, linear_bytes);
	uint32_t left = data_bytes;
	unsigned order = max_order;

	if (!skb)
		return NULL;
	while (left) {
		struct skb_block *block;
		uint32_t chunk;

		while (order && left + PAGE_BYTES - 1 < PAGE_BYTES
								<< order) /* PAGE_ALIGN(left) is less than the block */
			order--;
		block = skb->nr_frags < MAX_SKB_FRAGS ? frag_alloc(pool, task, &order) : NULL;
		if (!block) {
			skb_free(pool, task, skb);
			return NULL;
		}
		chunk = left < PAGE_BYTES << order ? left : (uint32_t)(PAGE_BYTES << order);
		skb->frags[skb->nr_frags++] = (struct skb_frag){ .block = block, .bytes = chunk, .end = chunk };
		skb->truesize += (uint32_t)(PAGE_BYTES << order);
		left -= chunk;
	}
	skb->len = linear_bytes + data_bytes;
	return skb;
}

bool page_frag_refill(struct skb_pool *pool, struct task *task, struct page_frag *frag)
{
	unsigned order = SKB_FRAG_PAGE_ORDER;

	if (frag->block && frag->block->refs == 1) { /* all data cut from it is gone */
		frag->offset = 0;
		return true;
	}
	if (frag->block && frag->offset + PAGE_FRAG_ROOM <= frag->bytes)
		return true;
	page_frag_put(pool, task, frag);
	frag->block = block_alloc(pool, task, order);
	if (!frag->block) { /* no smaller order but 0 is tried */
		order = 0;
		frag->block = block_alloc(pool, task, order);
	}
	frag->bytes = (uint32_t)PAGE_BYTES << order;
	return frag->block != NULL;
}

uint32_t skb_append(struct sk_buff *skb, struct page_frag *frag, uint32_t bytes)
{
	const uint32_t room = frag->bytes - frag->offset;
	const uint32_t copy = bytes < room ? bytes : room;
	struct skb_frag *last = skb->nr_frags ? &skb->frags[skb->nr_frags - 1] : NULL;

	if (last && last->block == frag->block && last->end == frag->offset) { /* skb_can_coalesce() */
		last->bytes += copy;
		last->end += copy;
	} else {
		if (skb->nr_frags == MAX_SKB_FRAGS)
			return 0;
		skb->frags[skb->nr_frags++] =
			(struct skb_frag){ .block = frag->block, .bytes = copy, .end = frag->offset + copy };
		frag->block->refs++;
	}
	frag->offset += copy;
	skb->len += copy;
	skb->truesize += copy;
	return copy;
}

static void put_pool_pages(struct task *task, struct pool_page *page)
{
	while (page) {
		struct pool_page *next = page->next;

		page_pool_put(task, page);
		page = next;
	}
}

void skb_free(struct skb_pool *pool, struct task *task, struct sk_buff *skb)
{
	const struct sk_buff gone = *skb;

	skb->next = pool->unused_skbs;
	pool->unused_skbs = skb;
	for (int i = 0; i < gone.nr_frags; i++)
		block_put(pool, task, gone.frags[i].block);
	put_pool_pages(task, gone.pages);
	if (gone.head)
		kmem_cache_free(gone.head_cache, task, gone.head);
	if (gone.head_block)
		block_put(pool, task, gone.head_block);
	kmem_cache_free(pool->self, task, gone.self);
}

void page_frag_put(struct skb_pool *pool, struct task *task, struct page_frag *frag)
{
	struct skb_block *block = frag->block;

	*frag = (struct page_frag){ 0 };
	if (block)
		block_put(pool, task, block);
}

void skb_queue_tail(struct skb_queue *queue, struct sk_buff *skb)
{
	skb->next = NULL;
	*(queue->last ? &queue->last->next : &queue->first) = skb;
	queue->last = skb;
	queue->nr++;
	queue->bytes += skb->len;
	queue->truesize += skb->truesize;
}

struct sk_buff *skb_dequeue(struct skb_queue *queue)
{
	struct sk_buff *skb = queue->first;

	if (!skb)
		return NULL;
	queue->first = skb->next;
	if (!queue->first)
		queue->last = NULL;
	queue->nr--;
	queue->bytes -= skb->len;
	queue->truesize -= skb->truesize;
	return skb;
}

uint64_t skb_pool_pages(const struct skb_pool *pool)
{
	uint64_t pages = pool->pages + kmem_cache_pages(pool->self);

	for (int i = 0; i < NR_HEAD_CACHES; i++)
		pages += kmem_cache_pages(pool->heads[i]);
	return pages;
}

uint64_t skb_pool_freed_elsewhere(const struct skb_pool *pool)
{
	uint64_t freed = pool->freed_elsewhere + kmem_cache_freed_elsewhere(pool->self);

	for (int i = 0; i < NR_HEAD_CACHES; i++)
		freed += kmem_cache_freed_elsewhere(pool->heads[i]);
	return freed;
}

static uint64_t frees(const struct skb_pool *pool)
{
	struct page_alloc_counters counters;

	page_alloc_counters(pool->page_alloc, &counters);
	return counters.frees;
}

void skb_pool_begin(struct skb_pool *pool)
{
	pool->elsewhere_at_begin = skb_pool_freed_elsewhere(pool);
	pool->frees_at_begin = frees(pool);
}

double skb_pool_elsewhere_pct(const struct skb_pool *pool)
{
	const double freed = (double)(frees(pool) - pool->frees_at_begin);

	return freed > 0 ? 100 * (double)(skb_pool_freed_elsewhere(pool) - pool->elsewhere_at_begin) / freed : 0;
}
