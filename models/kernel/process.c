/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/kernel/process_parts.h"

#include <string.h>

/*
 * Faults and user code go in steps of so long, so that both are spread over a process's life;
 * an engine event or two each.
 */
#define STEP_PS (2 * PS_PER_MS)

/* Lines that a fault clears or writes: the page. */
#define FAULT_LINES ((uint32_t)(PAGE_BYTES / 64))

/* Page tables below the PGD that a new address space has at once, for its stack. */
#define FIRST_TABLES 3

struct processes *processes_create(const struct process_site *site)
{
	struct processes *processes = arena_alloc(site->arena, sizeof(*processes));
	const struct process_params *params = site->params;

	processes->site = *site;
	processes->fork_ps = ns_to_ps(params->fork_ns);
	processes->exec_ps = ns_to_ps(params->exec_ns);
	processes->exit_ps = ns_to_ps(params->exit_ns);
	processes->fault_ps = ns_to_ps(params->fault_ns);
	processes->map_ps = ns_to_ps(params->map_ns);
	processes->unmap_ps = ns_to_ps(params->unmap_ns);
	processes->release_ps = ns_to_ps(params->release_ns);
	processes->table_delay_ps = ns_to_ps(params->table_delay_ns);
	processes->cpus = arena_calloc(site->arena, (size_t)site->nr_cpus, sizeof(*processes->cpus));
	return processes;
}

const struct process_counters *processes_counters(const struct processes *processes)
{
	return &processes->counters;
}

void *process_reserve(struct arena *arena, void *array, int nr, int more, int *max, size_t element_bytes)
{
	void *larger;

	if (nr + more <= *max)
		return array;
	while (*max < nr + more)
		*max = *max ? 2 * *max : 16;
	larger = arena_calloc(arena, (size_t)*max, element_bytes);
	if (nr)
		memcpy(larger, array, (size_t)nr * element_bytes);
	return larger;
}

/* alloc_thread_stack_node(): a cached one of this CPU, else from the bulk allocator, as vmalloc does. */
static void alloc_stack(struct processes *processes, struct task *task, struct process *child)
{
	struct process_cpu *cpu = &processes->cpus[task->cpu->id];
	uint32_t got;

	if (cpu->nr_stacks) {
		memcpy(child->stack, cpu->stacks[--cpu->nr_stacks], sizeof(child->stack));
		return;
	}
	got = alloc_pages_bulk(processes->site.page_alloc, task, MIGRATE_UNMOVABLE, THREAD_SIZE_PAGES, child->stack);
	for (uint32_t i = got; i < THREAD_SIZE_PAGES; i++)
		child->stack[i] = alloc_pages(processes->site.page_alloc, task, 0, MIGRATE_UNMOVABLE);
}

void process_fork(struct processes *processes, struct task *task, struct process *child)
{
	child->nr_pages = 0;
	child->nr_spans = 0;
	child->nr_tables = 0;
	child->mapped_pages = 0;
	child->pgd = NO_PAGE;
	rcu_run(processes, task);
	alloc_stack(processes, task, child);
	task_kernel(task, processes->fork_ps);
	task_balance_fork(task);
}

/* pte_alloc_one() and those above it: accounted, so one by one. */
static void alloc_tables(struct processes *processes, struct task *task, struct process *process, uint32_t nr)
{
	const struct page_work clear = { .lines = FAULT_LINES };
	uint32_t got;

	process->tables = process_reserve(processes->site.arena, process->tables, process->nr_tables, (int)nr,
					  &process->max_tables, sizeof(*process->tables));
	got = alloc_pages_burst(processes->site.page_alloc, task, MIGRATE_UNMOVABLE, nr, &clear,
				process->tables + process->nr_tables);
	process->nr_tables += (int)got;
}

/* mm_init() and the stack of the new program. */
static void create_mm(struct processes *processes, struct task *task, struct process *process, uint32_t mapped_pages)
{
	process->pgd =
		alloc_pages(processes->site.page_alloc, task, processes->site.params->pgd_order, MIGRATE_UNMOVABLE);
	alloc_tables(processes, task, process, FIRST_TABLES);
	process->mapped_pages = mapped_pages;
}

void process_exec(struct processes *processes, struct task *task, struct process *process, uint32_t mapped_pages)
{
	task_balance_exec(task);
	create_mm(processes, task, process, mapped_pages);
	task_kernel(task, processes->exec_ps + mapped_pages * processes->map_ps);
}

void process_dup_mm(struct processes *processes, struct task *task, struct process *process, uint32_t mapped_pages)
{
	create_mm(processes, task, process, mapped_pages);
	task_kernel(task, mapped_pages * processes->map_ps);
}

/* The next pages of the process come from this CPU. */
static void note_cpu(struct processes *processes, struct process *process, int cpu)
{
	if (process->nr_spans && process->spans[process->nr_spans - 1].cpu == cpu)
		return;
	process->spans = arena_grow(processes->site.arena, process->spans, process->nr_spans, &process->max_spans,
				    sizeof(*process->spans));
	process->spans[process->nr_spans++] = (struct page_span){ .first = (uint32_t)process->nr_pages, .cpu = cpu };
}

static uint32_t fault(struct processes *processes, struct task *task, struct process *process, uint32_t nr,
		      const struct page_work *work)
{
	uint32_t got;

	note_cpu(processes, process, task->cpu->id);
	got = alloc_pages_burst(processes->site.page_alloc, task, MIGRATE_MOVABLE, nr, work,
				process->pages + process->nr_pages);
	process->nr_pages += (int)got;
	return got;
}

static uint32_t pages_per_step(const struct page_work *work, uint32_t pages)
{
	const sim_ps page_ps = work->kernel_ps + work->user_ps;
	const sim_ps nr = page_ps ? STEP_PS / page_ps : pages;

	return (uint32_t)ps_max(1, ps_min(nr, pages));
}

void process_run(struct processes *processes, struct task *task, struct process *process, const struct process_run *run)
{
	struct page_work work = { .kernel_ps = processes->fault_ps, .lines = FAULT_LINES };
	uint32_t done = 0, tables = 0, step;

	if (!run->pages) {
		alloc_tables(processes, task, process, run->tables);
		task_user(task, run->user_ps);
		return;
	}
	work.user_ps = run->user_ps / run->pages;
	work.lines += (uint32_t)(work.user_ps * run->lines_per_us / PS_PER_US);
	step = pages_per_step(&work, run->pages);
	process->pages = process_reserve(processes->site.arena, process->pages, process->nr_pages, (int)run->pages,
					 &process->max_pages, sizeof(*process->pages));
	while (done < run->pages && !*processes->site.stopped) {
		const uint32_t nr = run->pages - done < step ? run->pages - done : step;
		const uint32_t due = (uint32_t)((uint64_t)run->tables * (done + nr) / run->pages);

		rcu_run(processes, task);
		alloc_tables(processes, task, process, due - tables);
		tables = due;
		if (fault(processes, task, process, nr, &work) < nr)
			return;
		done += nr;
		task_preempt_point(task);
	}
}
