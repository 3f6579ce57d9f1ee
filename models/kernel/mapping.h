/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A private mapping of a process that is touched page by page and unmapped in
 * one go: faults fill it with pages of their own, munmap() gives all of them
 * back.
 *
 * munmap() collects pages in an mmu_gather, which is flushed when it is full
 * (9698 pages: 8 and 19 times 510, include/asm-generic/tlb.h) and at the end.
 * Left out: page tables (one page in 512), memory control groups, LRU lists,
 * shootdowns of other CPUs' TLBs (a process of one thread needs none).
 */
#ifndef CONTEND_KERNEL_MAPPING_H
#define CONTEND_KERNEL_MAPPING_H

#include "models/kernel/page_alloc.h"
#include "sim/util/arena.h"

struct mapping {
	struct page_alloc *alloc;
	pfn_t *pages; /* of those that are present */
	uint32_t nr_pages, nr_present;
};

/* nr_pages >= 1, none present. */
void mapping_init(struct mapping *mapping, struct arena *arena, struct page_alloc *alloc, uint32_t nr_pages);

/*
 * The task touches the next `nr` pages, or as many as are not present; `work` before each. May block. Returns how many
 * there were: less when memory runs out.
 */
uint32_t mapping_touch(struct mapping *mapping, struct task *task, uint32_t nr, const struct page_work *work);

/*
 * munmap() of what is present: `unmap` per page as it is collected (page table entry, reverse map), `release` per page
 * when the gather is flushed. May block.
 */
void mapping_unmap(struct mapping *mapping, struct task *task, const struct page_work *unmap,
		   const struct page_work *release);

/* What the page_fault tests of will-it-scale do: each task fills a mapping of its own, unmaps it, and begins again. */
struct mapping_loop {
	struct page_work fault, unmap, release;
	uint32_t jitter_pct; /* spread of the faults' kernel work, uniform */
	struct mapping *mappings; /* by task */
};

void mapping_loop_init(struct mapping_loop *loop, struct arena *arena, struct page_alloc *alloc, int nr_tasks,
		       uint32_t nr_pages);

/* The task's next few faults, or the munmap() that is due. Returns how many faults there were. May block. */
uint64_t mapping_loop_step(struct mapping_loop *loop, struct task *task);

/* The task unmaps what it has. May block. */
void mapping_loop_finish(struct mapping_loop *loop, struct task *task);

#endif
