/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A reproduction for people. One line per published row:
 *
 *	threads   vanilla: published  simulated  ratio [band]   ...   boost: published  simulated [band]
 */
#include "sim/cli/reproduction.h"

#include "sim/io/grid.h"

#include <math.h>

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

static bool has_change(const struct reproduction *reproduction, int column)
{
	return reproduction->baseline_column >= 0 && column != reproduction->baseline_column;
}

static void add_titles(struct arena *arena, struct grid *grid, const struct reproduction *reproduction)
{
	const struct published *published = reproduction->published;
	int i;

	grid_column(grid, GRID_RIGHT, published->axis);
	for (i = 0; i < published->nr_columns; i++) {
		grid_column(grid, GRID_RIGHT, published->columns[i]);
		grid_column(grid, GRID_RIGHT, "simulated");
		grid_column(grid, GRID_RIGHT, "ratio");
		if (reproduction->has_band)
			grid_column(grid, GRID_RIGHT, "band");
	}
	for (i = 0; i < published->nr_columns; i++) {
		if (!has_change(reproduction, i))
			continue;
		grid_column(grid, GRID_RIGHT,
			    published->nr_columns == 2 ? "boost %"
						       : arena_printf(arena, "%s boost %%", published->columns[i]));
		grid_column(grid, GRID_RIGHT, "simulated");
		if (reproduction->has_band)
			grid_column(grid, GRID_RIGHT, "band");
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
	if (!is_shown(reproduction, cell)) {
		add_unshown(grid);
		return;
	}
	grid_cell(grid, arena_printf(arena, "%s%s", number(arena, 0, false, cell->published), cell->used ? "*" : ""));
	grid_cell(grid, number(arena, 0, false, cell->simulated.mean));
	grid_cell(grid, number(arena, 2, false, cell->simulated.mean / cell->published));
	if (reproduction->has_band)
		grid_cell(grid,
			  range(arena, 2, false, cell->band_low / cell->published, cell->band_high / cell->published));
}

static void add_change(struct arena *arena, struct grid *grid, const struct reproduction *reproduction,
		       const struct change *change)
{
	grid_cell(grid, number(arena, 1, true, change->published));
	grid_cell(grid, number(arena, 1, true, change->simulated));
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
	for (i = 0; i < published->nr_columns; i++)
		add_level(arena, grid, reproduction, &reproduction->cells[first + i]);
	for (i = 0; i < published->nr_columns; i++) {
		if (has_change(reproduction, i))
			add_change(arena, grid, reproduction, &reproduction->changes[first + i]);
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

/* Each line begins with `item`: nothing, or what makes a list of them. */
static void print_legend(FILE *out, const struct reproduction *reproduction, const char *item)
{
	const struct published *published = reproduction->published;

	fprintf(out, "%spublished: %s\n", item, published->source);
	fprintf(out,
		"%s%s in %s: as published under the variant's name, then simulated; ratio = simulated / published\n",
		item, published->metric, published->unit);
	if (reproduction->baseline_column >= 0)
		fprintf(out, "%sboost = change against %s in percent; positive is more %s\n", item,
			published->columns[reproduction->baseline_column], published->metric);
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

	fprintf(out, "\n%sscore: RMS of log ratio %.3f over %d cells", item, score->rms_log, score->nr_cells);
	if (!isnan(score->change_mae_points))
		fprintf(out, "; boost off by %.1f points on average; sign right on %d of %d rows",
			score->change_mae_points, score->signs_right, score->signs_counted);
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
			usl->last_change, reproduction->changes[last * published->nr_columns + changed].published);
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
