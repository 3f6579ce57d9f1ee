/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks that are split into single pages, and single pages that go back as
 * blocks: split_page(), free_contig_range(), free_pages_bulk() of
 * mm/page_alloc.c as after "mm: Free contiguous order-0 pages efficiently"
 * (linux-mm, 16 March 2026).
 *
 * Each page of a range is put and prepared on its own, as if it were freed
 * alone; what is saved are the trylocks, commits and merges. A block then takes
 * the ordinary entry, so its order says whether it goes to the pcp.
 */
#include "models/kernel/page_alloc_parts.h"

#define PFN_SECTION_SHIFT 15 /* SECTION_SIZE_BITS 27 of x86-64 and of arm64 with 4 KiB pages: 128 MiB */

/* An access to a struct page by an atomic on its count. */
static void count_page(struct page_alloc *alloc, struct task *task, pfn_t pfn)
{
	task_kernel(task, alloc->lock_ps + buddy_page_touch(page_zone(alloc, pfn)->buddy, task->cpu, pfn));
}

void split_page(struct page_alloc *alloc, struct task *task, pfn_t pfn, unsigned order)
{
	struct zone *zone = page_zone(alloc, pfn);
	const pfn_t end = pfn + (UINT32_C(1) << order);

	for (; pfn < end; pfn++)
		task_kernel(task, alloc->split_ps + buddy_page_touch(zone->buddy, task->cpu, pfn));
}

void get_page(struct page_alloc *alloc, struct task *task, pfn_t pfn)
{
	count_page(alloc, task, pfn);
	buddy_get_page(page_zone(alloc, pfn)->buddy, pfn);
}

static bool put_page_testzero(struct page_alloc *alloc, struct task *task, pfn_t pfn)
{
	count_page(alloc, task, pfn);
	return buddy_put_page(page_zone(alloc, pfn)->buddy, pfn);
}

bool put_page(struct page_alloc *alloc, struct task *task, pfn_t pfn)
{
	if (!put_page_testzero(alloc, task, pfn))
		return false;
	free_pages(alloc, task, pfn, 0);
	return true;
}

/* free_prepared_contig_range(): pages that nobody refers to any more, as blocks. */
static void free_prepared_run(struct page_alloc *alloc, struct task *task, pfn_t pfn, uint32_t nr)
{
	while (nr) {
		/* __ffs(pfn) and ilog2(nr), whichever is less */
		const unsigned aligned = pfn ? (unsigned)__builtin_ctz(pfn) : MAX_PAGE_ORDER;
		const unsigned fits = 31 - (unsigned)__builtin_clz(nr);
		unsigned order = aligned < fits ? aligned : fits;

		if (order > MAX_PAGE_ORDER)
			order = MAX_PAGE_ORDER;
		free_prepared_pages(alloc, task, pfn, order);
		pfn += UINT32_C(1) << order;
		nr -= UINT32_C(1) << order;
	}
}

/* May one block hold both pages? */
static bool same_section(struct page_alloc *alloc, pfn_t one, pfn_t other)
{
	return one >> PFN_SECTION_SHIFT == other >> PFN_SECTION_SHIFT &&
	       page_zone(alloc, one) == page_zone(alloc, other);
}

uint32_t free_contig_range(struct page_alloc *alloc, struct task *task, pfn_t pfn, uint32_t nr)
{
	uint32_t run = 0, freed = 0; /* run: prepared pages right before this one */

	for (const pfn_t end = pfn + nr; pfn < end; pfn++) {
		const bool can_be_freed = put_page_testzero(alloc, task, pfn);

		if (can_be_freed)
			task_kernel(task, alloc->prepare_ps);
		if (run && (!can_be_freed || !same_section(alloc, pfn - run, pfn))) {
			free_prepared_run(alloc, task, pfn - run, run);
			run = 0;
		}
		run += can_be_freed;
		freed += can_be_freed;
	}
	free_prepared_run(alloc, task, pfn - run, run);
	return freed;
}

/* How many of the pages from the first on follow each other. */
static uint32_t nr_contig_pages(const pfn_t *pages, uint32_t nr)
{
	uint32_t i = 1;

	while (i < nr && pages[i] == pages[0] + i)
		i++;
	return i;
}

uint32_t free_pages_bulk(struct page_alloc *alloc, struct task *task, const pfn_t *pages, uint32_t nr)
{
	uint32_t freed = 0;

	while (nr) {
		const uint32_t run = nr_contig_pages(pages, nr);

		freed += free_contig_range(alloc, task, pages[0], run);
		task_preempt_point(task); /* cond_resched() */
		pages += run;
		nr -= run;
	}
	return freed;
}
