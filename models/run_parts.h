/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run while it goes: what run.c builds and drives and run_measure.c reads.
 */
#ifndef CONTEND_MODELS_RUN_PARTS_H
#define CONTEND_MODELS_RUN_PARTS_H

#include "models/hardware/cpu.h"
#include "models/kernel/task.h"
#include "models/run.h"
#include "models/workloads/workload.h"
#include "sim/util/arena.h"

/* What had been counted at one date. */
struct run_reading {
	struct cpu_counters *cpus; /* by index into run->cpus */
	uint64_t *operations; /* by task */
};

struct run {
	const struct run_config *config;
	struct arena *arena;
	struct engine *engine;
	struct machine *machine;
	void *workload_state;
	struct cpu *cpus; /* those that tasks may run on */
	struct task *tasks;
	int nr_cpus, nr_tasks;
	struct run_reading start, end; /* when measuring began and ended */
	sim_ps measured_ps;
	uint64_t wanted_operations; /* of all tasks */
	int prolongations;
	bool stopped;
};

/* Make room for the readings; before the run. */
void run_readings_create(struct run *run);

/* Measuring begins, or ends, now. */
void run_begin(struct run *run);
void run_end(struct run *run);

/* Of all tasks, since measuring began; before, since the start. */
uint64_t run_operations(const struct run *run);

/* The metrics of a run that is over. Fails when no operation ended. */
int run_measure(const struct run *run, double metrics[NR_METRICS], struct error *err);

#endif
