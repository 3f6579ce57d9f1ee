/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmalloc_order: order-0, as Linux did it up to 6.18: all pages of an ordinary
 * mapping come from the bulk allocator, a hundred at a time.
 */
#include "models/kernel/vmalloc.h"

static const struct param order_0_params[] = {
	PARAM_END,
};

static void order_0_alloc_large(const void *params, struct vmalloc *vmalloc, struct task *task,
				struct vm_area_request *request)
{
	(void)params;
	(void)vmalloc;
	(void)task;
	(void)request;
}

const struct vmalloc_order_policy vmalloc_order_order_0 = {
	.policy = {
		.name = "order-0",
		.summary = "single pages from the bulk allocator",
		.mirrors = "vm_area_alloc_pages() in mm/vmalloc.c, up to v6.18",
		.params = order_0_params,
	},
	.alloc_large = order_0_alloc_large,
};
