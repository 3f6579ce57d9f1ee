/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inside of the scheduler, for models/kernel/sched*.c only.
 *
 * A CPU's seat is its place in the topology, core * smt + thread: the CPUs of a
 * core, a cluster and a node are ranges of seats, so that a search is a walk
 * over words of a bitmap. There are counts per core, cluster and node of idle
 * CPUs and of waiting tasks: finding where to go, or what to pull, costs
 * O(nodes + clusters of one node + words of one cluster).
 */
#ifndef CONTEND_KERNEL_SCHED_STATE_H
#define CONTEND_KERNEL_SCHED_STATE_H

#include "models/kernel/sched.h"

#define NO_SEAT (-1)
#define QUEUED "its turn on a CPU" /* what a task in a queue waits for */

/*
 * A CPU's run queue. Its CPU is
 *
 *	idle -> (a task is placed) -> reserved -> (it arrives) -> running -> running the next one, or idle
 *
 * and `idle` says which side of the arrival time is counted on.
 */
struct run_queue {
	struct sched *sched;
	struct cpu *cpu; /* NULL: no such CPU in this run */
	int seat;
	struct task *curr; /* runs here or is on its way; NULL: idle */
	struct task *first, *last; /* wait for their turn */
	int nr_waiting;
	bool idle;
	sim_ps since; /* date of the last change of who uses the CPU: nobody, or curr */
	sim_ps user_before; /* curr->user_ps at that date */

	/* curr's user work of which the engine awaits the end; 0: none, or (user_until) it has been ended */
	sim_ps user_from, user_until;
	sim_ps user_left; /* not done when it was stopped, as work without a busy sibling */

	sim_ps balance_at; /* tick at which an idle CPU elsewhere takes a waiting task; 0: none */
	sim_ps timer_at; /* the earliest call that is to come; 0: none */
};

/* What is idle and what waits, by seat and summed up. */
struct sched_map {
	const struct machine *machine;
	int smt, clusters_per_node;
	int nr_nodes, nr_clusters, nr_cores;
	uint64_t *idle_cpus, *idle_cores, *waiting_cpus; /* bitmaps; a core is idle when all its CPUs are */
	int *cluster_of; /* by core */
	int *core_cpus, *core_idle; /* by core: CPUs of this run, and how many are idle */
	int *cluster_cpus, *node_cpus;
	int *cluster_idle, *cluster_waiting;
	int *node_idle, *node_waiting;
	int nr_idle, nr_waiting;
};

struct sched {
	struct engine *engine;
	struct run_queue *queues; /* by seat */
	int nr_seats;
	struct run_queue *first; /* of cpus[0] */
	struct sched_map map;
	sim_ps context_switch_ps, wake_ps, wake_latency_ps, migration_ps, slice_ps, tick_ps;
	struct sched_times times; /* of what is over */
	engine_fn *on_timer; /* queue_timer */
};

void queue_timer(void *queue);
void queue_create(struct sched *sched, struct cpu *cpu);

/* A task gets this CPU now, or waits for it. It must be running (and block next) or blocked. */
void queue_place(struct run_queue *queue, struct task *task);

/*
 * The running task is off its CPU from now on, which goes to the next task: of its own queue, pulled from another one, or
 * none. The engine must have come up to the CPU's clock.
 */
void queue_leave(struct run_queue *queue);

/* To the end of the own queue, behind those that wait, the first of which runs next. */
void queue_rotate(struct run_queue *queue);

/* Block until a queue runs this task; it runs, on task->cpu, when this returns. */
void queue_await(struct task *task, const char *waits_for);

/*
 * Let the running task do user work of so long; returns what is left of it when the slice ended first. Others may wait for
 * the CPU.
 */
sim_ps queue_run_user(struct run_queue *queue, sim_ps work);

static inline struct run_queue *queue_of(const struct sched *sched, const struct cpu *cpu)
{
	return &sched->queues[cpu->place->core * sched->map.smt + cpu->place->thread];
}

/* Is the slice of the running task over, and does another wait? */
static inline bool queue_wants_switch(const struct run_queue *queue)
{
	return queue->nr_waiting && queue->cpu->date >= queue->curr->slice_end;
}

void sched_map_create(struct sched_map *map, struct arena *arena, const struct machine *machine);

/* A CPU of this run, idle. */
void sched_map_add_cpu(struct sched_map *map, int seat);

void sched_map_set_idle(struct sched_map *map, int seat, bool idle);

/* The queue of a seat has grown or shrunk by one, and has this many. */
void sched_map_count_waiting(struct sched_map *map, int seat, int change, int nr_waiting);

/*
 * The idlest CPU of the machine as find_idlest_group() descends: the node with most idle CPUs, in it the cluster with most,
 * in that an idle core or else an idle CPU. Equals go in a ring: what `near` belongs to first, then what follows it.
 * NO_SEAT when no CPU is idle.
 */
int sched_map_idlest(const struct sched_map *map, int near);

/* The same for the task that runs at `own` and calls exec: to it its own CPU is idle, and it stays unless another is better. */
int sched_map_idlest_for_exec(struct sched_map *map, int own, int nr_waiting);

/* An idle CPU in the cluster of `near`, an idle core first; the ring starts after `near`. NO_SEAT when there is none. */
int sched_map_idle_in_cluster(const struct sched_map *map, int near);

/* An idle CPU of the nearest cluster to `near` that has one: its own, then one of its node, then any. */
int sched_map_idle_near(const struct sched_map *map, int near);

/*
 * Where to queue when no CPU is idle: in the node with fewest waiting tasks per CPU, the cluster with fewest. Its seats are
 * those from the one returned up to *end.
 */
int sched_map_least_waiting_cluster(const struct sched_map *map, int near, int *end);

/* Where to pull from: the own cluster when tasks wait there, else where most do in its node, else in the machine; or -1. */
int sched_map_most_waiting_cluster(const struct sched_map *map, int near);

/* The next seat of the cluster at which tasks wait, after `after`; NO_SEAT when that was the last. */
int sched_map_next_waiting(const struct sched_map *map, int cluster, int after);

static inline int map_cluster_of(const struct sched_map *map, int seat)
{
	return map->cluster_of[seat / map->smt];
}

#endif
