/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/fit.h"

#include "sim/io/grid.h"
#include "sim/io/yaml_text.h"
#include "sim/util/outfile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT_END 0.02 /* a coordinate this near to 0 or 1: the range, not the data, set the value */

/* The value as the experiment has it, which may lie outside the range. */
static const char *start_text(struct arena *arena, const struct tunable *key)
{
	struct tunable free = *key;

	free.low = fmin(key->low, key->start);
	free.high = fmax(key->high, key->start);
	return tunable_text(&free, arena, key->start);
}

static const char *range_text(struct arena *arena, const struct tunable *key)
{
	return arena_printf(arena, "%s..%s", tunable_text(key, arena, key->low), tunable_text(key, arena, key->high));
}

/* Times and sizes carry their unit in the value. */
static const char *unit_text(const struct tunable *key)
{
	static const char *const in_value[] = { "time", "bytes", "Hz", NULL };
	int i;

	for (i = 0; in_value[i]; i++) {
		if (strcmp(key->entry->unit, in_value[i]) == 0)
			return "";
	}
	return strcmp(key->entry->unit, "pct") == 0 ? "%" : key->entry->unit;
}

static const char *names_text(struct arena *arena, const struct tunable *key, const struct fit_interval *interval)
{
	char *text = arena_strdup(arena, "");
	int i;

	for (i = 0; i < key->nr_choices; i++) {
		if (interval->names[i])
			text = arena_printf(arena, "%s%s%s", text, *text ? ", " : "",
					    tunable_text(key, arena, key->low + i));
	}
	return text;
}

/* The end of an interval: three digits say all that is known of it, except where the unit stands in the value. */
static const char *end_text(struct arena *arena, const struct fit *fit, int key, double x)
{
	const char *text = fit_value_text(fit, arena, key, x);
	char *end;
	double value = strtod(text, &end);

	return *end || fabs(value) >= 1000 ? text : arena_printf(arena, "%.3g", value);
}

/* What the data leave open. */
static const char *interval_text(struct arena *arena, const struct fit_report *report, int key)
{
	const struct fit *fit = report->fit;
	const struct fit_interval *interval = &report->profile->keys[key];
	const double x = report->found->point[key];
	const char *text;

	if (interval->names)
		text = names_text(arena, &fit->keys[key], interval);
	else
		text = arena_printf(arena, "%s..%s", end_text(arena, fit, key, interval->low),
				    end_text(arena, fit, key, interval->high));
	if (interval->share > FIT_UNDETERMINED_SHARE)
		return arena_printf(arena, "not determined (%s)", text);
	if (!interval->names && (x < AT_END || x > 1 - AT_END))
		return arena_printf(arena, "%s, at the %s end of its range", text, x < AT_END ? "low" : "high");
	return text;
}

static void print_values(FILE *out, struct arena *arena, const struct fit_report *report)
{
	const struct fit *fit = report->fit;
	struct grid *grid = grid_create(arena);
	int i;

	grid_column(grid, GRID_LEFT, "key");
	grid_column(grid, GRID_RIGHT, "start");
	grid_column(grid, GRID_RIGHT, "fitted");
	grid_column(grid, GRID_LEFT, "unit");
	grid_column(grid, GRID_LEFT, "range");
	if (report->profile)
		grid_column(grid, GRID_LEFT, "determined by the data");
	for (i = 0; i < fit->nr_keys; i++) {
		const struct tunable *key = &fit->keys[i];

		grid_cell(grid, fit->key_names[i]);
		grid_cell(grid, start_text(arena, key));
		grid_cell(grid, fit_value_text(fit, arena, i, report->found->point[i]));
		grid_cell(grid, unit_text(key));
		grid_cell(grid, range_text(arena, key));
		if (report->profile)
			grid_cell(grid, interval_text(arena, report, i));
	}
	grid_write(grid, GRID_SPACED, out);
}

/* The names of the rows (or columns) of a member that have a chosen cell, "1, 5, 12". */
static const char *chosen_names(struct arena *arena, const struct fit *fit, int member, bool rows)
{
	const struct published *published = fit->members[member].published;
	const char *const *names = rows ? published->rows : published->columns;
	int nr = rows ? published->nr_rows : published->nr_columns;
	char *text = arena_strdup(arena, "");
	int i, k;

	for (i = 0; i < nr; i++) {
		bool chosen = false;

		for (k = 0; k < (rows ? published->nr_columns : published->nr_rows); k++)
			chosen |= fit_is_chosen(fit, member, rows ? i : k, rows ? k : i);
		if (chosen)
			text = arena_printf(arena, "%s%s%s", text, *text ? ", " : "", names[i]);
	}
	return text;
}

char *fit_used_text(const struct fit *fit, int member, struct arena *arena)
{
	return arena_printf(arena, "%s %s of %s", fit->members[member].published->axis,
			    chosen_names(arena, fit, member, true), chosen_names(arena, fit, member, false));
}

static const char *number(struct arena *arena, double value, int decimals)
{
	return isnan(value) ? "-" : arena_printf(arena, "%.*f", decimals, value);
}

static void add_score_row(struct arena *arena, struct grid *grid, const char *name, const char *cells,
			  const struct score *scores[2])
{
	grid_cell(grid, name);
	grid_cell(grid, cells);
	grid_cell(grid, arena_printf(arena, "%d", scores[1]->nr_cells));
	grid_cell(grid, number(arena, scores[0]->rms_log, 3));
	grid_cell(grid, number(arena, scores[1]->rms_log, 3));
	grid_cell(grid, number(arena, scores[0]->change_mae_points, 1));
	grid_cell(grid, number(arena, scores[1]->change_mae_points, 1));
}

static void print_scores(FILE *out, struct arena *arena, const struct fit_report *report)
{
	const struct fit *fit = report->fit;
	struct grid *grid = grid_create(arena);
	int i;

	grid_column(grid, GRID_LEFT, "experiment");
	grid_column(grid, GRID_LEFT, "cells");
	grid_column(grid, GRID_RIGHT, "number");
	grid_column(grid, GRID_RIGHT, "RMS before");
	grid_column(grid, GRID_RIGHT, "fitted");
	grid_column(grid, GRID_RIGHT, "change off before");
	grid_column(grid, GRID_RIGHT, "fitted");
	for (i = 0; i < fit->nr_members; i++) {
		const struct fit_verdict *before = &report->before[i];
		const struct fit_verdict *after = &report->after[i];
		const char *name = fit->members[i].experiment->name;

		add_score_row(arena, grid, name, "used", (const struct score *[]){ &before->chosen, &after->chosen });
		add_score_row(arena, grid, name, "others", (const struct score *[]){ &before->others, &after->others });
	}
	grid_write(grid, GRID_SPACED, out);
}

void fit_print(FILE *out, const struct fit_report *report)
{
	const struct fit *fit = report->fit;
	struct arena *arena = arena_create();
	int i;

	for (i = 0; i < fit->nr_members; i++)
		fprintf(out, "%s fitted to %s\n", fit->members[i].experiment->name, fit_used_text(fit, i, arena));
	fputc('\n', out);
	print_values(out, arena, report);
	if (report->profile)
		fprintf(out,
			"\ndetermined: where the value may be, the others fitted again, with a score of at most %.4f\n"
			"(least score in short runs %.4f; its noise %.4f)\n",
			report->profile->limit, report->profile->best, report->profile->noise);
	fprintf(out, "\nRMS: of log(simulated / published); change off: mean error of the change against the baseline "
		     "in points\n");
	print_scores(out, arena, report);
	arena_destroy(arena);
}

char *fit_head(const struct fit_report *report, struct arena *arena)
{
	const struct fit *fit = report->fit;
	char *text = arena_printf(arena, "# Written by contend %s:\n#   %s\n", CONTEND_VERSION, report->command);
	int i;

	for (i = 0; i < fit->nr_members; i++)
		text = arena_printf(arena, "%s# %s: used are %s\n", text, fit->members[i].experiment->name,
				    fit_used_text(fit, i, arena));
	text = arena_printf(arena, "%s# score over the %d used cells and their changes, in short runs: %.4f\n", text,
			    fit->nr_chosen, report->found->trace.scores[report->found->trace.best]);
	for (i = 0; report->profile && i < fit->nr_keys; i++)
		text = arena_printf(arena, "%s# %s: %s\n", text, fit->key_names[i], interval_text(arena, report, i));
	return text;
}

int fit_write_overlay(const char *path, const char *head, const struct yaml_node *values, struct error *err)
{
	struct outfile *file = outfile_open(path, err);
	struct arena *arena;

	if (!file)
		return -1;
	arena = arena_create();
	fputs(head, outfile_stream(file));
	fputs(yaml_text(arena, values), outfile_stream(file));
	arena_destroy(arena);
	return outfile_commit(file, err);
}
