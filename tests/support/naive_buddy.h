/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A second buddy allocator, for comparison with models/kernel/buddy.h: the same
 * rules on a plain array of pages and lists that are arrays, by linear search.
 * Nothing is sparse, linked or marked, so it cannot be wrong in the same way.
 */
#ifndef CONTEND_TESTS_NAIVE_BUDDY_H
#define CONTEND_TESTS_NAIVE_BUDDY_H

#include "models/kernel/buddy.h"
#include "sim/util/arena.h"

struct naive_buddy;

/* All free: largest blocks by ascending pfn, what is left at the end by falling order. start_pfn is a multiple of 1024. */
struct naive_buddy *naive_buddy_create(struct arena *arena, pfn_t start_pfn, uint32_t nr_pages);

pfn_t naive_buddy_rmqueue(struct naive_buddy *buddy, unsigned order, enum migratetype migratetype,
			  enum rmqueue_mode *mode);
void naive_buddy_free(struct naive_buddy *buddy, pfn_t pfn, unsigned order);

enum migratetype naive_buddy_pageblock_migratetype(const struct naive_buddy *buddy, pfn_t pfn);
uint64_t naive_buddy_nr_free_blocks(const struct naive_buddy *buddy, unsigned order);
bool naive_buddy_is_free(const struct naive_buddy *buddy, pfn_t pfn);

#endif
