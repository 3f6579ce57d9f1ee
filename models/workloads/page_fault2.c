/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_fault2 of will-it-scale: as page_fault1, but the mapping is a private
 * one of a temporary file of the worker's own (tests/page_fault2.c: "Separate
 * file private mapping page fault"): each write finds the file's page in the
 * page cache, allocates a page and copies (do_cow_fault() of mm/memory.c). An
 * operation is a page touched, with its share of the munmap().
 *
 * Abstracts: as page_fault1. The file's own pages are in the page cache before
 * measuring begins and stay there: they take no part in allocation. Looking one
 * up, its folio's lock and its reference are private work as well, for the file
 * is the worker's own; they are in fault_ns.
 *
 * Constants: those of page_fault1; fault_ns more by what the page cache takes
 * (lookup, folio lock, reference, about ten accesses to lines at hand and the
 * misses on the cached page's struct page: prior 100..400), copy_ns in place of
 * zero_ns, 4096 bytes read and written at the same 10 to 13 GB/s. Nobody
 * measured how they divide.
 */
#include "models/workloads/workload.h"

#include "models/kernel/mapping.h"

#define LINES_PER_COPY (2 * PAGE_BYTES / 64)

struct page_fault2_params {
	uint64_t bytes;
	double fault_ns;
	double copy_ns;
	double user_ns;
	double unmap_ns;
	uint32_t lines;
	uint32_t unmap_lines;
	uint32_t jitter_pct;
};

/* clang-format off */
static const struct param page_fault2_params[] = {
	PARAM(struct page_fault2_params, bytes, "bytes", 128 << 20, 4 << 10, 1e12, "how much each worker maps"),
	PARAM(struct page_fault2_params, fault_ns, "ns", 1450, 0, 1e6, "a fault on a private file page beside allocation and copy"),
	PARAM(struct page_fault2_params, copy_ns, "ns", 550, 0, 1e6, "copying the page"),
	PARAM(struct page_fault2_params, user_ns, "ns", 2, 0, 1e6, "the loop in user mode, per page"),
	PARAM(struct page_fault2_params, unmap_ns, "ns", 240, 0, 1e6, "munmap() per page, beside freeing it"),
	PARAM(struct page_fault2_params, lines, "", 10, 0, 1e6, "cache lines that a fault touches beside both pages and the new struct page"),
	PARAM(struct page_fault2_params, unmap_lines, "", 2, 0, 1e6, "cache lines per page beside its struct page, when it is unmapped and again when it is freed"),
	PARAM(struct page_fault2_params, jitter_pct, "pct", 10, 0, 100, "spread of the faults' kernel work, uniform"),
	PARAM_END,
};
/* clang-format on */

static void *page_fault2_create(const struct workload_site *site, const void *arg)
{
	const struct page_fault2_params *params = arg;
	struct mapping_loop *loop = arena_alloc(site->arena, sizeof(*loop));

	loop->fault = (struct page_work){ .kernel_ps = ns_to_ps(params->fault_ns + params->copy_ns),
					  .user_ps = ns_to_ps(params->user_ns),
					  .lines = LINES_PER_COPY + params->lines };
	loop->unmap = (struct page_work){ .kernel_ps = ns_to_ps(params->unmap_ns), .lines = params->unmap_lines };
	loop->release = (struct page_work){ .lines = params->unmap_lines };
	loop->jitter_pct = params->jitter_pct;
	mapping_loop_init(loop, site->arena, site->page_alloc, site->nr_tasks, (uint32_t)(params->bytes >> PAGE_SHIFT));
	return loop;
}

static uint64_t page_fault2_operation(void *state, struct task *task)
{
	return mapping_loop_step(state, task);
}

static void page_fault2_finish(void *state, struct task *task)
{
	mapping_loop_finish(state, task);
}

const struct workload workload_page_fault2 = {
	.name = "page_fault2",
	.summary =
		"every worker writes to a private mapping of its own file page by page and unmaps it (will-it-scale)",
	.params = page_fault2_params,
	.params_size = sizeof(struct page_fault2_params),
	.allocates = true,
	.create = page_fault2_create,
	.operation = page_fault2_operation,
	.finish = page_fault2_finish,
};
