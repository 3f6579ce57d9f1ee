/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A rig with memory: a page allocator over its nodes and a task on every CPU,
 * without a scheduler.
 */
#ifndef CONTEND_TESTS_PAGE_RIG_H
#define CONTEND_TESTS_PAGE_RIG_H

#include "models/kernel/page_alloc.h"
#include "models/kernel/policy.h"
#include "models/kernel/task.h"
#include "tests/support/rig.h"

struct page_rig {
	struct rig rig;
	struct policy_choice policies[NR_POLICY_AXES];
	struct page_alloc_params params;
	struct memory *memory; /* NULL when nothing is priced */
	struct page_alloc *alloc;
	struct task *tasks; /* by CPU */
	char wrong[256]; /* the first expectation of a task that was not met */
};

/* What a test wants otherwise than the defaults; NULL members: nothing. */
struct page_rig_setup {
	const char *pcp_high, *pcp_high_params; /* name of the policy, "key value key value ..." */
	const struct policy *pcp_high_policy; /* instead of the name: one of the test's own */
	const char *pcp_free, *pcp_free_params;
	const char *params; /* of the allocator */
	uint64_t node_bytes; /* 0: 1 GiB */
	bool priced; /* struct pages and list heads cost what the memory model says; else nothing does */
	enum engine_kind engine;
	uint64_t seed;
};

typedef void page_rig_fn(struct page_rig *rig, struct task *task, void *arg);

/* The machine of rig_machine(1): CPUs 0 .. 3 on node 0, 4 .. 7 on node 1. */
void page_rig_create(struct page_rig *rig, const struct page_rig_setup *setup);
void page_rig_destroy(struct page_rig *rig);

/* The task of a CPU does fn, from `start` (>= 1 ps) on. */
void page_rig_start(struct page_rig *rig, int cpu, sim_ps start, page_rig_fn *fn, void *arg);

/* Until all tasks have ended; then page_alloc_check(), with what they say in *nr_held that they hold. */
int page_rig_run(struct page_rig *rig, const uint64_t *nr_held, struct error *err);

/* fn alone on CPU 0, from 1 ps on; asserts that nothing went wrong. */
void page_rig_run_alone(struct page_rig *rig, page_rig_fn *fn, void *arg, const uint64_t *nr_held);

/* For tasks, which must not assert: that two numbers are equal is asserted when the run is over. */
void page_rig_expect(struct page_rig *rig, int line, int64_t actual, int64_t expected);

/* The pcp of a CPU in a node's zone. */
struct per_cpu_pages *page_rig_pcp(struct page_rig *rig, int node, int cpu);

#endif
