/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the formats of a table share: names, titles, boundaries, digits. */
#include "sim/io/table_parts.h"

#include <math.h>
#include <string.h>

#define MAX_DECIMALS 9

/*
 * Names as in metric_infos (models/kernel/metric.h).
 * A result set that lacks one gets no column, one without any of a group no group.
 */
/* clang-format off */
static const struct why_metric lines[] = {
	{ "cas_failures", "cas failures", 3 },
	{ "get_failures", "get failures", 3 },
	{ "transactions", "transactions", 2 },
	{ "transactions_core", "in core", 2 },
	{ "transactions_cluster", "in cluster", 2 },
	{ "transactions_socket", "in socket", 2 },
	{ "transactions_remote", "remote", 2 },
	{ "invalidations", "invalidations", 2 },
	{ "line_wait_pct", "line wait %", 1 },
	{ "sleeps", "sleeps", 3 },
	{ "slowest_thread", "slowest", 0 },
	{ "fastest_thread", "fastest", 0 },
	{ NULL, NULL, 0 },
};

static const struct why_metric zone_lock[] = {
	{ "zone_locks", "locks/s", 0 },
	{ "zone_lock_use_pct", "held %", 1 },
	{ "zone_wait_mean", "wait", 0 },
	{ "zone_wait_p99", "p99", 0 },
	{ "zone_wait_max", "longest", 0 },
	{ "spin_pct", "spinning %", 2 },
	{ "irqs_off_max", "irqs off", 0 },
	{ NULL, NULL, 0 },
};

static const struct why_metric free_holds[] = {
	{ "free_hold_mean", "hold", 0 },
	{ "free_hold_p99", "p99", 0 },
	{ "free_hold_max", "longest", 0 },
	{ "free_hold_pages", "pages", 1 },
	{ "free_hold_pages_max", "most", 0 },
	{ "flushes", "flushes/s", 0 },
	{ "flushes_high", "free_high/s", 0 },
	{ NULL, NULL, 0 },
};

static const struct why_metric refill_holds[] = {
	{ "refill_hold_mean", "hold", 0 },
	{ "refill_hold_p99", "p99", 0 },
	{ "refill_hold_max", "longest", 0 },
	{ "refill_hold_pages", "pages", 1 },
	{ "refill_hold_pages_max", "most", 0 },
	{ "refills", "refills/s", 0 },
	{ NULL, NULL, 0 },
};

static const struct why_metric pcp_lists[] = {
	{ "pages_allocated", "allocated/s", 0 },
	{ "direct", "direct/s", 0 },
	{ "freed_elsewhere_pct", "elsewhere %", 1 },
	{ "pcp_lost", "lost/s", 0 },
	{ "pcp_pages", "parked", 0 },
	{ "pcp_high", "high", 0 },
	{ "pcp_high_drift_pct", "drift %", 1 },
	{ NULL, NULL, 0 },
};

static const struct why_metric scheduler[] = {
	{ "real", "real", 3 },
	{ "user", "user", 3 },
	{ "sys", "sys", 3 },
	{ "idle_pct", "idle %", 1 },
	{ "migrations", "migrations/s", 0 },
	{ "preemptions", "preemptions/s", 0 },
	{ NULL, NULL, 0 },
};

const struct why_group table_why_groups[] = {
	{ "failures, line transactions (all, and by distance), invalidations and sleeps per operation;\n"
	  "line wait in % of the workers' time; slowest and fastest worker in ops/s", lines },
	{ "the zone locks: acquisitions, share of the time held, wait in ns (mean, 99th percentile, longest), share of all\n"
	  "CPUs' time spent waiting, longest time with interrupts off in ns", zone_lock },
	{ "zone lock held to free pages: ns (mean, 99th percentile, longest), pages per hold (mean, most), flushes of a pcp list\n"
	  "at its mark and by the free_high rule", free_holds },
	{ "zone lock held to refill a pcp list: ns (mean, 99th percentile, longest), pages per hold (mean, most), refills", refill_holds },
	{ "pcp lists: blocks allocated, past the lists, freed on another CPU than allocated on; frees that lost their pcp;\n"
	  "pages parked and mean high at the end, and how much that high changed while measuring", pcp_lists },
	{ "tasks: time in s, share of the CPUs' time without one, migrations, preemptions", scheduler },
	{ NULL, NULL },
};
/* clang-format on */

const char *view_metric_name(const struct table_view *view)
{
	return view->results->metrics[view->metric.index].name;
}

const char *view_metric_unit(const struct table_view *view)
{
	return view->results->metrics[view->metric.index].unit;
}

const char *view_baseline(const struct table_view *view)
{
	return view->results->variants[view->results->baseline];
}

struct estimate view_mean(const struct table_view *view, int variant, int point)
{
	return results_mean(view->results, view->machine, variant, point, view->metric.index);
}

const char *view_nothing(const struct table_view *view, int variant, int point)
{
	return results_nr_done(view->results, view->machine, variant, point) ? "-" : "failed";
}

struct estimate view_change(const struct table_view *view, int variant, int point)
{
	return results_change_pct(view->results, view->machine, variant, point, view->metric.index);
}

static const char *last_part(const char *key)
{
	const char *dot = strrchr(key, '.');

	return dot ? dot + 1 : key;
}

const char *axis_label(const struct results *results, int axis)
{
	const char *key = results->axes[axis].key;

	for (int i = 0; i < results->nr_axes; i++) {
		if (i != axis && strcmp(last_part(results->axes[i].key), last_part(key)) == 0)
			return key;
	}
	return last_part(key);
}

const char *axis_value(const struct results *results, int point, int axis)
{
	return results->axes[axis].values[results_axis_index(results, point, axis)];
}

const char *point_name(const struct table_view *view, int point)
{
	const struct results *results = view->results;
	const char *name = results->nr_axes ? "" : "this point";

	for (int i = 0; i < results->nr_axes; i++)
		name = arena_printf(view->arena, "%s%s%s %s", name, i ? ", " : "", axis_label(results, i),
				    axis_value(results, point, i));
	return name;
}

const char *replications_text(struct arena *arena, const struct results *results, int machine)
{
	const char *plural = results->nr_replications == 1 ? "" : "s";
	const char *from = "";
	int fewest, most;

	if (!results->until_ppm)
		return arena_printf(arena, "%d replication%s", results->nr_replications, plural);
	replications_range(results, machine, &fewest, &most);
	if (fewest < most)
		from = arena_printf(arena, "%d to ", fewest);
	return arena_printf(arena, "%s%d replications (95 %% intervals within %g %%, at most %d)", from, most,
			    (double)results->until_ppm / 1e4, results->nr_replications);
}

const char *change_title(const struct table_view *view, int variant, const char *word)
{
	if (view->results->nr_variants > 2)
		word = view->results->variants[variant];
	return arena_printf(view->arena, "%s (%%)", word);
}

void grid_boundaries(struct grid *grid, const struct table_view *view, int point)
{
	const struct results *results = view->results;
	int axis = results_find_axis(results, "threads");
	double from, to;

	if (axis < 0 || point == 0)
		return;
	from = results->axes[axis].value_numbers[results_axis_index(results, point - 1, axis)];
	to = results->axes[axis].value_numbers[results_axis_index(results, point, axis)];
	for (int i = 0; i < results->nr_boundaries; i++) {
		const struct boundary *boundary = &results->boundaries[i];

		if (boundary->machine == view->machine && !boundary->minor && from <= boundary->before &&
		    to > boundary->before)
			grid_mark(grid, boundary->label);
	}
}

const char *signed_text(struct arena *arena, double number)
{
	if (isnan(number))
		return "-";
	if (fabs(number) < 0.05) /* neither +0.0 nor -0.0 */
		return "0.0";
	return arena_printf(arena, "%+.1f", number);
}

int view_decimals(const struct table_view *view)
{
	const struct results *results = view->results;
	double largest = 0;
	int decimals = 3;

	if (strcmp(view_metric_unit(view), "ops/s") == 0)
		return 0;
	for (int variant = 0; variant < results->nr_variants; variant++) {
		for (int point = 0; point < results_nr_points(results); point++)
			largest = fmax(largest, fabs(view_mean(view, variant, point).mean));
	}
	for (double limit = 10; largest >= limit && decimals > 0; limit *= 10)
		decimals--;
	for (double limit = 1; largest > 0 && largest < limit && decimals < MAX_DECIMALS; limit /= 10)
		decimals++;
	return decimals;
}

int view_row_decimals(const struct table_view *view, int point, int decimals)
{
	const struct results *results = view->results;
	double largest = 0;

	if (strcmp(view_metric_unit(view), "ops/s") != 0)
		return decimals;
	for (int variant = 0; variant < results->nr_variants; variant++)
		largest = fmax(largest, fabs(view_mean(view, variant, point).mean));
	if (largest == 0 || largest >= 100)
		return 0;
	return largest < 10 ? 2 : 1;
}

/* What a piece of work takes. */
static const char *const time_metrics[TABLE_MAX_TIMES] = { "real", "user", "sys" };

static bool has_value(const struct results *results, int metric)
{
	const size_t stride = (size_t)results->nr_metrics;
	size_t i = (size_t)metric;

	while (i < results_nr_values(results) && isnan(results->values[i]))
		i += stride;
	return i < results_nr_values(results);
}

int table_times(const struct results *results, struct table_metric metrics[TABLE_MAX_TIMES])
{
	int nr = 0;

	for (int i = 0; i < TABLE_MAX_TIMES; i++) {
		int index = results_find_metric(results, time_metrics[i]);

		if (index >= 0 && has_value(results, index))
			metrics[nr++] = (struct table_metric){ .index = index, .lower_is_better = true };
	}
	return nr;
}
