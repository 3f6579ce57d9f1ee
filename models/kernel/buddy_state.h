/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inside the buddy allocator: the sparse page map and the free lists. Only
 * buddy*.c include this.
 *
 * The map has one pointer per block of MAX_PAGE_ORDER; a block's pages come
 * into being when it is first taken. Merging never leaves a block, so all but
 * list neighbours are found without another look at the map.
 *
 * Blocks by index: [0, next_fresh) have page records, [next_fresh, fresh_end)
 * are free and untouched, those from fresh_end on are held and nobody will
 * ever ask for them - but for a last, incomplete block, which has records.
 */
#ifndef CONTEND_KERNEL_BUDDY_STATE_H
#define CONTEND_KERNEL_BUDDY_STATE_H

#include "models/kernel/buddy.h"

#define BLOCK_PAGES (UINT32_C(1) << MAX_PAGE_ORDER)
#define PAGEBLOCK_PAGES (UINT32_C(1) << PAGEBLOCK_ORDER)

/*
 * A page's byte of state. The head of a free block of order k has FREE_HEAD(k), its other pages NOT_A_HEAD; pages of a held
 * block all have HELD(migratetype of the request that took it), maybe with SHARED_BIT. Pages beyond the zone's end have
 * NOT_A_HEAD.
 */
enum {
	NOT_A_HEAD = 0,
	HELD_BIT = 0x80,
	SHARED_BIT = 0x40, /* somebody has a second reference to the page */
};

#define FREE_HEAD(order) ((uint8_t)((order) + 1))
#define HELD(migratetype) ((uint8_t)(HELD_BIT | (migratetype)))

/* struct page, as far as the allocator writes it: page->buddy_list, and where its line is. */
struct buddy_page {
	pfn_t prev, next; /* NO_PAGE: the list head. Valid in heads of free blocks */
	struct memory_stamp stamp;
};

struct buddy_block {
	enum migratetype pageblocks[BLOCK_PAGES / PAGEBLOCK_PAGES]; /* pageblock_flags */
	uint8_t states[BLOCK_PAGES];
	struct buddy_page pages[BLOCK_PAGES];
};

struct free_list {
	pfn_t first, last; /* NO_PAGE: empty */
};

struct free_area {
	struct free_list lists[NR_MIGRATETYPES];
	uint64_t nr_free; /* blocks on the lists */
	struct memory_stamp stamp; /* list heads and nr_free: 88 or 104 bytes, priced as one line */
};

struct buddy {
	struct buddy_site site;
	pfn_t start_pfn;
	uint64_t nr_pages;
	uint64_t nr_free_pages;
	struct buddy_block **blocks;
	uint32_t nr_blocks; /* the incomplete one included */
	uint32_t next_fresh, fresh_end;
	struct free_area areas[NR_PAGE_ORDERS];
	sim_ps free_page_ps, rmqueue_ps, level_ps;
};

/* One call: what it has cost so far. */
struct buddy_visit {
	struct buddy *buddy;
	const struct cpu *cpu; /* NULL: nothing is priced */
	sim_ps price_ps;
};

static inline struct buddy_block *block_of(const struct buddy *buddy, pfn_t pfn)
{
	return buddy->blocks[(pfn - buddy->start_pfn) >> MAX_PAGE_ORDER];
}

static inline struct buddy_page *page_of(const struct buddy *buddy, pfn_t pfn)
{
	return &block_of(buddy, pfn)->pages[pfn % BLOCK_PAGES];
}

static inline struct buddy_visit visit_begin(struct buddy *buddy, const struct cpu *cpu)
{
	return (struct buddy_visit){ .buddy = buddy, .cpu = buddy->site.memory ? cpu : NULL };
}

static inline void visit_page(struct buddy_visit *visit, struct buddy_page *page, pfn_t pfn)
{
	const struct buddy_site *site = &visit->buddy->site;

	if (visit->cpu)
		visit->price_ps += memory_touch(site->memory, visit->cpu, &page->stamp, site->node, pfn);
}

/* A struct page that nothing waits for: it is written, or what it says was foreseen. */
static inline void glance_page(struct buddy_visit *visit, struct buddy_page *page, pfn_t pfn)
{
	const struct buddy_site *site = &visit->buddy->site;

	if (visit->cpu)
		visit->price_ps += memory_overlap(site->memory, visit->cpu, &page->stamp, site->node, pfn);
}

/* The list heads of an order. Once per call and order: what follows on the same line is free. */
static inline struct free_area *visit_area(struct buddy_visit *visit, unsigned order)
{
	const struct buddy_site *site = &visit->buddy->site;
	struct free_area *area = &visit->buddy->areas[order];

	if (visit->cpu)
		visit->price_ps += memory_touch(site->memory, visit->cpu, &area->stamp, site->node, MEMORY_ALONE);
	return area;
}

/* __add_to_free_list(): the block's page has been visited, its area too; prices the old neighbour. */
static inline void add_to_free_list(struct buddy_visit *visit, pfn_t pfn, unsigned order, enum migratetype migratetype,
				    bool to_tail)
{
	struct free_area *area = &visit->buddy->areas[order];
	struct free_list *list = &area->lists[migratetype];
	struct buddy_block *block = block_of(visit->buddy, pfn);
	struct buddy_page *page = &block->pages[pfn % BLOCK_PAGES];
	const pfn_t neighbour = to_tail ? list->last : list->first;

	page->prev = to_tail ? neighbour : NO_PAGE;
	page->next = to_tail ? NO_PAGE : neighbour;
	if (neighbour != NO_PAGE) {
		struct buddy_page *old = page_of(visit->buddy, neighbour);

		*(to_tail ? &old->next : &old->prev) = pfn;
		glance_page(visit, old, neighbour);
	} else {
		*(to_tail ? &list->first : &list->last) = pfn;
	}
	*(to_tail ? &list->last : &list->first) = pfn;
	block->states[pfn % BLOCK_PAGES] = FREE_HEAD(order);
	area->nr_free++;
}

/* __del_page_from_free_list(): the block's page has been visited, its area too; prices the neighbours. */
static inline void del_page_from_free_list(struct buddy_visit *visit, pfn_t pfn, unsigned order,
					   enum migratetype migratetype)
{
	struct free_area *area = &visit->buddy->areas[order];
	struct free_list *list = &area->lists[migratetype];
	struct buddy_block *block = block_of(visit->buddy, pfn);
	const struct buddy_page *page = &block->pages[pfn % BLOCK_PAGES];

	if (page->prev != NO_PAGE) {
		struct buddy_page *prev = page_of(visit->buddy, page->prev);

		prev->next = page->next;
		glance_page(visit, prev, page->prev);
	} else {
		list->first = page->next;
	}
	if (page->next != NO_PAGE) {
		struct buddy_page *next = page_of(visit->buddy, page->next);

		next->prev = page->prev;
		glance_page(visit, next, page->next);
	} else {
		list->last = page->prev;
	}
	block->states[pfn % BLOCK_PAGES] = NOT_A_HEAD;
	area->nr_free--;
}

/*
 * get_page_from_free_area(): the first free block of a list, NO_PAGE when there is none.
 * May make a fresh block explicit.
 */
pfn_t buddy_first_free(struct buddy *buddy, unsigned order, enum migratetype migratetype);

/*
 * page_del_and_expand(): take a free block (its area has been visited) off its list,
 * and the upper halves to lists of `rest`.
 */
void buddy_del_and_expand(struct buddy_visit *visit, pfn_t pfn, unsigned high, unsigned order, enum migratetype rest);

/* __rmqueue_smallest(): NO_PAGE when no list of the migratetype holds a block as large. */
pfn_t buddy_rmqueue_smallest(struct buddy_visit *visit, unsigned order, enum migratetype migratetype);

/* __rmqueue_claim(), __rmqueue_steal(): from lists of another migratetype. */
pfn_t buddy_rmqueue_claim(struct buddy_visit *visit, unsigned order, enum migratetype migratetype);
pfn_t buddy_rmqueue_steal(struct buddy_visit *visit, unsigned order, enum migratetype migratetype);

#endif
