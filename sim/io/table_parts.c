/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the formats of a table share: names, titles, boundaries, digits. */
#include "sim/io/table_parts.h"

#include <math.h>
#include <string.h>

#define MAX_DECIMALS 9

/* Names as in metric_infos (models/workloads/metric.h). A result set that lacks one gets no column. */
/* clang-format off */
const struct why_metric table_why_metrics[NR_WHY_METRICS] = {
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
