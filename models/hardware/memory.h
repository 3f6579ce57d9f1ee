/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory that is no engine event: struct pages and list heads that a CPU
 * touches under a lock, by the thousand.
 *
 * Each such line carries a stamp: which core touched it last, and how many
 * lines had come to that core by then. From the stamp follows where the line
 * is now (this core's caches, its L3, another core's caches, memory), and that
 * prices the access. A line ahead in a stream of this core's accesses has been
 * prefetched.
 *
 * What is assumed: caches are LRU over all that a core touched; an L3 is
 * divided evenly among those of its cores that touch anything; what leaves an
 * L2 goes to the L3; a line is where it was last touched, and nowhere else. A
 * load stalls for its whole latency; an access that nothing waits for costs a
 * line's share of the bandwidth.
 *
 * Prefetchers as the Intel optimization manual (248966, "Data Prefetching")
 * describes those of the L2: one completes pairs of lines; one follows up to 32
 * streams, each within a page of 4 KiB (64 lines), and fetches two more lines
 * of it at each access, at most 20 ahead. Line numbers of struct pages are
 * their pfns.
 */
#ifndef CONTEND_HARDWARE_MEMORY_H
#define CONTEND_HARDWARE_MEMORY_H

#include <stdint.h>

#include "models/hardware/cpu.h"
#include "models/hardware/machine.h"
#include "sim/util/arena.h"
#include "sim/util/units.h"

/* Zeroed: nobody has touched the line, it is in memory. */
struct memory_stamp {
	uint32_t lines; /* how many lines had come to its core; 48 bits, which last for days */
	uint16_t lines_high;
	uint16_t core_plus_1;
};

/* Where an access found its line. */
enum memory_place {
	MEMORY_CORE, /* L1 or L2 of this core */
	MEMORY_CLUSTER, /* its L3, or another core's caches below it */
	MEMORY_SOCKET, /* the caches of another cluster */
	MEMORY_REMOTE, /* ... of another socket */
	MEMORY_PREFETCHED,
	MEMORY_DRAM_LOCAL,
	MEMORY_DRAM_REMOTE,
	NR_MEMORY_PLACES,
};

struct memory;

struct memory *memory_create(struct arena *arena, const struct machine *machine);

/*
 * The CPU touches the line of a stamp whose home is `node`; `address` is its line number within that node (for what is
 * next to what), or MEMORY_ALONE. Returns the price; the caller adds it up and lets the CPU work it off. Never blocks.
 */
#define MEMORY_ALONE UINT64_MAX
sim_ps memory_touch(struct memory *memory, const struct cpu *cpu, struct memory_stamp *stamp, int node,
		    uint64_t address);

/*
 * The same for an access that nothing waits for: a store, or a load that only a branch hangs on which the processor
 * foresees. Fetching the line overlaps with what follows, at no more than the pace of a stream; if the CPU touches it
 * before another line of this kind, it waits for the rest.
 */
sim_ps memory_overlap(struct memory *memory, const struct cpu *cpu, struct memory_stamp *stamp, int node,
		      uint64_t address);

/* The CPU touched so many other lines meanwhile (cleared a page, ran user code): they push older ones out of its caches. */
void memory_pass(struct memory *memory, const struct cpu *cpu, uint32_t lines);

/* How many accesses found their line where, since the start. */
const uint64_t *memory_counts(const struct memory *memory); /* by enum memory_place */

#endif
