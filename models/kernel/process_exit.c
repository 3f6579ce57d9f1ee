/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The end of a process: exit_mmap() with its mmu_gather, page tables by RCU,
 * the PGD, the kernel stack.
 */
#include "models/kernel/process_parts.h"

#include <string.h>

/* mm/mmu_gather.c, include/asm-generic/tlb.h */
#define MMU_GATHER_BUNDLE 8 /* entries in the struct itself */
#define MAX_GATHER_BATCH 510 /* entries in a page */
#define MAX_GATHER_BATCH_COUNT (10000 / MAX_GATHER_BATCH)
#define MAX_GATHER_ENTRIES \
	(MMU_GATHER_BUNDLE + MAX_GATHER_BATCH_COUNT * MAX_GATHER_BATCH) /* 9698: then it is flushed */
#define MAX_NR_FOLIOS_PER_FREE 512 /* between two cond_resched() of a flush */

/* Pages that are unmapped between two cond_resched(): those of a page table. */
#define PAGES_PER_TABLE 512

static void free_order0(struct processes *processes, struct task *task, const pfn_t *pages, int nr)
{
	const struct page_work none = { 0 };

	if (nr)
		free_pages_burst(processes->site.page_alloc, task, pages, (uint32_t)nr, &none);
}

/* ---- page tables by RCU ---- */

/* How many tables go at once; what RCU has may grow and move while they are freed. */
#define RCU_FREE_AT_ONCE 64

/* Take tables that are due by `date` off a CPU's queue. */
static int rcu_take_due(struct process_cpu *cpu, sim_ps date, pfn_t *tables)
{
	int nr = 0;

	while (cpu->first_batch < cpu->nr_batches && cpu->batches[cpu->first_batch].due_ps <= date) {
		const int end = cpu->batches[cpu->first_batch].end;

		while (cpu->first_table < end && nr < RCU_FREE_AT_ONCE)
			tables[nr++] = cpu->tables[cpu->first_table++];
		if (cpu->first_table < end)
			return nr;
		cpu->first_batch++;
	}
	if (cpu->first_batch == cpu->nr_batches)
		cpu->first_batch = cpu->nr_batches = cpu->first_table = cpu->nr_tables = 0;
	return nr;
}

static void rcu_free_due(struct processes *processes, struct task *task, struct process_cpu *cpu, sim_ps date)
{
	pfn_t tables[RCU_FREE_AT_ONCE];
	int nr;

	while ((nr = rcu_take_due(cpu, date, tables)))
		free_order0(processes, task, tables, nr);
}

void rcu_run(struct processes *processes, struct task *task)
{
	rcu_free_due(processes, task, &processes->cpus[task->cpu->id], task->cpu->date);
}

/* Forget what was freed at the front of the array once that is the larger part. */
static void rcu_compact(struct process_cpu *cpu)
{
	const int tables = cpu->nr_tables - cpu->first_table;
	const int batches = cpu->nr_batches - cpu->first_batch;

	if (cpu->first_table < tables + 1024)
		return;
	memmove(cpu->tables, cpu->tables + cpu->first_table, (size_t)tables * sizeof(*cpu->tables));
	memmove(cpu->batches, cpu->batches + cpu->first_batch, (size_t)batches * sizeof(*cpu->batches));
	for (int i = 0; i < batches; i++)
		cpu->batches[i].end -= cpu->first_table;
	cpu->nr_tables = tables;
	cpu->nr_batches = batches;
	cpu->first_table = cpu->first_batch = 0;
}

/* tlb_remove_table(): the tables and the page that lists them, by call_rcu() on this CPU. */
static void rcu_queue(struct processes *processes, struct task *task, const struct process *process)
{
	const pfn_t list = alloc_pages(processes->site.page_alloc, task, 0, MIGRATE_UNMOVABLE);
	struct process_cpu *cpu = &processes->cpus[task->cpu->id];

	rcu_compact(cpu);
	cpu->tables = process_reserve(processes->site.arena, cpu->tables, cpu->nr_tables, process->nr_tables + 1,
				      &cpu->max_tables, sizeof(*cpu->tables));
	memcpy(cpu->tables + cpu->nr_tables, process->tables, (size_t)process->nr_tables * sizeof(*cpu->tables));
	cpu->nr_tables += process->nr_tables;
	if (list != NO_PAGE)
		cpu->tables[cpu->nr_tables++] = list;
	cpu->batches = arena_grow(processes->site.arena, cpu->batches, cpu->nr_batches, &cpu->max_batches,
				  sizeof(*cpu->batches));
	cpu->batches[cpu->nr_batches++] = (struct rcu_batch){
		.due_ps = task->cpu->date + processes->table_delay_ps,
		.end = cpu->nr_tables,
	};
}

/* ---- exit_mmap() ---- */

/* What is left to unmap: file pages first, as the program's own mapping is at the lowest addresses, then anonymous ones. */
struct unmapping {
	const struct process *process;
	uint32_t mapped;
	int page, span;
	pfn_t gather[MAX_GATHER_BATCH_COUNT]; /* pages of entries; they stay until the end */
	uint32_t nr_gather;
};

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t left_to_unmap(const struct unmapping *left)
{
	return left->mapped + (uint32_t)(left->process->nr_pages - left->page);
}

/*
 * tlb_next_batch(): GFP_NOWAIT, and it may fail: then the flush comes earlier.
 * Returns for how many entries there is room.
 */
static uint32_t gather_room(struct processes *processes, struct task *task, struct unmapping *left, uint32_t entries)
{
	const uint32_t beyond = entries > MMU_GATHER_BUNDLE ? entries - MMU_GATHER_BUNDLE : 0;
	const uint32_t wanted = (beyond + MAX_GATHER_BATCH - 1) / MAX_GATHER_BATCH;
	const struct page_work none = { 0 };

	if (wanted > left->nr_gather)
		left->nr_gather += alloc_pages_burst(processes->site.page_alloc, task, MIGRATE_UNMOVABLE,
						     wanted - left->nr_gather, &none, left->gather + left->nr_gather);
	return least(entries, MMU_GATHER_BUNDLE + left->nr_gather * MAX_GATHER_BATCH);
}

/* unmap_vmas(): zap_pte_range() by page tables. */
static void unmap(struct processes *processes, struct task *task, uint32_t entries)
{
	while (entries) {
		const uint32_t nr = least(entries, PAGES_PER_TABLE);

		task_kernel(task, nr * processes->unmap_ps);
		task_preempt_point(task);
		entries -= nr;
	}
}

/* How many of the next nr anonymous pages were allocated on another CPU. */
static uint32_t pages_from_elsewhere(struct unmapping *left, int nr, int cpu)
{
	const struct process *process = left->process;
	uint32_t elsewhere = 0;

	for (int page = left->page, end = left->page + nr; page < end;) {
		const bool last = left->span + 1 == process->nr_spans;
		const int span_end = last ? process->nr_pages : (int)process->spans[left->span + 1].first;
		const int until = span_end < end ? span_end : end;

		elsewhere += process->spans[left->span].cpu != cpu ? (uint32_t)(until - page) : 0;
		page = until;
		left->span += page == span_end && !last;
	}
	return elsewhere;
}

/* free_pages_and_swap_cache() of one group: references of file pages go, anonymous pages are freed, in the order of use. */
static void free_group(struct processes *processes, struct task *task, struct unmapping *left, uint32_t entries)
{
	const struct page_work work = { .kernel_ps = processes->release_ps };
	const uint32_t mapped = least(entries, left->mapped);
	const uint32_t pages = entries - mapped;

	task_kernel(task, mapped * processes->release_ps);
	left->mapped -= mapped;
	if (!pages)
		return;
	processes->counters.pages_freed += pages;
	processes->counters.pages_freed_elsewhere += pages_from_elsewhere(left, (int)pages, task->cpu->id);
	free_pages_burst(processes->site.page_alloc, task, left->process->pages + left->page, pages, &work);
	left->page += (int)pages;
}

/* tlb_flush_mmu() */
static void flush(struct processes *processes, struct task *task, struct unmapping *left, uint32_t entries)
{
	while (entries) {
		const uint32_t nr = least(entries, MAX_NR_FOLIOS_PER_FREE);

		free_group(processes, task, left, nr);
		task_preempt_point(task);
		entries -= nr;
	}
}

/* free_pgtables(), then tlb_finish_mmu() with the pages of the gather. */
static void exit_mmap(struct processes *processes, struct task *task, struct process *process)
{
	struct unmapping left = { .process = process, .mapped = process->mapped_pages };

	while (left_to_unmap(&left)) {
		const uint32_t entries =
			gather_room(processes, task, &left, least(left_to_unmap(&left), MAX_GATHER_ENTRIES));

		unmap(processes, task, entries);
		flush(processes, task, &left, entries);
	}
	if (processes->table_delay_ps)
		rcu_queue(processes, task, process);
	else
		free_order0(processes, task, process->tables, process->nr_tables);
	free_order0(processes, task, left.gather, (int)left.nr_gather);
	process->nr_pages = 0;
	process->nr_tables = 0;
}

/* release_thread_stack(): into this CPU's cache when that has room. */
static void free_stack(struct processes *processes, struct task *task, const struct process *process)
{
	struct process_cpu *cpu = &processes->cpus[task->cpu->id];

	if (cpu->nr_stacks < NR_CACHED_STACKS && process->stack[THREAD_SIZE_PAGES - 1] != NO_PAGE) {
		memcpy(cpu->stacks[cpu->nr_stacks++], process->stack, sizeof(process->stack));
		return;
	}
	for (int i = 0; i < THREAD_SIZE_PAGES && process->stack[i] != NO_PAGE; i++)
		free_pages(processes->site.page_alloc, task, process->stack[i], 0);
}

void process_exit(struct processes *processes, struct task *task, struct process *process)
{
	task_kernel(task, processes->exit_ps);
	exit_mmap(processes, task, process);
	if (process->pgd != NO_PAGE)
		free_pages(processes->site.page_alloc, task, process->pgd, processes->site.params->pgd_order);
	free_stack(processes, task, process);
	task_preempt_point(task);
}

void processes_finish(struct processes *processes, struct task *task, int nr_tasks)
{
	if (++processes->nr_finished < nr_tasks)
		return;
	for (int i = 0; i < processes->site.nr_cpus; i++)
		rcu_free_due(processes, task, &processes->cpus[i], SIM_PS_MAX);
}

uint64_t processes_held_pages(const struct processes *processes)
{
	uint64_t pages = 0;

	for (int i = 0; i < processes->site.nr_cpus; i++)
		pages += (uint64_t)processes->cpus[i].nr_stacks * THREAD_SIZE_PAGES +
			 (uint64_t)(processes->cpus[i].nr_tables - processes->cpus[i].first_table);
	return pages;
}
