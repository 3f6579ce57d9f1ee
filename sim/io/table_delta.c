/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table of changes, a row per metric: the layout of Hahn, "mm/page_alloc: batch page freeing in
 * free_frozen_page_commit". Each variant, point and machine is a table of its own.
 */
#include "sim/io/table_parts.h"

#include <math.h>
#include <string.h>

#define DECIMALS 4 /* as in the mail */

/* Standard deviation over mean in percent; NAN for fewer than two runs. */
static double variation_pct(const struct table_view *view, int variant, int point)
{
	const double mean = view_mean(view, variant, point).mean;
	double squares = 0;
	int n = 0;

	for (int i = 0; i < view->results->nr_replications; i++) {
		double value = *results_at(view->results, view->machine, variant, point, i, view->metric.index);

		if (isnan(value))
			continue;
		squares += (value - mean) * (value - mean);
		n++;
	}
	return n < 2 ? NAN : 100 * sqrt(squares / (n - 1)) / fabs(mean);
}

static const char *variation_text(const struct table_view *view, int variant, int point)
{
	const double pct = variation_pct(view, variant, point);

	if (!view_mean(view, variant, point).n)
		return view_nothing(view, variant, point);
	return isnan(pct) ? "-" : arena_printf(view->arena, "%.*f", DECIMALS, pct);
}

/* A blank keeps the place of the star. */
static const char *delta_text(const struct table_view *view, int variant, int point)
{
	const struct estimate change = view_change(view, variant, point);

	if (!change.n || variant == view->results->baseline)
		return "- ";
	return arena_printf(view->arena, "%+.*f%s", DECIMALS, change.mean, estimate_significant(change) ? "*" : " ");
}

/* The unit that all metrics have in common, or NULL. */
static const char *common_unit(const struct results *results, const struct table_options *options)
{
	const char *unit = results->metrics[options->metrics[0].index].unit;

	for (int i = 1; i < options->nr_metrics; i++) {
		if (strcmp(results->metrics[options->metrics[i].index].unit, unit) != 0)
			return NULL;
	}
	return unit;
}

static void write_box(struct table_view *view, const struct table_options *options, int variant, int point, FILE *out)
{
	const struct results *results = view->results;
	const char *unit = common_unit(results, options);
	struct grid *grid = grid_create(view->arena);

	grid_column(grid, GRID_LEFT, unit ? arena_printf(view->arena, "Metric (%s)", unit) : "Metric");
	grid_column(grid, GRID_RIGHT, "Variation (%)");
	grid_column(grid, GRID_RIGHT, "Delta(%) ");
	for (int i = 0; i < options->nr_metrics; i++) {
		view->metric = options->metrics[i];
		grid_cell(grid,
			  unit ? view_metric_name(view)
			       : arena_printf(view->arena, "%s (%s)", view_metric_name(view), view_metric_unit(view)));
		grid_cell(grid, variation_text(view, variant, point));
		grid_cell(grid, delta_text(view, variant, point));
	}
	fprintf(out, "%s%s%s, mean of %s\n%s against %s\n", results->machines[view->machine],
		results->nr_axes ? ", " : "", results->nr_axes ? point_name(view, point) : "",
		replications_text(view->arena, results, view->machine), results->variants[variant],
		view_baseline(view));
	grid_write(grid, GRID_BOXED, out);
}

void table_delta(const struct results *results, const struct table_options *options, FILE *out)
{
	struct arena *arena = arena_create();
	const int nr_points = results_nr_points(results);

	fprintf(out,
		"simulated by contend %s; variation: standard deviation / mean;\n"
		"* = 95 %% interval of the delta (Student t, paired) excludes zero\n",
		results->version);
	for (int i = 0; i < results->nr_machines * nr_points * results->nr_variants; i++) {
		struct table_view view = {
			.arena = arena,
			.results = results,
			.machine = i / results->nr_variants / nr_points,
		};
		const int variant = i % results->nr_variants;

		if (variant == results->baseline && results->nr_variants > 1)
			continue;
		fputc('\n', out);
		write_box(&view, options, variant, i / results->nr_variants % nr_points, out);
	}
	arena_destroy(arena);
}
