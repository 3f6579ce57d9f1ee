/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A zone: the buddy lists under zone->lock, watermarks, flags, the free-page
 * counter with its per-CPU deltas, and a pcp per CPU. One zone per node
 * (Normal); DMA and DMA32 count in the sizes of node 0 alone.
 *
 * Lines: the lock (with or without the flags beside it), the counter of free
 * pages, and one counter line of the whole machine that all zones share.
 */
#ifndef CONTEND_KERNEL_ZONE_H
#define CONTEND_KERNEL_ZONE_H

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

/* Page counts and watermarks of each node's Normal zone; `sizes` has room for nr_nodes. Source: kernel-level formulas in models/README.md. */
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
	struct zone_sizes size;
	unsigned flags; /* enum zone_flags */
	struct spinlock lock;
	struct line *lock_line, *flags_line; /* the same line when the configuration puts them together */
	struct line *free_pages_line; /* zone->vm_stat[NR_FREE_PAGES] */
	struct buddy *buddy;
	struct per_cpu_pages *pcps; /* by CPU of the machine */
	int8_t *free_pages_delta; /* by CPU: vm_stat_diff */
	struct zone_hold_stats holds[NR_ZONE_HOLDS];
};

#endif
