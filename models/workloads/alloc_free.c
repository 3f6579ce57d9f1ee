/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * alloc_free: the bare microbenchmark of the page allocator. Each worker
 * allocates a burst of blocks of one order, then frees them, oldest first;
 * a share of them it hands to the next worker, which frees them before its own
 * next burst. An operation is a block allocated (and freed by somebody).
 *
 * Abstracts: nothing happens to the blocks; what hands them over costs
 * nothing; gap_ns between two calls is private work. All of gap_ns, order,
 * burst and elsewhere_pct are the experiment's: no machine was measured.
 */
#include "models/workloads/workload.h"

#include "models/kernel/page_alloc.h"

/* A worker that is this many bursts behind is handed nothing more. */
#define INBOX_BURSTS 4

struct alloc_free_params {
	uint32_t order;
	uint32_t burst;
	uint32_t elsewhere_pct;
	double gap_ns;
	uint32_t jitter_pct;
};

/* clang-format off */
static const struct param alloc_free_params[] = {
	PARAM(struct alloc_free_params, order, "", 0, 0, MAX_PAGE_ORDER, "order of the blocks"),
	PARAM(struct alloc_free_params, burst, "", 1, 1, 1e6, "blocks allocated before the first is freed"),
	PARAM(struct alloc_free_params, elsewhere_pct, "pct", 0, 0, 100, "blocks of a burst that the next worker frees"),
	PARAM(struct alloc_free_params, gap_ns, "ns", 100, 0, 1e9, "private work before each allocation and each free"),
	PARAM(struct alloc_free_params, jitter_pct, "pct", 10, 0, 100, "spread of it, uniform"),
	PARAM_END,
};
/* clang-format on */

/* A worker's blocks. */
struct alloc_free_task {
	pfn_t *burst;
	pfn_t *inbox; /* handed over by the worker before */
	uint32_t nr_inbox;
	uint64_t freed, freed_elsewhere; /* since measuring began */
};

struct alloc_free_state {
	const struct alloc_free_params *params;
	struct page_alloc *alloc;
	struct alloc_free_task *tasks;
	int nr_tasks;
	sim_ps gap_ps;
};

static void *alloc_free_create(const struct workload_site *site, const void *arg)
{
	const struct alloc_free_params *params = arg;
	struct alloc_free_state *state = arena_alloc(site->arena, sizeof(*state));

	state->params = params;
	state->alloc = site->page_alloc;
	state->nr_tasks = site->nr_tasks;
	state->gap_ps = ns_to_ps(params->gap_ns);
	state->tasks = arena_calloc(site->arena, (size_t)site->nr_tasks, sizeof(*state->tasks));
	for (int i = 0; i < site->nr_tasks; i++) {
		state->tasks[i].burst = arena_calloc(site->arena, params->burst, sizeof(pfn_t));
		state->tasks[i].inbox = arena_calloc(site->arena, params->burst, INBOX_BURSTS * sizeof(pfn_t));
	}
	return state;
}

static void free_block(struct alloc_free_state *state, struct task *task, pfn_t pfn)
{
	cpu_work_jittered(task->cpu, state->gap_ps, state->params->jitter_pct);
	free_pages(state->alloc, task, pfn, state->params->order);
	state->tasks[task->index].freed++;
}

/* Blocks leave the inbox before they are freed: freeing may block, and more may come meanwhile. */
static void free_inbox(struct alloc_free_state *state, struct task *task)
{
	struct alloc_free_task *mine = &state->tasks[task->index];

	cpu_sync(task->cpu); /* what others did up to now */
	while (mine->nr_inbox) {
		const pfn_t pfn = mine->inbox[--mine->nr_inbox];

		free_block(state, task, pfn);
		mine->freed_elsewhere++;
		cpu_sync(task->cpu);
	}
}

static bool hand_over(struct alloc_free_state *state, struct task *task, pfn_t pfn)
{
	struct alloc_free_task *next = &state->tasks[(task->index + 1) % state->nr_tasks];

	cpu_sync(task->cpu);
	if (next->nr_inbox == INBOX_BURSTS * state->params->burst)
		return false;
	next->inbox[next->nr_inbox++] = pfn;
	return true;
}

static uint64_t alloc_free_operation(void *arg, struct task *task)
{
	struct alloc_free_state *state = arg;
	const struct alloc_free_params *params = state->params;
	struct alloc_free_task *mine = &state->tasks[task->index];
	uint32_t nr = 0;

	free_inbox(state, task);
	for (uint32_t i = 0; i < params->burst; i++) {
		cpu_work_jittered(task->cpu, state->gap_ps, params->jitter_pct);
		mine->burst[nr] = alloc_pages(state->alloc, task, params->order, MIGRATE_UNMOVABLE);
		nr += mine->burst[nr] != NO_PAGE;
	}
	for (uint32_t i = 0; i < nr; i++) {
		const bool elsewhere = state->nr_tasks > 1 && rng_below(&task->cpu->rng, 100) < params->elsewhere_pct &&
				       hand_over(state, task, mine->burst[i]);

		if (!elsewhere)
			free_block(state, task, mine->burst[i]);
	}
	return nr;
}

/* The first to finish may be handed blocks later: they are held. */
static void alloc_free_finish(void *arg, struct task *task)
{
	free_inbox(arg, task);
}

static uint64_t alloc_free_nr_held_pages(const void *arg)
{
	const struct alloc_free_state *state = arg;
	uint64_t nr = 0;

	for (int i = 0; i < state->nr_tasks; i++)
		nr += state->tasks[i].nr_inbox;
	return nr << state->params->order;
}

static void alloc_free_begin(void *arg)
{
	struct alloc_free_state *state = arg;

	for (int i = 0; i < state->nr_tasks; i++)
		state->tasks[i].freed = state->tasks[i].freed_elsewhere = 0;
}

static void alloc_free_end(void *arg, const struct workload_window *window, double metrics[NR_METRICS])
{
	const struct alloc_free_state *state = arg;
	uint64_t freed = 0, elsewhere = 0;

	(void)window;
	for (int i = 0; i < state->nr_tasks; i++) {
		freed += state->tasks[i].freed;
		elsewhere += state->tasks[i].freed_elsewhere;
	}
	if (freed)
		metrics[METRIC_FREED_ELSEWHERE_PCT] = 100.0 * (double)elsewhere / (double)freed;
}

const struct workload workload_alloc_free = {
	.name = "alloc_free",
	.summary = "every worker allocates a burst of blocks and frees it, some of it on another CPU",
	.params = alloc_free_params,
	.params_size = sizeof(struct alloc_free_params),
	.allocates = true,
	.create = alloc_free_create,
	.operation = alloc_free_operation,
	.finish = alloc_free_finish,
	.begin = alloc_free_begin,
	.end = alloc_free_end,
	.nr_held_pages = alloc_free_nr_held_pages,
};
