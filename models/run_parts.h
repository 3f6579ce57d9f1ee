/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run while it goes: what run.c builds and drives, and run_measure.c and
 * run_pages.c read.
 */
#ifndef CONTEND_MODELS_RUN_PARTS_H
#define CONTEND_MODELS_RUN_PARTS_H

#include "models/hardware/cpu.h"
#include "models/kernel/page_alloc.h"
#include "models/kernel/task.h"
#include "models/run.h"
#include "models/workloads/workload.h"
#include "sim/util/arena.h"

/* What had been counted when measuring began. */
struct run_reading {
	struct cpu_counters *cpus; /* by index into run->cpus */
	uint64_t *operations; /* by task */
	struct sched_times times; /* of a scheduled workload */
	struct page_alloc_counters pages; /* of one that allocates */
	double pcp_high_mean;
};

struct run {
	const struct run_config *config;
	struct arena *arena;
	struct engine *engine;
	struct machine *machine;
	struct sched *sched; /* NULL: every task is alone on its CPU */
	struct page_alloc *page_alloc; /* NULL: nothing allocates */
	struct memory *memory; /* the same */
	void *workload_state;
	struct cpu *cpus; /* those that tasks may run on */
	struct task *tasks;
	int nr_cpus, nr_tasks;
	struct run_reading start;
	sim_ps measured_ps;
	uint64_t wanted_operations; /* of all tasks */
	uint64_t measured_operations;
	double metrics[NR_METRICS]; /* once stopped */
	int prolongations;
	int nr_through; /* tasks of a finite workload that have no more to do */
	bool stopped;
};

/* Room for the reading; before the run. */
void run_reading_create(struct run *run);

/* Measuring begins now. */
void run_begin(struct run *run);

/* Measuring ends now: fills metrics and measured_operations. */
void run_end(struct run *run);

/* Of all tasks, since measuring began; before, since the start. */
uint64_t run_operations(const struct run *run);

/* --- run_pages.c: what the page allocator shows --- */

void run_pages_begin(struct run *run);
void run_pages_end(struct run *run);

#endif
