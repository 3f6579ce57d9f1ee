/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Socket buffers as the page allocator sees them: which blocks the data of a
 * message takes, who shares a block, and on which CPU the last user lets go.
 * net/core/skbuff.c (alloc_skb(), alloc_skb_with_frags(), skb_release_data())
 * and skb_page_frag_refill() of net/core/sock.c, v6.12.
 *
 * Linear data comes from a slab cache, or from pages of its own above 8 KiB, as
 * kmalloc() has it; paged data are blocks of up to order 3. A block is counted
 * like a compound page: one reference per buffer that has data in it and one of
 * the page fragment that it is cut from. struct sk_buff itself comes from a
 * cache too.
 *
 * Only the page allocator takes time here. Copies, protocol and queues are the
 * workload's.
 */
#ifndef CONTEND_KERNEL_SKB_H
#define CONTEND_KERNEL_SKB_H

#include <stdbool.h>
#include <stdint.h>

#include "models/hardware/machine.h"
#include "models/kernel/page_alloc.h"
#include "models/kernel/page_pool.h"
#include "models/kernel/slab.h"
#include "models/kernel/task.h"
#include "sim/util/arena.h"

#define SKB_FRAG_PAGE_ORDER 3 /* get_order(32768) */
#define MAX_SKB_FRAGS 17 /* CONFIG_MAX_SKB_FRAGS */
#define SKB_SHARED_INFO_BYTES 320 /* SKB_DATA_ALIGN(sizeof(struct skb_shared_info)): ends linear data */
#define SKB_STRUCT_BYTES 256 /* SKB_DATA_ALIGN(sizeof(struct sk_buff)) */
#define SKB_MAX_HEAD_BYTES (PAGE_BYTES - SKB_SHARED_INFO_BYTES) /* SKB_MAX_HEAD(0) */
#define MAX_TCP_HEADER_BYTES 320 /* L1_CACHE_ALIGN(128 + MAX_HEADER), with tunnels and wireless configured */

/* A block of pages with a reference count. */
struct skb_block;

/* Buffers of one machine. */
struct skb_pool;

struct skb_frag {
	struct skb_block *block;
	uint32_t bytes;
	uint32_t end; /* of the data in the block */
};

struct sk_buff {
	struct sk_buff *next; /* for the workload's queues */
	uint32_t len; /* bytes of payload */
	uint32_t truesize; /* what the socket is charged for */
	struct slab *self, *head; /* head NULL: head_block */
	struct kmem_cache *head_cache;
	struct skb_block *head_block;
	struct pool_page *pages; /* received by a network card: payload in pages of its page pool */
	int nr_frags;
	struct skb_frag frags[MAX_SKB_FRAGS];
};

/* struct page_frag: where a task (current->task_frag) or a socket cuts data from. Zeroed: empty. */
struct page_frag {
	struct skb_block *block;
	uint32_t offset, bytes; /* used, and size of the block */
};

/* Lives in the arena; empty at first. */
struct skb_pool *skb_pool_create(struct arena *arena, const struct machine *machine, struct page_alloc *page_alloc);

/*
 * Those that take a task may block, on a zone lock; skb_free and page_frag_put may return on another CPU. Those that
 * allocate give NULL or false when there is no memory left.
 */

/* alloc_skb(): a buffer with room for so much linear data; len is 0. */
struct sk_buff *skb_alloc(struct skb_pool *pool, struct task *task, uint32_t linear_bytes);

/*
 * alloc_skb_with_frags(): the same and data_bytes in blocks of at most max_order, the largest that are filled.
 * len is both.
 */
struct sk_buff *skb_alloc_with_frags(struct skb_pool *pool, struct task *task, uint32_t linear_bytes,
				     uint32_t data_bytes, unsigned max_order);

/*
 * skb_page_frag_refill(): at least one byte of room.
 * A block that nobody else uses any more is used again from its start.
 */
bool page_frag_refill(struct skb_pool *pool, struct task *task, struct page_frag *frag);

/*
 * tcp_sendmsg_locked(): append up to `bytes` of the fragment's room.
 * Returns how many fitted, 0 when the buffer has no slot.
 */
uint32_t skb_append(struct sk_buff *skb, struct page_frag *frag, uint32_t bytes);

/* kfree_skb(), consume_skb(): let go of everything that it holds. */
void skb_free(struct skb_pool *pool, struct task *task, struct sk_buff *skb);

/* Let go of the fragment's block. */
void page_frag_put(struct skb_pool *pool, struct task *task, struct page_frag *frag);

/* A queue of buffers, first in first out. */
struct skb_queue {
	struct sk_buff *first, *last;
	uint32_t nr;
	uint64_t bytes; /* payload */
	uint64_t truesize;
};

void skb_queue_tail(struct skb_queue *queue, struct sk_buff *skb);
struct sk_buff *skb_dequeue(struct skb_queue *queue); /* NULL: empty */

/* Pages held by buffers, fragments and caches now, and blocks freed on another CPU than the one that allocated them. */
uint64_t skb_pool_pages(const struct skb_pool *pool);
uint64_t skb_pool_freed_elsewhere(const struct skb_pool *pool);

/* Measuring begins; and, of what the page allocator got back since then, the share that was freed elsewhere, in percent. */
void skb_pool_begin(struct skb_pool *pool);
double skb_pool_elsewhere_pct(const struct skb_pool *pool);

#endif
