/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/trace/trace_summary.h"

#include "sim/trace/live_blocks.h"

struct trace_summary *trace_summary_create(struct arena *arena)
{
	struct trace_summary *summary = arena_alloc(arena, sizeof(*summary));

	summary->cpus = arena_calloc(arena, TRACE_MAX_CPUS, sizeof(*summary->cpus));
	for (int cpu = 0; cpu < TRACE_MAX_CPUS; cpu++)
		summary->cpus[cpu].last_ns = -1;
	summary->live = live_blocks_create(arena);
	return summary;
}

static void run_end(struct trace_summary *summary, struct trace_run *run)
{
	if (run->nr > 0)
		histogram_add(&summary->bursts[run->type], run->nr);
	run->nr = 0;
}

static void run_add(struct trace_summary *summary, struct trace_run *run, const struct trace_event *event)
{
	if (run->type != event->type || event->time_ns - run->last_ns > TRACE_BURST_GAP_NS)
		run_end(summary, run);
	run->type = (enum trace_type)event->type;
	run->last_ns = event->time_ns;
	run->nr++;
}

static void add_to_bursts(struct trace_summary *summary, struct trace_cpu *cpu, const struct trace_event *event)
{
	switch (event->type) {
	case TRACE_PAGE_ALLOC:
	case TRACE_PAGE_FREE:
		run_add(summary, &cpu->pages, event);
		run_end(summary, &cpu->zone);
		break;
	case TRACE_PAGE_ALLOC_ZONE_LOCKED:
	case TRACE_PAGE_PCPU_DRAIN:
		run_add(summary, &cpu->zone, event);
		break;
	default: /* these come besides others */
		break;
	}
}

static void add_allocation(struct trace_summary *summary, const struct trace_event *event)
{
	const struct live_block block = {
		.pfn = event->pfn,
		.time_ns = event->time_ns,
		.cpu = event->cpu,
		.order = event->order,
	};

	if (live_blocks_add(summary->live, &block))
		summary->nr_missed_frees++;
}

static void add_free(struct trace_summary *summary, const struct trace_event *event)
{
	struct trace_order *order = &summary->orders[event->order];
	struct live_block block;

	if (!live_blocks_take(summary->live, event->pfn, &block)) {
		summary->nr_unknown_frees++;
		return;
	}
	histogram_add(&order->lifetime_ns, event->time_ns - block.time_ns);
	histogram_add(&summary->lifetime_ns, event->time_ns - block.time_ns);
	if (block.cpu != event->cpu) {
		order->nr_freed_elsewhere++;
		summary->nr_freed_elsewhere++;
	}
}

static void add_stamp(struct trace_summary *summary, struct trace_cpu *cpu, int64_t time_ns)
{
	if (summary->nr_events == 0 || time_ns < summary->first_ns)
		summary->first_ns = time_ns;
	summary->nr_back += time_ns < summary->last_ns;
	summary->nr_back_on_cpu += time_ns < cpu->last_ns;
	summary->nr_cpus += cpu->last_ns < 0;
	if (time_ns > summary->last_ns)
		summary->last_ns = time_ns;
	cpu->last_ns = time_ns;
}

void trace_summary_add(struct trace_summary *summary, const struct trace_event *event)
{
	struct trace_cpu *cpu = &summary->cpus[event->cpu];

	add_stamp(summary, cpu, event->time_ns);
	summary->nr_events++;
	summary->nr[event->type]++;
	cpu->nr[event->type]++;
	summary->orders[event->order].nr[event->type]++;
	if (event->migratetype >= 0)
		summary->nr_by_migratetype[event->type][event->migratetype]++;
	summary->nr_percpu_refill += event->percpu_refill == 1;
	add_to_bursts(summary, cpu, event);
	if (event->type == TRACE_PAGE_ALLOC)
		add_allocation(summary, event);
	else if (event->type == TRACE_PAGE_FREE)
		add_free(summary, event);
}

void trace_summary_finish(struct trace_summary *summary)
{
	for (int cpu = 0; cpu < TRACE_MAX_CPUS; cpu++) {
		run_end(summary, &summary->cpus[cpu].pages);
		run_end(summary, &summary->cpus[cpu].zone);
	}
}
