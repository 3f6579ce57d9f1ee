/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A zone: the buddy lists under zone->lock, watermarks, flags, the free-page
 * counter with its per-CPU deltas, and a pcp per CPU. One zone per node
 * (Normal); DMA and DMA32 count in the sizes of node 0 alone.
 *
 * Lines (struct zone of 6.12, include/linux/mmzone.h): the lock, with or
 * without zone->flags beside it; zone->vm_stat[NR_FREE_PAGES], which has a
 * line of its own; and the same counter of the whole machine, which all zones
 * share. The list heads of free_area[] are priced inside the buddy allocator.
 *
 * Left out: kswapd (ZONE_RECLAIM_ACTIVE is honoured, but nothing here sets it),
 * watermark boosts, lowmem and highatomic reserves, other counters than that
 * of free pages.
 */
#ifndef CONTEND_KERNEL_ZONE_H
#define CONTEND_KERNEL_ZONE_H

#include <stdbool.h>

#include "models/hardware/line.h"
#include "models/kernel/buddy.h"
#include "models/kernel/pcp.h"
#include "models/kernel/policy.h"
#include "models/kernel/spinlock.h"
#include "sim/util/histogram.h"

enum zone_watermark {
	WMARK_MIN,
	WMARK_LOW,
	WMARK_HIGH,
	NR_WMARKS,
};

/* Memory of a machine as the kernel sees it when it sets watermarks. */
struct zone_sizes {
	uint64_t managed_pages; /* of this zone */
	uint64_t watermark_pages[NR_WMARKS];
};

/*
 * Page counts and watermarks of each node's Normal zone; `sizes` has room for nr_nodes.
 * Source: kernel-level formulas in models/README.md.
 */
void zone_sizes_compute(const uint64_t *node_bytes, int nr_nodes, bool transparent_hugepages, struct zone_sizes *sizes);

/* Why the zone lock was taken. */
enum zone_hold {
	ZONE_HOLD_REFILL, /* rmqueue_bulk() */
	ZONE_HOLD_FREE, /* free_pcppages_bulk() after a free */
	ZONE_HOLD_FREE_HIGH, /* ... because of the free_high rule */
	ZONE_HOLD_DECAY, /* ... by the vmstat worker, or a drain */
	ZONE_HOLD_DIRECT_ALLOC, /* rmqueue_buddy() */
	ZONE_HOLD_DIRECT_FREE, /* free_one_page() */
	NR_ZONE_HOLDS,
};

/* One kind of hold. */
struct zone_hold_stats {
	uint64_t nr;
	uint64_t pages;
	uint64_t pages_max;
	struct histogram wait_ps;
	struct histogram hold_ps;
};

struct zone {
	int node;
	pfn_t start_pfn;
	uint64_t nr_pages; /* managed by the buddy allocator */
	uint64_t nr_aged_pages; /* of them taken for good to fragment the rest */
	struct zone_sizes size;
	unsigned flags; /* enum zone_flags; the word on flags_line has the same bits */
	struct spinlock lock;
	struct line *lock_line, *flags_line; /* the same line when the configuration puts them together */
	struct line *free_pages_line; /* zone->vm_stat[NR_FREE_PAGES] */
	struct line *vm_zone_stat_line; /* vm_zone_stat[NR_FREE_PAGES], of all zones */
	struct buddy *buddy;
	sim_ps hold_ps; /* of each hold of the lock, beside what is done */
	struct per_cpu_pages *pcps; /* by CPU of the machine */
	int16_t *free_pages_delta; /* by CPU: vm_stat_diff, within +-stat_threshold */
	int stat_threshold; /* a larger delta goes to the counters */
	struct zone_hold_stats holds[NR_ZONE_HOLDS];
};

struct zone_site {
	struct buddy_site buddy; /* arena, memory, costs, and the node of the zone */
	const struct machine *machine;
	struct engine *engine;
	const struct policy_choice *lock; /* of the axis zone_lock; outlives the zone */
	struct line *vm_zone_stat_line;
	bool flags_beside_lock;
	uint64_t seed;
};

/* A zone from start_pfn (a multiple of a largest block) on, all free. Its pcps are the caller's to set up. */
void zone_init(struct zone *zone, const struct zone_site *site, pfn_t start_pfn, const struct zone_sizes *size);

/* The buddy allocator's pages are what both counters say (set-up). */
void zone_set_free_pages(struct zone *zone);

/* The zone's counter with all deltas, which is exact (checks). */
int64_t zone_counted_free_pages(const struct zone *zone, int nr_cpus);

/* calculate_normal_threshold(). */
int zone_stat_threshold(int nr_cpus, uint64_t managed_pages);

/* Is the page frame one of this zone? */
static inline bool zone_has_pfn(const struct zone *zone, pfn_t pfn)
{
	return pfn - zone->start_pfn < zone->nr_pages;
}

/* When one CPU asked for the lock, and when it got it. */
struct zone_lock_times {
	sim_ps asked_ps, locked_ps;
};

/* spin_lock_irqsave(&zone->lock): blocks. */
void zone_lock(struct zone *zone, struct cpu *cpu, struct zone_lock_times *times);

/* Unlock, and count the hold with its wait. Returns how long the CPU had interrupts off. May block (on the line). */
sim_ps zone_unlock(struct zone *zone, struct cpu *cpu, const struct zone_lock_times *times, enum zone_hold kind,
		   uint64_t pages);

/*
 * __mod_zone_page_state(NR_FREE_PAGES): on this CPU's delta; beyond the threshold all of it goes to the two shared
 * counters, an atomic each. Blocks for these.
 */
void mod_zone_free_pages(struct zone *zone, struct cpu *cpu, int64_t nr_pages);

/*
 * The part of refresh_cpu_vm_stats() for one zone: this CPU's delta goes to the zone's counter, and to *global.
 * False: it was 0.
 */
bool zone_fold_free_pages(struct zone *zone, struct cpu *cpu, int64_t *global);

/* What is added to the counter of all zones. */
void global_free_pages_add(struct zone *zone, struct cpu *cpu, int64_t nr_pages);

/*
 * zone_watermark_ok(): are there more free pages than that mark, and is there a block of at least this order? Reads
 * the counter's line; what lies in per-CPU deltas is not seen, as in the kernel. The other one asks for more pages by
 * `extra` than the mark, of order 0.
 */
bool zone_watermark_ok(struct zone *zone, struct cpu *cpu, unsigned order, enum zone_watermark mark);
bool zone_watermark_ok_extra(struct zone *zone, struct cpu *cpu, enum zone_watermark mark, uint32_t extra);

/* zone->flags, by a load of its line. */
unsigned zone_read_flags(struct zone *zone, struct cpu *cpu);

/* set_bit() and clear_bit() on zone->flags. */
void zone_set_flag(struct zone *zone, struct cpu *cpu, enum zone_flags flag);
void zone_clear_flag(struct zone *zone, struct cpu *cpu, enum zone_flags flag);

#endif
