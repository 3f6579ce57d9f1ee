/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A workload: what every worker loops on. One file each.
 *
 * A worker is a task. Either it is alone on the CPU of its place for the whole
 * run, or (`scheduled`) the kernel's scheduler puts it on any CPU of the
 * machine, and there may be more of them than CPUs.
 */
#ifndef CONTEND_WORKLOADS_WORKLOAD_H
#define CONTEND_WORKLOADS_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "models/hardware/cpu.h"
#include "models/kernel/policy.h"
#include "models/kernel/sched.h"
#include "models/kernel/task.h"
#include "models/kernel/metric.h"
#include "sim/util/arena.h"
#include "sim/util/error.h"
#include "sim/util/param.h"

struct kernel_config;
struct memory;
struct page_alloc;

/* What a workload is built on. Valid for the whole run. */
struct workload_site {
	struct arena *arena;
	const struct machine *machine;
	struct engine *engine;
	const struct policy_choice *policies; /* by enum policy_axis */
	int home_node; /* node of the contended lines */
	uint64_t seed;
	int nr_threads; /* as in the experiment */
	const int *cpus; /* of the threads, unless scheduled */
	int nr_tasks;
	struct memory *memory; /* with `allocates`; else NULL */
	struct page_alloc *page_alloc; /* the same */
	const struct kernel_config *kernel; /* as in the experiment */
	const bool *stopped; /* measuring is over: an operation may end early */
	struct error *err; /* of a create that fails */
};

/* What was measured between begin and end. */
struct workload_window {
	sim_ps measured_ps;
	uint64_t operations; /* of all tasks */
	struct sched_times times; /* with `scheduled`; else zero */
};

struct workload {
	const char *name;
	const char *summary;
	const struct param *params; /* never NULL */
	size_t params_size;
	/*
	 * How Arm's fastpath names a result of this benchmark, less the unit: each "{key}" stands for a parameter's
	 * value. NULL: it has no such benchmark.
	 */
	const char *result_class;
	bool scheduled; /* tasks run on all CPUs of the machine; `threads` may exceed them and `placement` has no meaning */
	/*
	 * Every task has so much to do and no more; an operation of 0 says that it is through.
	 * Measured is all of it: `run` has no say in how long that takes.
	 */
	bool finite;

	bool allocates; /* has the machine's page allocator, with its 1 s worker on every CPU */

	/* What the table cannot check; NULL when there is nothing. Fills err and returns -1 on a bad combination. */
	int (*check)(const void *params, struct error *err);

	/* Tasks for so many threads; NULL: one each. */
	int (*nr_tasks)(const void *params, int nr_threads);

	/*
	 * Once, before any actor runs: build lines and folios in the site's arena. Returns the state of the workload,
	 * NULL with site->err when what it reads is of no use.
	 */
	void *(*create)(const struct workload_site *site, const void *params);

	/*
	 * What task->index does next, called in a loop on the task's actor; blocks through the cpu, line and task verbs.
	 * Returns how many operations that were.
	 */
	uint64_t (*operation)(void *state, struct task *task);

	/*
	 * The task's last act, once measuring is over: lets go of what it holds and wakes who waits for it.
	 * NULL: nothing.
	 */
	void (*finish)(void *state, struct task *task);

	/*
	 * Measuring begins, and ends: the latter adds the metrics that the workload alone knows. Both may be NULL;
	 * neither blocks.
	 */
	void (*begin)(void *state);
	void (*end)(void *state, const struct workload_window *window, double metrics[NR_METRICS]);

	/* Pages that it holds after every task has finished, for the check that none was lost. NULL: none. */
	uint64_t (*nr_held_pages)(const void *state);
};

#endif
