/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The blocks of a trace that were allocated and not yet freed, by the pfn of their first page: how a free finds its
 * allocation. Memory follows the blocks that live at a time, not the length of the trace.
 */
#ifndef CONTEND_TRACE_LIVE_BLOCKS_H
#define CONTEND_TRACE_LIVE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/util/arena.h"

struct live_block {
	uint64_t pfn;
	int64_t time_ns; /* of the allocation */
	uint32_t number; /* whatever the owner of the table calls it by */
	uint16_t cpu; /* that allocated it */
	uint8_t order;
};

struct live_blocks;

struct live_blocks *live_blocks_create(struct arena *arena);

/* Add a block. True when one of that pfn was there, whose free the trace has not: the new one takes its place. */
bool live_blocks_add(struct live_blocks *blocks, const struct live_block *block);

/* Take a block out. False when there is none of that pfn: it was allocated before the trace began. */
bool live_blocks_take(struct live_blocks *blocks, uint64_t pfn, struct live_block *out);

size_t live_blocks_nr(const struct live_blocks *blocks);

#endif
