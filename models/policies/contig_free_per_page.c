/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * contig_free: per-page, as Linux did it up to 7.1: vfree() gives every page
 * back on its own, whatever block it came from.
 */
#include "models/kernel/vmalloc.h"

#include "models/kernel/sched.h"

static const struct param per_page_params[] = {
	PARAM_END,
};

static void per_page_free(const void *params, struct vmalloc *vmalloc, struct task *task, const struct vm_struct *area)
{
	(void)params;
	for (uint32_t i = 0; i < area->nr_pages; i++) {
		vmalloc_account(vmalloc, task, area->pages[i], -1);
		put_page(vmalloc_page_alloc(vmalloc), task, area->pages[i]);
		task_preempt_point(task); /* cond_resched() */
	}
}

const struct contig_free_policy contig_free_per_page = {
	.policy = {
		.name = "per-page",
		.summary = "every page of an area is freed on its own",
		.mirrors = "vfree() in mm/vmalloc.c, up to v7.1",
		.params = per_page_params,
	},
	.free = per_page_free,
};
