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

/* What things cost; the sources of the defaults are in models/README.md, "Tasks". */
struct sched_params {
	double context_switch_ns; /* from one task, or idling, to the next on a CPU */
	double wake_ns; /* what waking costs the waker */
	double wake_latency_ns; /* from the wake to the switch to the woken task on an idle CPU */
	double migration_ns; /* cold caches of a task on another CPU: added to its next user work */
	double slice_ns; /* how long a task runs while others wait */
	double tick_ns; /* the end of a slice is noticed at a tick; so is that a CPU is idle while tasks wait elsewhere */
};

extern const struct param sched_params[];

/*
 * A scheduler over these CPUs of the machine, all idle; `cpus` must outlive it. What runs on an idle CPU's SMT sibling is
 * not slowed down.
 */
struct sched *sched_create(struct arena *arena, const struct machine *machine, struct engine *engine,
			   const struct sched_params *params, struct cpu *cpus, int nr_cpus);

/*
 * Called by the actor of a new task as its first act: queues it on the idlest CPU, of equals the next one after task->cpu
 * (NULL: cpus[0]), and returns once it runs there.
 */
void sched_start(struct sched *sched, struct task *task);

/* Called last: the CPU goes to the next task. Synchronises. */
void sched_exit(struct task *task);

/*
 * User code of so long. Others may take the CPU when the slice is over, so this may block and return on another CPU. It
 * takes longer while an SMT sibling is busy, exactly as long as that is. Runs ahead of the engine by at most a microsecond;
 * longer work costs one or two events, however long it is, unless others wait for the CPU.
 */
void task_user(struct task *task, sim_ps duration);

/* Kernel code of so long: never preempted, never blocks. Priced by what the sibling does when it starts. */
void task_kernel(struct task *task, sim_ps duration);

/*
 * A point where the kernel may preempt (preempt_enable(), cond_resched()): gives the CPU away when the slice is over and
 * another task waits, as far as the engine's date knows (no synchronisation when none does). Returns true when the task is
 * on another CPU afterwards.
 */
bool task_preempt_point(struct task *task);

/*
 * fork and exec balancing: move the running task, as a new one or as the one that calls exec, to the idlest CPU: in the
 * node with most idle CPUs the cluster with most, there an idle core first; the own one of equals. At a fork the parent
 * keeps its CPU busy. With no CPU idle an exec stays, and a fork goes to the shortest queue. May block.
 */
void task_balance_fork(struct task *task);
void task_balance_exec(struct task *task);

/*
 * Sleep until woken; a wake that came first is consumed. `waits_for` as for actor_park. And wake a task: on its last CPU
 * when that is idle, else on an idle one of that one's cluster or of the waker's (an idle core first), else queued on its
 * last CPU. Both synchronise. The waker pays wake_ns; NULL is an interrupt.
 */
void task_sleep(struct task *task, const char *waits_for);
void task_wake(struct task *waker, struct task *sleeper);

/*
 * The same by a waker that is about to sleep, as the writer of a pipe or a socket (WF_SYNC): while nobody waits for its
 * CPU, it draws the woken task into its own cluster, to the last CPU when that is an idle one there, else to another idle
 * one, else behind itself.
 */
void task_wake_sync(struct task *waker, struct task *sleeper);

/* Sleep for a time (I/O, a timer); a wake meanwhile is for the next task_sleep. */
void task_sleep_for(struct task *task, sim_ps duration);

/* Since the start: CPU time of all tasks, and of the CPUs being idle; together CPUs x time. */
struct sched_times {
	sim_ps user_ps, system_ps, idle_ps;
	uint64_t switches; /* to a task, from another or from idling */
	uint64_t migrations; /* switches to a task that ran last on another CPU */
	uint64_t preemptions; /* tasks that left their CPU though they could have gone on */
};

/* `now` is the engine's date. */
void sched_times(const struct sched *sched, sim_ps now, struct sched_times *out);

#endif
