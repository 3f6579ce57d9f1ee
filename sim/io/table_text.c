/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables for a terminal and as Markdown: everything that is known, in the order in which a reader asks. */
#include "sim/io/table_parts.h"

#include <math.h>

static void write_heading(const struct table_view *view, enum grid_style style, FILE *out)
{
	const struct results *results = view->results;

	fprintf(out, "%s%s\n%s", style == GRID_MARKDOWN ? "### " : "", results->title,
		style == GRID_MARKDOWN ? "\n" : "");
	fprintf(out, "%s: %s in %s, mean of %s, simulated by contend %s\n", results->machines[view->machine],
		view_metric_name(view), view_metric_unit(view), replications_text(view->arena, results, view->machine),
		results->version);
	if (results->nr_variants > 1)
		fprintf(out,
			"change: variant against %s, + is more%s; +- and [ ]: 95 %% interval (Student t, paired); "
			"* = interval excludes zero\n",
			view_baseline(view), view->metric.lower_is_better ? " (less is better)" : "");
	fputc('\n', out);
}

static void add_columns(struct grid *grid, const struct table_view *view)
{
	const struct results *results = view->results;

	for (int i = 0; i < results->nr_axes; i++)
		grid_column(grid, GRID_RIGHT, axis_label(results, i));
	if (results->until_ppm)
		grid_column(grid, GRID_RIGHT, "n");
	for (int i = 0; i < results->nr_variants; i++) {
		grid_column(grid, GRID_RIGHT, results->variants[i]);
		grid_column(grid, GRID_RIGHT, "+-");
	}
	for (int i = 0; i < results->nr_variants; i++) {
		if (i == results->baseline)
			continue;
		grid_column(grid, GRID_RIGHT, change_title(view, i, "change"));
		grid_column(grid, GRID_RIGHT, "95 % interval");
	}
}

static void add_axes(struct grid *grid, const struct table_view *view, int point)
{
	for (int i = 0; i < view->results->nr_axes; i++)
		grid_cell(grid, axis_value(view->results, point, i));
}

static void add_mean(struct grid *grid, const struct table_view *view, int variant, int point, int decimals)
{
	const struct estimate mean = view_mean(view, variant, point);

	if (!mean.n) {
		grid_cell(grid, view_nothing(view, variant, point));
		grid_cell(grid, "");
		return;
	}
	grid_cell(grid, arena_printf(view->arena, "%.*f", decimals, mean.mean));
	grid_cell(grid, mean.n < 2 ? "-" : arena_printf(view->arena, "%.*f", decimals, mean.high - mean.mean));
}

static const char *interval_text(const struct table_view *view, struct estimate change)
{
	if (change.n < 2)
		return "-";
	return arena_printf(view->arena, "[%s, %s]", signed_text(view->arena, change.low),
			    signed_text(view->arena, change.high));
}

static void add_change(struct grid *grid, const struct table_view *view, struct estimate change)
{
	const char *star = estimate_significant(change) ? "*" : " ";

	grid_cell(grid,
		  change.n ? arena_printf(view->arena, "%s%s", signed_text(view->arena, change.mean), star) : "- ");
	grid_cell(grid, interval_text(view, change));
}

static void write_rows(const struct table_view *view, enum grid_style style, FILE *out)
{
	const struct results *results = view->results;
	struct grid *grid = grid_create(view->arena);
	const int decimals = view_decimals(view);

	add_columns(grid, view);
	for (int point = 0; point < results_nr_points(results); point++) {
		grid_boundaries(grid, view, point);
		add_axes(grid, view, point);
		if (results->until_ppm)
			grid_cell(grid,
				  arena_printf(view->arena, "%d", replications_kept(results, view->machine, point)));
		for (int i = 0; i < results->nr_variants; i++)
			add_mean(grid, view, i, point, view_row_decimals(view, point, decimals));
		for (int i = 0; i < results->nr_variants; i++) {
			if (i != results->baseline)
				add_change(grid, view, view_change(view, i, point));
		}
	}
	grid_write(grid, style, out);
}

/* Points at which some replications failed: their means stand on fewer than they should. */
static void write_incomplete(const struct table_view *view, FILE *out)
{
	const struct results *results = view->results;
	bool found = false;

	for (int i = 0; i < results->nr_variants; i++) {
		for (int point = 0; point < results_nr_points(results); point++) {
			int n = results_nr_done(results, view->machine, i, point);
			int kept = replications_kept(results, view->machine, point);

			if (n == kept)
				continue;
			if (!found)
				fputs("\nincomplete:\n", out);
			found = true;
			fprintf(out, "- %s at %s: %d of %d replications\n", results->variants[i],
				point_name(view, point), n, kept);
		}
	}
}

/* What prints as 0.0 is none, however certain. */
static bool is_loss(const struct table_view *view, struct estimate change)
{
	return estimate_significant(change) && fabs(change.mean) >= 0.05 &&
	       (change.mean < 0) != view->metric.lower_is_better;
}

/* One variant's verdict: the rows where it loses, that there are none, or that nobody can tell. */
static void write_losses(const struct table_view *view, int variant, FILE *out)
{
	const struct results *results = view->results;
	const char *name = results->variants[variant];
	int nr_losses = 0;
	int nr_tested = 0;

	for (int point = 0; point < results_nr_points(results); point++) {
		struct estimate change = view_change(view, variant, point);

		nr_tested += change.n > 1;
		if (!is_loss(view, change))
			continue;
		if (!nr_losses++)
			fprintf(out, "where %s loses against %s:\n", name, view_baseline(view));
		fprintf(out, "- %s: %s %% %s\n", point_name(view, point), signed_text(view->arena, change.mean),
			interval_text(view, change));
	}
	if (!nr_tested)
		fprintf(out, "where %s loses: unknown, intervals need two replications\n", name);
	else if (!nr_losses && nr_tested < results_nr_points(results))
		fprintf(out, "%s loses nowhere among the %d points that could be compared\n", name, nr_tested);
	else if (!nr_losses)
		fprintf(out, "%s loses nowhere in this sweep\n", name);
}

/* Whether the result set has a number of this metric on this machine. */
static bool has_numbers(const struct table_view *view)
{
	for (int i = 0; i < view->results->nr_variants; i++) {
		for (int point = 0; point < results_nr_points(view->results); point++) {
			if (view_mean(view, i, point).n)
				return true;
		}
	}
	return false;
}

/* The columns of a group: views of the same machine by those metrics that the result set has. */
struct why_columns {
	struct table_view views[WHY_GROUP_MAX];
	const struct why_metric *metrics[WHY_GROUP_MAX];
	int nr;
};

static struct why_columns find_why_columns(const struct table_view *view, const struct why_group *group)
{
	struct why_columns out = { .nr = 0 };

	for (const struct why_metric *metric = group->metrics; metric->name; metric++) {
		struct table_view other = *view;

		other.metric.index = results_find_metric(view->results, metric->name);
		if (other.metric.index < 0 || !has_numbers(&other))
			continue;
		out.views[out.nr] = other;
		out.metrics[out.nr++] = metric;
	}
	return out;
}

static void add_why_row(struct grid *grid, const struct why_columns *columns, int variant, int point)
{
	for (int i = 0; i < columns->nr; i++) {
		double mean = view_mean(&columns->views[i], variant, point).mean;

		grid_cell(grid, isnan(mean) ? "-"
					    : arena_printf(columns->views[i].arena, "%.*f",
							   columns->metrics[i]->decimals, mean));
	}
}

static void write_why_group(const struct table_view *view, enum grid_style style, const struct why_columns *columns,
			    FILE *out)
{
	const struct results *results = view->results;
	struct grid *grid = grid_create(view->arena);

	for (int i = 0; i < results->nr_axes; i++)
		grid_column(grid, GRID_RIGHT, axis_label(results, i));
	grid_column(grid, GRID_LEFT, "variant");
	for (int i = 0; i < columns->nr; i++)
		grid_column(grid, GRID_RIGHT, columns->metrics[i]->title);
	for (int point = 0; point < results_nr_points(results); point++) {
		grid_boundaries(grid, view, point);
		for (int i = 0; i < results->nr_variants; i++) {
			add_axes(grid, view, point);
			grid_cell(grid, results->variants[i]);
			add_why_row(grid, columns, i, point);
		}
	}
	grid_write(grid, style, out);
}

static void write_why(const struct table_view *view, enum grid_style style, FILE *out)
{
	bool found = false;

	for (const struct why_group *group = table_why_groups; group->explains; group++) {
		const struct why_columns columns = find_why_columns(view, group);

		if (!columns.nr)
			continue;
		found = true;
		fprintf(out, "\nwhy: %s\n\n", group->explains);
		write_why_group(view, style, &columns, out);
	}
	if (!found)
		fputs("\nwhy: these results hold none of the counters that would say\n", out);
}

void table_text(const struct table_view *view, enum grid_style style, FILE *out)
{
	write_heading(view, style, out);
	write_rows(view, style, out);
	write_incomplete(view, out);
	if (view->results->nr_variants > 1)
		fputc('\n', out);
	for (int i = 0; i < view->results->nr_variants; i++) {
		if (i != view->results->baseline)
			write_losses(view, i, out);
	}
	if (view->why)
		write_why(view, style, out);
}
