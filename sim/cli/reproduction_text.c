/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A reproduction for people. One line per published row, of levels:
 *
 *	threads   vanilla: published  simulated  ratio [band]   ...   boost: published  simulated [band]
 *
 * of index values the same without ratios, and of changes the right part alone; both with intervals of changes.
 */
#include "sim/cli/reproduction.h"

#include "sim/io/grid.h"

#include <math.h>
#include <string.h>

/* A number as a cell; NAN is "-", `sign` shows a plus. */
static const char *number(struct arena *arena, int decimals, bool sign, double value)
{
	if (isnan(value))
		return "-";
	return sign ? arena_printf(arena, "%+.*f", decimals, value) : arena_printf(arena, "%.*f", decimals, value);
}

static const char *range(struct arena *arena, int decimals, bool sign, double low, double high)
{
	if (isnan(low) || isnan(high))
		return "-";
	return arena_printf(arena, "%s..%s", number(arena, decimals, sign, low), number(arena, decimals, sign, high));
}

/* Decimals that leave three digits of the smallest published level; index values and changes have one. */
static int decimals_of(const struct published *published)
{
	double smallest = INFINITY;
	int decimals = 0;
	int i;

	if (published->kind != PUBLISHED_LEVEL)
		return 1;
	for (i = 0; i < published->nr_rows * published->nr_columns; i++) {
		if (published->values[i] > 0)
			smallest = fmin(smallest, published->values[i]);
	}
	for (; smallest < 100 && decimals < 6; smallest *= 10)
		decimals++;
	return decimals;
}

/* The base of index values is 100 on both sides, and what is published of it says so. */
static bool is_base(const struct published *published, int column)
{
	return published->base && strcmp(published->columns[column], published->base) == 0;
}

static void add_level_titles(struct grid *grid, const struct reproduction *reproduction, int column)
{
	const struct published *published = reproduction->published;

	grid_column(grid, GRID_RIGHT, published->columns[column]);
	if (is_base(published, column))
		return;
	grid_column(grid, GRID_RIGHT, "simulated");
	if (published->kind == PUBLISHED_LEVEL)
		grid_column(grid, GRID_RIGHT, "ratio");
	if (reproduction->has_band)
		grid_column(grid, GRID_RIGHT, "band");
}

static const char *change_title(struct arena *arena, const struct published *published, int column)
{
	if (published->kind == PUBLISHED_LEVEL && published->nr_columns == 2)
		return "boost %";
	return arena_printf(arena, "%s %s %%", published->columns[column],
			    published->kind == PUBLISHED_LEVEL ? "boost" : "change");
}

static bool has_variation(const struct published *published)
{
	int row = 0;

	while (row < published->nr_rows && isnan(published->variations[row]))
		row++;
	return row < published->nr_rows;
}

static void add_change_titles(struct arena *arena, struct grid *grid, const struct reproduction *reproduction,
			      int column)
{
	const struct published *published = reproduction->published;

	grid_column(grid, GRID_RIGHT, change_title(arena, published, column));
	if (has_variation(published))
		grid_column(grid, GRID_RIGHT, "variation %");
	grid_column(grid, GRID_RIGHT, "simulated");
	if (published->kind != PUBLISHED_LEVEL)
		grid_column(grid, GRID_RIGHT, "95 % interval");
	if (reproduction->has_band)
		grid_column(grid, GRID_RIGHT, "band");
}

static void add_titles(struct arena *arena, struct grid *grid, const struct reproduction *reproduction)
{
	const struct published *published = reproduction->published;
	int i;

	grid_column(grid, GRID_RIGHT, published->axis);
	for (i = 0; i < published->nr_columns && published->kind != PUBLISHED_CHANGE_PCT; i++)
		add_level_titles(grid, reproduction, i);
	for (i = 0; i < published->nr_columns; i++) {
		if (reproduction_has_change(reproduction, i))
			add_change_titles(arena, grid, reproduction, i);
	}
}

/* Blind, a used cell is marked; fitted, it is not shown: it would look like a success. */
static bool is_shown(const struct reproduction *reproduction, const struct cell_score *cell)
{
	return !reproduction->fitted || !cell->used;
}

static void add_unshown(struct grid *grid)
{
	grid_cell(grid, "used");
	grid_cell(grid, "");
	grid_cell(grid, "");
}

static void add_level(struct arena *arena, struct grid *grid, const struct reproduction *reproduction,
		      const struct cell_score *cell)
{
	const struct published *published = reproduction->published;
	const int decimals = decimals_of(published);

	if (!is_shown(reproduction, cell)) {
		add_unshown(grid);
		return;
	}
	grid_cell(grid,
		  arena_printf(arena, "%s%s", number(arena, decimals, false, cell->published), cell->used ? "*" : ""));
	if (is_base(published, cell->column))
		return;
	grid_cell(grid, number(arena, decimals, false, cell->simulated.mean));
	if (published->kind == PUBLISHED_LEVEL)
		grid_cell(grid, number(arena, 2, false, cell->simulated.mean / cell->published));
	if (!reproduction->has_band)
		return;
	if (published->kind == PUBLISHED_LEVEL)
		grid_cell(grid,
			  range(arena, 2, false, cell->band_low / cell->published, cell->band_high / cell->published));
	else
		grid_cell(grid, range(arena, decimals, false, cell->band_low, cell->band_high));
}

static void add_change(struct arena *arena, struct grid *grid, const struct reproduction *reproduction,
		       const struct cell_change *change)
{
	const struct published *published = reproduction->published;
	const struct estimate *simulated = &change->simulated;

	grid_cell(grid, number(arena, 1, true, change->published));
	if (has_variation(published))
		grid_cell(grid, number(arena, 1, false, change->variation));
	grid_cell(grid, number(arena, 1, true, simulated->mean));
	if (published->kind != PUBLISHED_LEVEL)
		grid_cell(grid, simulated->n < 2 ? "-" : range(arena, 1, true, simulated->low, simulated->high));
	if (reproduction->has_band)
		grid_cell(grid, range(arena, 1, true, change->band_low, change->band_high));
}

static bool row_is_shown(const struct reproduction *reproduction, int row)
{
	const struct published *published = reproduction->published;
	bool shown = false;
	int i;

	for (i = 0; i < published->nr_columns; i++)
		shown |= is_shown(reproduction, &reproduction->cells[row * published->nr_columns + i]);
	return shown;
}

static void add_row(struct arena *arena, struct grid *grid, const struct reproduction *reproduction, int row)
{
	const struct published *published = reproduction->published;
	int first = row * published->nr_columns;
	int i;

	if (!row_is_shown(reproduction, row))
		return;
	grid_cell(grid, published->rows[row]);
	for (i = 0; i < published->nr_columns && published->kind != PUBLISHED_CHANGE_PCT; i++)
		add_level(arena, grid, reproduction, &reproduction->cells[first + i]);
	for (i = 0; i < published->nr_columns; i++) {
		if (reproduction_has_change(reproduction, i))
			add_change(arena, grid, reproduction, &reproduction->cells[first + i].change);
	}
}

static void print_fitted(FILE *out, const struct fitted *fitted, const char *item)
{
	int i;

	fprintf(out, "%sfitted to %s; cells that set a value are neither shown nor scored\n%svalues:", item,
		fitted->source, item);
	for (i = 0; i < fitted->nr_values; i++)
		fprintf(out, "%s %s", i ? "," : "", fitted->values[i]);
	fputc('\n', out);
}

/* What the numbers are, by the kind of table. */
static void print_meaning(FILE *out, const struct reproduction *reproduction, const char *item)
{
	const struct published *published = reproduction->published;
	const struct results *results = reproduction->results;
	const char *metric = published->metric ? published->metric : "of the metric";

	if (published->kind == PUBLISHED_LEVEL)
		fprintf(out,
			"%s%s in %s: as published under the variant's name, then simulated; ratio = simulated / "
			"published\n",
			item, metric, published->unit);
	if (published->kind == PUBLISHED_INDEX)
		fprintf(out, "%s%s, where %s is 100: as published under the variant's name, then simulated\n", item,
			metric, published->base);
	if (published->kind == PUBLISHED_CHANGE_PCT || reproduction->baseline_column >= 0)
		fprintf(out, "%s%s = change against %s in percent; positive is more %s\n", item,
			published->kind == PUBLISHED_LEVEL ? "boost" : "change", results->variants[results->baseline],
			metric);
	if (has_variation(published))
		fprintf(out, "%svariation = standard deviation in percent of the mean, as published\n", item);
	if (published->kind != PUBLISHED_LEVEL)
		fprintf(out, "%sinterval of the simulated change: Student t over %d replications, paired\n", item,
			results->nr_replications);
}

/* Each line begins with `item`: nothing, or what makes a list of them. */
static void print_legend(FILE *out, const struct reproduction *reproduction, const char *item)
{
	fprintf(out, "%spublished: %s\n", item, reproduction->published->source);
	print_meaning(out, reproduction, item);
	if (reproduction->has_band)
		fprintf(out,
			"%sband = lowest and highest answer with each of %d unmeasured parameters at either end of its "
			"range\n",
			item, reproduction->experiment->priors.nr);
	if (reproduction->fitted)
		print_fitted(out, reproduction->fitted, item);
	else if (reproduction->experiment->nr_published_used > 0)
		fprintf(out, "%s* this cell set a parameter and is not scored\n", *item ? "- \\" : "");
	fputc('\n', out);
}

static void print_score(FILE *out, const struct reproduction *reproduction, const char *item)
{
	const struct score *score = &reproduction->score;
	const bool levels = reproduction->published->kind == PUBLISHED_LEVEL;

	fprintf(out, "\n%sscore: ", item);
	if (levels)
		fprintf(out, "RMS of log ratio %.3f over %d cells", score->rms_log, score->nr_cells);
	if (!isnan(score->change_mae_points))
		fprintf(out, "%s off by %.1f points on average; sign right on %d of %d rows",
			levels ? "; boost" : "change", score->change_mae_points, score->signs_right,
			score->signs_counted);
	fputc('\n', out);
}

static void print_rival(FILE *out, const struct reproduction *reproduction, const char *item)
{
	const struct usl_rival *usl = &reproduction->usl;
	const struct published *published = reproduction->published;
	int last = published->nr_rows - 1;
	int changed = reproduction->baseline_column == 0;

	if (!usl->fitted)
		return;
	fprintf(out,
		"%sfor comparison, a Universal Scalability Law fitted to the %d published rows of one socket:\n"
		"  RMS of log ratio %.3f over the %d other rows, where this simulation has %.3f",
		item, usl->nr_fitted_rows, usl->rms_log, usl->nr_predicted_rows, usl->simulated_rms_log);
	if (!isnan(usl->last_change))
		fprintf(out, ";\n  boost at %s %s %+.1f %%, published %+.1f %%", published->rows[last], published->axis,
			usl->last_change, reproduction->cells[last * published->nr_columns + changed].change.published);
	fputc('\n', out);
}

static const char *mode_text(struct arena *arena, const struct fitted *fitted)
{
	return fitted ? arena_printf(arena, "fitted, split: %s", fitted_split_names[fitted->split]) : "blind";
}

static void print_one(FILE *out, const struct reproduction *reproduction, bool markdown)
{
	struct arena *arena = arena_create();
	struct grid *grid = grid_create(arena);
	const char *item = markdown ? "- " : "";
	int row;

	add_titles(arena, grid, reproduction);
	for (row = 0; row < reproduction->published->nr_rows; row++)
		add_row(arena, grid, reproduction, row);
	fprintf(out, "%s%s: %s (mode: %s)\n%s", markdown ? "### " : "", reproduction->experiment->name,
		reproduction->experiment->title, mode_text(arena, reproduction->fitted), markdown ? "\n" : "");
	print_legend(out, reproduction, item);
	grid_write(grid, markdown ? GRID_MARKDOWN : GRID_SPACED, out);
	print_score(out, reproduction, item);
	print_rival(out, reproduction, item);
	arena_destroy(arena);
}

void reproduction_print_text(FILE *out, struct reproduction *const *all, int nr, bool markdown)
{
	int i;

	for (i = 0; i < nr; i++) {
		if (i > 0)
			fputc('\n', out);
		print_one(out, all[i], markdown);
	}
}
