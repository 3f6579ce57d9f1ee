/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A task: what runs on a CPU, and may run on another one later. Kernel code
 * that may be preempted, sleep or migrate takes the task and asks it for its
 * CPU each time (smp_processor_id()); code that cannot takes the CPU.
 *
 * A task without a scheduler is alone on its CPU for the whole run.
 */
#ifndef CONTEND_KERNEL_TASK_H
#define CONTEND_KERNEL_TASK_H

#include <stdbool.h>

#include "models/hardware/cpu.h"
#include "sim/engine/engine.h"
#include "sim/util/rng.h"
#include "sim/util/units.h"

struct sched;

struct task {
	struct cpu *cpu; /* where it runs, or ran last */
	struct actor *actor;
	struct sched *sched; /* NULL: alone on its CPU */
	int index; /* of the worker: 0 .. nr_tasks - 1 */
	struct rng rng; /* a stream of its own, wherever it runs */
	uint64_t operations; /* counted by the run */
	sim_ps user_ps; /* time in user mode */
	sim_ps system_ps; /* time on a CPU less user_ps, up to the last switch */
	sim_ps on_cpu_since; /* date of the last switch to it */
	struct task *next; /* in a run queue */
	bool sleeping; /* in task_sleep */
	bool woken; /* before its task_sleep */
	sim_ps cold_ps; /* user work that cold caches of another CPU add to what comes */
	sim_ps slice_end; /* date from which a waiting task may take the CPU */
};

#endif
