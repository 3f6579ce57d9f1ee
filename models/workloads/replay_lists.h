/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a recorded CPU had on one of its pcp lists, as its events tell: frees put blocks at the head, allocations take them there,
 * refills append to the tail, drains take from it. A list is last in, first out, and refilled when it is empty; so what lay
 * above a block that an allocation takes, and all that is left when a refill begins, has been taken by allocations that
 * fired no event (pages of alloc_pages_bulk()).
 *
 * Blocks that were there when the trace began lie below all others, and are not known.
 */
#ifndef CONTEND_WORKLOADS_REPLAY_LISTS_H
#define CONTEND_WORKLOADS_REPLAY_LISTS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/util/arena.h"

struct replay_list {
	uint64_t *pfns; /* from `first`, the tail, to before `end`, the head */
	int first, end, max;
};

/* A block to the head. */
void replay_list_push(struct replay_list *list, struct arena *arena, uint64_t pfn);

/* A block to the tail, as part of a refill, which began with an empty list. */
void replay_list_append(struct replay_list *list, struct arena *arena, uint64_t pfn);

/* The block at the head. False: none is known. */
bool replay_list_pop(struct replay_list *list, uint64_t *pfn);

bool replay_list_has(const struct replay_list *list, uint64_t pfn);

/* A block that is drained, from wherever it is, if it is known. */
void replay_list_remove(struct replay_list *list, uint64_t pfn);

#endif
