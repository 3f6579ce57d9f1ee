/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The scheduler: a run queue per CPU, placement at fork, exec and wake,
 * preemption at the end of a slice, and an idle CPU that pulls work.
 *
 * Reduced to what an allocator sees of it: which CPU a task is on from one
 * call to the next, when it leaves that CPU, and how busy the CPUs are. Tasks
 * of equal weight in FIFO order stand for EEVDF; there are no priorities.
 */
#ifndef CONTEND_KERNEL_SCHED_H
#define CONTEND_KERNEL_SCHED_H

#include "models/hardware/cpu.h"
#include "models/hardware/machine.h"
#include "models/kernel/task.h"
#include "sim/util/arena.h"
#include "sim/util/param.h"

struct sched_params {
	double context_switch_ns; /* from one task to the next on a CPU */
	double wake_ns; /* what waking costs the waker */
	double wake_latency_ns; /* from the wake to the woken task on an idle CPU */
	double migration_ns; /* cold caches of a task on another CPU */
	double slice_ns; /* how long a task runs while others wait */
};

extern const struct param sched_params[];

/* A scheduler over these CPUs, all idle. Members of `cpus` must outlive it. */
struct sched *sched_create(struct arena *arena, const struct machine *machine, struct engine *engine,
			   const struct sched_params *params, struct cpu *cpus, int nr_cpus);

/* Called by the actor of a new task as its first act: queues it on the idlest CPU and returns once it runs there. */
void sched_start(struct sched *sched, struct task *task);

/* Called last: the CPU goes to the next task. */
void sched_exit(struct task *task);

/*
 * User code of so long: preemptible, longer while the SMT sibling is busy. May block (preemption) and return on another
 * CPU.
 */
void task_user(struct task *task, sim_ps duration);

/* Kernel code of so long: never preempted, never blocks. */
void task_kernel(struct task *task, sim_ps duration);

/*
 * A point where the kernel may preempt (preempt_enable(), cond_resched()): gives the CPU away when the slice is over and
 * another task waits. Returns true when the task is on another CPU afterwards.
 */
bool task_preempt_point(struct task *task);

/* fork and exec balancing: move the running task to the idlest CPU (of its L3 cluster first). May block. */
void task_balance_fork(struct task *task);
void task_balance_exec(struct task *task);

/* Sleep until woken; a wake that came first is consumed. And wake a task from another one: on its last CPU when that is
 * idle, else on an idle one of that or the waker's cluster, else queued. */
void task_sleep(struct task *task, const char *waits_for);
void task_wake(struct task *waker, struct task *sleeper);

/* Sleep for a time (I/O, a timer). */
void task_sleep_for(struct task *task, sim_ps duration);

/* Since the start: CPU time of all tasks, and of the CPUs being idle. */
struct sched_times {
	sim_ps user_ps, system_ps, idle_ps;
	uint64_t switches, migrations, preemptions;
};

void sched_times(const struct sched *sched, sim_ps now, struct sched_times *out);

#endif
