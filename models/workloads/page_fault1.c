/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_fault1 of will-it-scale: each worker maps 128 MiB of private anonymous
 * memory, writes to every page of it, unmaps it, and begins again
 * (tests/page_fault1.c: "Anonymous memory page fault"). An operation is a page
 * touched, with its share of the munmap(). Small pages: transparent huge pages
 * are off in this test.
 *
 * Abstracts: the fault beside its allocation is private work (fault_ns), so is
 * clearing the page (zero_ns); mmap() and munmap() beside their pages cost
 * nothing; no page tables, control groups, LRU lists, mmap_lock (processes,
 * not threads). All of it pushes struct pages out of the caches: 64 lines of
 * the page and `lines` others.
 *
 * Constants: what a page takes in all is 1947 ns on the server of
 * zone-hold-sapphire-rapids.csv (513633 page/s with batch 63, taken as those of
 * one worker: Huang Ying, 20231016053002.756205-5). zero_ns: 4096 bytes at the
 * 10 to 13 GB/s of one core. Nobody measured how the rest divides: about 80 ns
 * are under zone->lock and 55 at the pcp lists, fault_ns and unmap_ns share
 * what is left 5:1 (priors 900..1400 and 100..400).
 */
#include "models/workloads/workload.h"

#include "models/kernel/mapping.h"

#define LINES_PER_PAGE (PAGE_BYTES / 64)

struct page_fault1_params {
	uint64_t bytes;
	double fault_ns;
	double zero_ns;
	double user_ns;
	double unmap_ns;
	uint32_t lines;
	uint32_t unmap_lines;
	uint32_t jitter_pct;
};

/* clang-format off */
static const struct param page_fault1_params[] = {
	PARAM(struct page_fault1_params, bytes, "bytes", 128 << 20, 4 << 10, 1e12, "how much each worker maps"),
	PARAM(struct page_fault1_params, fault_ns, "ns", 1200, 0, 1e6, "a page fault beside its allocation and clearing"),
	PARAM(struct page_fault1_params, zero_ns, "ns", 370, 0, 1e6, "clearing the page"),
	PARAM(struct page_fault1_params, user_ns, "ns", 2, 0, 1e6, "the loop in user mode, per page"),
	PARAM(struct page_fault1_params, unmap_ns, "ns", 240, 0, 1e6, "munmap() per page, beside freeing it"),
	PARAM(struct page_fault1_params, lines, "", 6, 0, 1e6, "cache lines that a fault touches beside the page and its struct page"),
	PARAM(struct page_fault1_params, unmap_lines, "", 2, 0, 1e6, "cache lines per page beside its struct page, when it is unmapped and again when it is freed"),
	PARAM(struct page_fault1_params, jitter_pct, "pct", 10, 0, 100, "spread of the faults' kernel work, uniform"),
	PARAM_END,
};
/* clang-format on */

static void *page_fault1_create(const struct workload_site *site, const void *arg)
{
	const struct page_fault1_params *params = arg;
	struct mapping_loop *loop = arena_alloc(site->arena, sizeof(*loop));

	loop->fault = (struct page_work){ .kernel_ps = ns_to_ps(params->fault_ns + params->zero_ns),
					  .user_ps = ns_to_ps(params->user_ns),
					  .lines = LINES_PER_PAGE + params->lines };
	loop->unmap = (struct page_work){ .kernel_ps = ns_to_ps(params->unmap_ns), .lines = params->unmap_lines };
	loop->release = (struct page_work){ .lines = params->unmap_lines };
	loop->jitter_pct = params->jitter_pct;
	mapping_loop_init(loop, site->arena, site->page_alloc, site->nr_tasks, (uint32_t)(params->bytes >> PAGE_SHIFT));
	return loop;
}

static uint64_t page_fault1_operation(void *state, struct task *task)
{
	return mapping_loop_step(state, task);
}

static void page_fault1_finish(void *state, struct task *task)
{
	mapping_loop_finish(state, task);
}

const struct workload workload_page_fault1 = {
	.name = "page_fault1",
	.summary = "every worker touches fresh anonymous memory page by page and unmaps it (will-it-scale)",
	.params = page_fault1_params,
	.params_size = sizeof(struct page_fault1_params),
	.allocates = true,
	.create = page_fault1_create,
	.operation = page_fault1_operation,
	.finish = page_fault1_finish,
};
