/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What process.c (birth and life) and process_exit.c share.
 */
#ifndef CONTEND_KERNEL_PROCESS_PARTS_H
#define CONTEND_KERNEL_PROCESS_PARTS_H

#include "models/kernel/process.h"
#include "models/kernel/sched.h"

#define NR_CACHED_STACKS 2 /* of kernel/fork.c, per CPU */

/* Page tables of one exit that wait for RCU; they end at `end` in the CPU's array. */
struct rcu_batch {
	sim_ps due_ps;
	int end;
};

/* A CPU's kernel stacks, and its page tables in the order of their exits. */
struct process_cpu {
	pfn_t stacks[NR_CACHED_STACKS][THREAD_SIZE_PAGES];
	int nr_stacks;
	pfn_t *tables;
	int first_table, nr_tables, max_tables;
	struct rcu_batch *batches;
	int first_batch, nr_batches, max_batches;
};

struct processes {
	struct process_site site;
	sim_ps fork_ps, exec_ps, exit_ps, fault_ps, map_ps, unmap_ps, release_ps, table_delay_ps;
	struct process_cpu *cpus;
	int nr_finished;
	struct process_counters counters;
};

/* Room for `more` elements behind the nr of an array that the arena holds. */
void *process_reserve(struct arena *arena, void *array, int nr, int more, int *max, size_t element_bytes);

/* The RCU softirq: what is due on the task's CPU is freed there. */
void rcu_run(struct processes *processes, struct task *task);

#endif
