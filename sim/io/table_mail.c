/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables in the two layouts that linux-mm reads: that of cover letters (Gladyshev, "mm: improve folio refcount
 * scalability", v6) and that of mmtests' compare-kernels.sh (Gorman).
 */
#include "sim/io/table_parts.h"

#include <math.h>
#include <string.h>

static void write_heading(const struct table_view *view, FILE *out)
{
	const struct results *results = view->results;

	fprintf(out, "%s, simulated by contend %s: %s in %s", results->machines[view->machine], results->version,
		view_metric_name(view), view_metric_unit(view));
	if (results->until_ppm)
		fprintf(out, ", mean of %s", replications_text(view->arena, results, view->machine));
	fputc('\n', out);
}

/* A number of threads has the mails' number sign. */
static const char *mail_label(const struct table_view *view, int axis)
{
	const char *label = axis_label(view->results, axis);

	return strcmp(label, "threads") == 0 ? "#threads" : label;
}

static void add_cover_columns(struct grid *grid, const struct table_view *view)
{
	const struct results *results = view->results;
	int left = results->nr_variants - 1; /* boost columns to come */

	for (int i = 0; i < results->nr_axes; i++)
		grid_column(grid, GRID_RIGHT, mail_label(view, i));
	for (int i = 0; i < results->nr_variants; i++)
		grid_column(grid, GRID_RIGHT, results->variants[i]);
	for (int i = 0; i < results->nr_variants; i++) {
		if (i != results->baseline)
			grid_column(grid, --left ? GRID_RIGHT : GRID_RIGHT_LOOSE, change_title(view, i, "boost"));
	}
}

void table_cover_letter(const struct table_view *view, FILE *out)
{
	const struct results *results = view->results;
	struct grid *grid = grid_create(view->arena);
	const int decimals = view_decimals(view);

	add_cover_columns(grid, view);
	for (int point = 0; point < results_nr_points(results); point++) {
		grid_boundaries(grid, view, point);
		for (int i = 0; i < results->nr_axes; i++)
			grid_cell(grid, axis_value(results, point, i));
		for (int i = 0; i < results->nr_variants; i++) {
			struct estimate mean = view_mean(view, i, point);

			grid_cell(grid, mean.n ? arena_printf(view->arena, "%.*f",
							      view_row_decimals(view, point, decimals), mean.mean)
					       : view_nothing(view, i, point));
		}
		for (int i = 0; i < results->nr_variants; i++) {
			if (i != results->baseline)
				grid_cell(grid, signed_text(view->arena, view_change(view, i, point).mean));
		}
	}
	write_heading(view, out);
	fputc('\n', out);
	grid_write(grid, GRID_MAIL, out);
}

/* Rates have a harmonic mean, NAN where it does not exist; what is better when lower has an arithmetic one. */
static double mmtests_mean(const struct table_view *view, int variant, int point)
{
	double sum = 0;
	int n = 0;

	if (view->metric.lower_is_better)
		return view_mean(view, variant, point).mean;
	for (int i = 0; i < view->results->nr_replications; i++) {
		double value = *results_at(view->results, view->machine, variant, point, i, view->metric.index);

		if (isnan(value))
			continue;
		if (value <= 0)
			return NAN;
		sum += 1.0 / value;
		n++;
	}
	return n ? n / sum : NAN;
}

static const char *mmtests_cell(const struct table_view *view, int variant, int point, int decimals)
{
	double mean = mmtests_mean(view, variant, point);
	struct estimate change = view_change(view, variant, point);
	double better = view->metric.lower_is_better ? -change.mean : change.mean;
	bool star = variant != view->results->baseline && estimate_significant(change);

	if (isnan(mean))
		return "failed (       )";
	if (!change.n)
		return arena_printf(view->arena, "%.*f (       )", decimals, mean);
	return arena_printf(view->arena, star ? "%.*f *%7.2f%%*" : "%.*f (%7.2f%%)", decimals, mean,
			    better == 0 ? 0.0 : better);
}

/* The axis values as mmtests names its operations: "4-140". */
static const char *mmtests_operation(const struct table_view *view, int point)
{
	const char *name = "";

	for (int i = 0; i < view->results->nr_axes; i++)
		name = arena_printf(view->arena, "%s%s%s", name, i ? "-" : "", axis_value(view->results, point, i));
	return arena_printf(view->arena, "%-5s", name);
}

void table_mmtests(const struct table_view *view, FILE *out)
{
	const struct results *results = view->results;
	struct grid *grid = grid_create(view->arena);
	int decimals =
		view_decimals(view) > 2 ? view_decimals(view) : 2; /* two as in mmtests, more for small numbers */

	grid_column(grid, GRID_LEFT, "");
	grid_column(grid, GRID_LEFT, "");
	for (int i = 0; i < results->nr_variants; i++)
		grid_column(grid, GRID_RIGHT, results->variants[i]);
	for (int point = 0; point < results_nr_points(results); point++) {
		grid_cell(grid, view->metric.lower_is_better ? "Amean   " : "Hmean   ");
		grid_cell(grid, mmtests_operation(view, point));
		for (int i = 0; i < results->nr_variants; i++)
			grid_cell(grid, mmtests_cell(view, i, point, decimals));
	}
	write_heading(view, out);
	fprintf(out, "change against %s, + is better; * = 95 %% interval (Student t, paired) excludes zero\n\n",
		view_baseline(view));
	grid_write(grid, GRID_SPACED, out);
}
