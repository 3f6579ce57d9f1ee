/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the page allocator shows of a run: zone locks, pcp lists, interrupts.
 */
#include "models/run_parts.h"

#include <string.h>

/* Several kinds of hold of all zones together; in the arena, for it is larger than an actor's stack. */
static const struct zone_hold_stats *holds_of(const struct run *run, unsigned kinds)
{
	struct zone_hold_stats *sum = arena_calloc(run->arena, 1, sizeof(*sum));

	for (int node = 0; node < page_alloc_nr_zones(run->page_alloc); node++) {
		const struct zone *zone = page_alloc_zone(run->page_alloc, node);

		for (int kind = 0; kind < NR_ZONE_HOLDS; kind++) {
			const struct zone_hold_stats *hold = &zone->holds[kind];

			if (!(kinds >> kind & 1))
				continue;
			sum->nr += hold->nr;
			sum->pages += hold->pages;
			sum->pages_max = hold->pages_max > sum->pages_max ? hold->pages_max : sum->pages_max;
			histogram_merge(&sum->wait_ps, &hold->wait_ps);
			histogram_merge(&sum->hold_ps, &hold->hold_ps);
		}
	}
	return sum;
}

/* Three metrics in a row: mean, 99th percentile, longest, in ns. None without an event. */
static void measure_times(const struct histogram *times_ps, double *metrics)
{
	if (!times_ps->nr)
		return;
	metrics[0] = histogram_mean(times_ps) / PS_PER_NS;
	metrics[1] = (double)histogram_quantile(times_ps, 0.99) / PS_PER_NS;
	metrics[2] = (double)times_ps->max / PS_PER_NS;
}

/* Five metrics in a row: the times, then pages per hold and the most of one. */
static void measure_holds(const struct run *run, unsigned kinds, double *metrics)
{
	const struct zone_hold_stats *holds = holds_of(run, kinds);

	measure_times(&holds->hold_ps, metrics);
	if (!holds->nr)
		return;
	metrics[3] = (double)holds->pages / (double)holds->nr;
	metrics[4] = (double)holds->pages_max;
}

static void measure_locks(struct run *run)
{
	const double seconds = ps_to_s(run->measured_ps);
	const struct zone_hold_stats *all = holds_of(run, (1U << NR_ZONE_HOLDS) - 1);
	double *metrics = run->metrics;

	metrics[METRIC_ZONE_LOCKS] = (double)all->nr / seconds;
	metrics[METRIC_ZONE_LOCK_USE_PCT] =
		100.0 * (double)all->hold_ps.sum / ((double)run->measured_ps * page_alloc_nr_zones(run->page_alloc));
	measure_times(&all->wait_ps, &metrics[METRIC_ZONE_WAIT_MEAN]);
	measure_holds(run, 1U << ZONE_HOLD_FREE | 1U << ZONE_HOLD_FREE_HIGH, &metrics[METRIC_FREE_HOLD_MEAN]);
	measure_holds(run, 1U << ZONE_HOLD_REFILL, &metrics[METRIC_REFILL_HOLD_MEAN]);
}

static void measure_counters(struct run *run)
{
	const struct page_alloc_counters *then = &run->start.pages;
	const double seconds = ps_to_s(run->measured_ps);
	struct page_alloc_counters now;
	double *metrics = run->metrics;

	page_alloc_counters(run->page_alloc, &now);
	metrics[METRIC_PAGES_ALLOCATED] = (double)(now.allocs - then->allocs) / seconds;
	metrics[METRIC_SPIN_PCT] =
		100.0 * (double)(now.spin_ps - then->spin_ps) / ((double)run->measured_ps * run->nr_cpus);
	metrics[METRIC_IRQS_OFF_MAX] = (double)now.irqs_off_max_ps / PS_PER_NS;
	metrics[METRIC_REFILLS] = (double)(now.refills - then->refills) / seconds;
	metrics[METRIC_FLUSHES_HIGH] = (double)(now.flushes_high - then->flushes_high) / seconds;
	metrics[METRIC_FLUSHES] = (double)(now.flushes - then->flushes) / seconds - metrics[METRIC_FLUSHES_HIGH];
	metrics[METRIC_DIRECT] =
		(double)(now.direct_allocs + now.direct_frees - then->direct_allocs - then->direct_frees) / seconds;
	metrics[METRIC_PCP_LOST] = (double)(now.pcp_lost - then->pcp_lost) / seconds;
}

void run_pages_begin(struct run *run)
{
	for (int node = 0; node < page_alloc_nr_zones(run->page_alloc); node++) {
		struct zone *zone = page_alloc_zone(run->page_alloc, node);

		memset(zone->holds, 0, sizeof(zone->holds)); /* maxima do not subtract */
	}
	page_alloc_forget_max(run->page_alloc);
	page_alloc_counters(run->page_alloc, &run->start.pages);
	run->start.pcp_high_mean = page_alloc_pcp_high_mean(run->page_alloc);
}

void run_pages_end(struct run *run)
{
	const double high = page_alloc_pcp_high_mean(run->page_alloc);
	const double high_then = run->start.pcp_high_mean;

	measure_locks(run);
	measure_counters(run);
	run->metrics[METRIC_PCP_PAGES] = (double)page_alloc_pcp_pages(run->page_alloc);
	run->metrics[METRIC_PCP_HIGH] = high;
	if (high_then > 0)
		run->metrics[METRIC_PCP_HIGH_DRIFT_PCT] = 100.0 * (high - high_then) / high_then;
}
