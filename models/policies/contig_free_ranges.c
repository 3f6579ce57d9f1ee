/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * contig_free: ranges, as in "mm: Free contiguous order-0 pages efficiently"
 * (linux-mm, 16 March 2026): runs of consecutive pages go back as the largest
 * aligned blocks that they hold.
 *
 * The form that was merged takes each page out of the statistics first, one by
 * one: version 4 says that coalescing that too "is hard to do correctly". The
 * versions before it did so once per run (`account: range`).
 */
#include "models/kernel/vmalloc.h"

enum ranges_account {
	ACCOUNT_PAGE,
	ACCOUNT_RANGE,
};

static const char *const account_names[] = { "page", "range", NULL };

struct ranges_params {
	int account; /* enum ranges_account */
};

static const struct param ranges_params[] = {
	PARAM_ONE_OF(struct ranges_params, account, account_names, ACCOUNT_PAGE,
		     "NR_VMALLOC changes with each page, or once per run of consecutive ones"),
	PARAM_END,
};

/* How many pages of the area from `first` on count at once. */
static uint32_t nr_together(const struct ranges_params *ranges, const struct vm_struct *area, uint32_t first)
{
	const pfn_t *pages = area->pages;
	uint32_t next = first + 1;

	while (ranges->account == ACCOUNT_RANGE && next < area->nr_pages && pages[next] == pages[next - 1] + 1)
		next++;
	return next - first;
}

static void ranges_free(const void *params, struct vmalloc *vmalloc, struct task *task, const struct vm_struct *area)
{
	uint32_t nr;

	for (uint32_t i = 0; i < area->nr_pages; i += nr) {
		nr = nr_together(params, area, i);
		vmalloc_account(vmalloc, task, area->pages[i], -(int32_t)nr);
	}
	free_pages_bulk(vmalloc_page_alloc(vmalloc), task, area->pages, area->nr_pages);
}

const struct contig_free_policy contig_free_ranges = {
	.policy = {
		.name = "ranges",
		.summary = "runs of consecutive pages are freed as the largest aligned blocks",
		.mirrors = "vfree(), free_pages_bulk() in mm/vmalloc.c and mm/page_alloc.c after the series, v7.2",
		.params = ranges_params,
		.params_size = sizeof(struct ranges_params),
	},
	.free = ranges_free,
};
