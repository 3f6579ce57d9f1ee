/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmalloc_order: large, as Linux does it since 6.19 ("mm/vmalloc: request
 * large order pages from buddy allocator", a06157804399): first the largest
 * blocks that fit into what is missing, then the rest from the bulk allocator.
 * An order that cannot be had is not tried again.
 */
#include "models/kernel/vmalloc.h"

struct large_params {
	uint32_t max_order;
};

static const struct param large_params[] = {
	PARAM(struct large_params, max_order, "", MAX_PAGE_ORDER, 0, MAX_PAGE_ORDER, "largest block that is asked for"),
	PARAM_END,
};

/* The largest block that is not more than so many pages (>= 1), up to a limit. */
static unsigned order_within(uint32_t nr_pages, unsigned limit)
{
	const unsigned order = 31 - (unsigned)__builtin_clz(nr_pages);

	return order < limit ? order : limit;
}

static void large_alloc_large(const void *params, struct vmalloc *vmalloc, struct task *task,
			      struct vm_area_request *request)
{
	const struct large_params *large = params;
	unsigned max_attempt_order = large->max_order;

	while (request->nr_allocated < request->nr_pages) {
		const unsigned order = order_within(request->nr_pages - request->nr_allocated, max_attempt_order);

		if (order <= request->order)
			break;
		if (!vmalloc_alloc_block(vmalloc, task, request, order))
			max_attempt_order = order - 1;
	}
}

const struct vmalloc_order_policy vmalloc_order_large = {
	.policy = {
		.name = "large",
		.summary = "the largest blocks that fit, split into single pages; then the bulk allocator",
		.mirrors = "vm_area_alloc_pages() in mm/vmalloc.c, v6.19",
		.params = large_params,
		.params_size = sizeof(struct large_params),
	},
	.alloc_large = large_alloc_large,
};
