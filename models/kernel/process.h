/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes as the page allocator and the scheduler see them: which pages one
 * takes from fork to exit, in what order they go back, and on which CPUs.
 *
 *	fork   a kernel stack (from the CPU's cache of two, or 4 pages by the bulk
 *	       allocator); the child goes to the idlest CPU
 *	exec   to the idlest CPU again; PGD and the first page tables
 *	fault  bursts of order-0 movable pages between user code, a page table
 *	       now and then
 *	exit   unmap everything into mmu_gather, flush it; page tables, now or
 *	       after an RCU grace period; PGD; the stack goes to the CPU's cache
 *
 * One task plays a process and the children that it waits for, one after the
 * other, as make, sh and gcc do: a child that is placed on another CPU takes
 * the task there, and its parent goes on where the child ended.
 *
 * kernel/fork.c, mm/memory.c, mm/mmap.c (exit_mmap()), mm/mmu_gather.c and
 * mm/swap_state.c (free_pages_and_swap_cache()) of 6.12. Costs beside the page
 * allocator's are parameters. Left out: slab objects, swap, huge pages, file
 * pages but for their number, contention on mmap_lock and lruvec->lru_lock.
 */
#ifndef CONTEND_KERNEL_PROCESS_H
#define CONTEND_KERNEL_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "models/kernel/page_alloc.h"
#include "models/kernel/task.h"
#include "sim/util/arena.h"
#include "sim/util/param.h"

struct process_params {
	double fork_ns;
	double exec_ns;
	double exit_ns;
	double fault_ns;
	double map_ns;
	double unmap_ns;
	double release_ns;
	uint32_t pgd_order;
	double table_delay_ns;
};

/* Their entries of a workload's table; `member` is a struct process_params of `type`. */
/* clang-format off */
#define PROCESS_PARAMS(type, member) \
	PARAM_AS("fork_ns", type, member.fork_ns, "ns", 60e3, 0, 1e9, "fork and wait of a process, beside its pages"), \
	PARAM_AS("exec_ns", type, member.exec_ns, "ns", 250e3, 0, 1e9, "exec, dynamic linking and the system calls of a start, in the kernel, beside its pages"), \
	PARAM_AS("exit_ns", type, member.exit_ns, "ns", 40e3, 0, 1e9, "exit of a process, beside its pages"), \
	PARAM_AS("fault_ns", type, member.fault_ns, "ns", 1500, 0, 1e6, "page fault and clearing or copying the page, beside its allocation"), \
	PARAM_AS("map_ns", type, member.map_ns, "ns", 60, 0, 1e6, "per mapped page of a file: a fault of 16 pages at a time"), \
	PARAM_AS("unmap_ns", type, member.unmap_ns, "ns", 100, 0, 1e6, "exit: unmapping a page"), \
	PARAM_AS("release_ns", type, member.release_ns, "ns", 150, 0, 1e6, "exit: last reference, LRU list, cgroup of a page, beside freeing it"), \
	PARAM_AS("pgd_order", type, member.pgd_order, "", 0, 0, 1, "1: page table isolation doubles the PGD"), \
	PARAM_AS("table_delay_ns", type, member.table_delay_ns, "ns", 14e6, 0, 1e9, "page tables are freed by RCU so long after the exit; 0: with the pages")
/* clang-format on */

struct process_site {
	struct arena *arena;
	struct page_alloc *page_alloc;
	const struct process_params *params;
	int nr_cpus; /* of the machine */
	const bool *stopped; /* no more user code and faults: come to an end */
};

#define THREAD_SIZE_PAGES 4 /* a kernel stack */

/* Pages of which each was allocated on one CPU, up to the next span. */
struct page_span {
	uint32_t first;
	int cpu;
};

/* One process: zeroed at first, used again for the next one after its exit (its arrays stay). */
struct process {
	pfn_t *pages; /* anonymous, in the order of their first use */
	int nr_pages, max_pages;
	struct page_span *spans;
	int nr_spans, max_spans;
	pfn_t *tables;
	int nr_tables, max_tables;
	uint32_t mapped_pages; /* of files */
	pfn_t pgd; /* NO_PAGE: none */
	pfn_t stack[THREAD_SIZE_PAGES]; /* stack[0] NO_PAGE: none */
};

struct processes; /* of a machine */

struct processes *processes_create(const struct process_site *site);

/*
 * The task becomes a child of the process that it is, on the CPU that fork balancing gives it. All of these may block and
 * return on another CPU. Without memory a process goes on with fewer pages.
 */
void process_fork(struct processes *processes, struct task *task, struct process *child);

/* exec: a new address space with so many mapped pages of files, after exec balancing. */
void process_exec(struct processes *processes, struct task *task, struct process *process, uint32_t mapped_pages);

/* fork of a process that does not exec: dup_mm(), a copy of its parent's address space. */
void process_dup_mm(struct processes *processes, struct task *task, struct process *process, uint32_t mapped_pages);

/* A stretch of its life. */
struct process_run {
	uint32_t pages; /* faulted in, evenly */
	uint32_t tables; /* page tables, evenly among them */
	sim_ps user_ps; /* user code between */
	uint32_t lines_per_us; /* cache lines that the user code touches: they push others out */
};

void process_run(struct processes *processes, struct task *task, struct process *process,
		 const struct process_run *run);

/* Free everything. The task is the parent again. */
void process_exit(struct processes *processes, struct task *task, struct process *process);

/* The task ends for good, one of `nr_tasks`: the last one frees what RCU still has. */
void processes_finish(struct processes *processes, struct task *task, int nr_tasks);

struct process_counters {
	uint64_t pages_freed; /* anonymous pages at exit */
	uint64_t pages_freed_elsewhere; /* of them on another CPU than allocated on */
};

const struct process_counters *processes_counters(const struct processes *processes);

/* In caches of kernel stacks and waiting for RCU. */
uint64_t processes_held_pages(const struct processes *processes);

#endif
