/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The events of a trace as far as a replay needs them, in the order of time, each with what the next event of its page tells.
 */
#ifndef CONTEND_WORKLOADS_REPLAY_RECORDS_H
#define CONTEND_WORKLOADS_REPLAY_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/util/arena.h"
#include "sim/util/error.h"

struct replay_record {
	int64_t time_ns;
	uint64_t pfn;
	int number; /* in the file: of equal stamps the earlier comes first */
	uint16_t cpu;
	uint8_t type, order;
	int8_t migratetype;
	bool by_worker;
	bool past_pcp; /* a free that put the block into the buddy lists, or an allocation's block that came from there */
};

struct replay_records {
	struct replay_record *all;
	int nr, max;
	bool sorted;
};

/*
 * Reads a trace. The list to which a block was freed is that from which it is allocated or drained next. If it is taken from the buddy lists
 * next, without a drain, an interrupt freed it. A block that is taken from there and allocated by the very next event was no refill.
 *
 * All of it is the arena's. -1 when the trace cannot be read or is of blocks that the model does not have.
 */
int replay_records_read(struct replay_records *records, struct arena *arena, const char *path, struct error *err);

#endif
