/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The titles of a figure. */
#include "sim/io/plot_draft.h"

#include "sim/io/plot_text.h"
#include "sim/stats/replications.h"

#include <math.h>
#include <string.h>

#define TITLE_MAX_COLUMNS 88
#define WIDE_TITLE_MAX_COLUMNS 124
#define SUBTITLE_MAX_COLUMNS 98
#define MACHINE_MAX_COLUMNS 40
#define KEY_MAX_COLUMNS 36
#define NAME_MAX_COLUMNS 20

/* The largest value drawn; NAN when there is none. */
static double highest_value(const struct figure *figure)
{
	double highest = NAN;

	for (int i = 0; i < figure->nr_series; i++)
		for (int x = 0; x < figure->nr_x; x++)
			highest = fmax(highest, figure->series[i].values[x].mean);
	for (int i = 0; i < figure->nr_published; i++)
		for (int row = 0; row < figure->published[i].nr; row++)
			highest = fmax(highest, figure->published[i].y[row]);
	return highest;
}

static const char *metric_words(struct arena *arena, const struct metric *metric)
{
	if (!strcmp(metric->unit, "ops/s"))
		return "operations per second";
	if (!metric->unit[0])
		return plot_clean(arena, metric->name, KEY_MAX_COLUMNS);
	return plot_clean(arena, arena_printf(arena, "%s, %s", metric->name, metric->unit), KEY_MAX_COLUMNS);
}

static void set_value_title(struct draft *draft)
{
	static const struct {
		double divisor;
		const char *words;
	} scales[] = { { 1e9, " (billions)" }, { 1e6, " (millions)" }, { 1e3, " (thousands)" }, { 1, "" } };
	const struct metric *metric = &draft->results->metrics[draft->options->metric];
	struct figure *figure = draft->figure;
	double highest = highest_value(figure);
	size_t scale = 0;

	while (scales[scale].divisor > 1 && (figure->y_log || !(highest >= scales[scale].divisor)))
		scale++;
	figure->divisor = scales[scale].divisor;
	figure->y_title = arena_printf(draft->arena, "%s%s", metric_words(draft->arena, metric), scales[scale].words);
}

static void set_change_title(struct draft *draft)
{
	const struct results *results = draft->results;
	const char *metric = plot_clean(draft->arena, results->metrics[draft->options->metric].name, NAME_MAX_COLUMNS);
	const char *baseline = plot_clean(draft->arena, results->variants[results->baseline], NAME_MAX_COLUMNS);
	struct figure *figure = draft->figure;

	figure->divisor = 1;
	if (figure->kind == PLOT_CHANGE) {
		figure->y_title = arena_printf(draft->arena, "%s, change against %s (%%)", metric, baseline);
		return;
	}
	figure->y_title = plot_clean(draft->arena, results->axes[draft->span.second].key, KEY_MAX_COLUMNS);
	figure->z_title =
		arena_printf(draft->arena, "%s, %s against %s (%%)", metric,
			     plot_clean(draft->arena, results->variants[draft_heat_variant(draft)], NAME_MAX_COLUMNS),
			     baseline);
}

/* "10", or adaptive "5 to 23" */
static const char *count_of_replications(const struct draft *draft)
{
	int fewest, most;

	replications_range(draft->results, draft->options->machine, &fewest, &most);
	if (fewest < most)
		return arena_printf(draft->arena, "%d to %d", fewest, most);
	return arena_printf(draft->arena, "%d", most);
}

/* "6 of 19 values of test" where some find no room, "" where all do. */
static const char *seconds_text(const struct draft *draft)
{
	const struct axis *second;

	if (draft->figure->kind == PLOT_HEATMAP || draft->span.second < 0)
		return "";
	second = &draft->results->axes[draft->span.second];
	if (draft->nr_seconds == second->nr_values)
		return "";
	return arena_printf(draft->arena, ", %d of %d values of %s", draft->nr_seconds, second->nr_values,
			    plot_clean(draft->arena, second->key, NAME_MAX_COLUMNS));
}

/* "MACHINE, n = 10, bands: 95 % interval, contend 0.1.0" */
static const char *subtitle_of(const struct draft *draft)
{
	const struct results *results = draft->results;
	const struct figure *figure = draft->figure;
	const char *machine = plot_clean(draft->arena, results->machines[draft->options->machine], MACHINE_MAX_COLUMNS);
	const char *intervals = "";

	if (figure->bands && figure->format != PLOT_TEXT)
		intervals = figure->x_named ? ", bars: 95 % interval" : ", bands: 95 % interval";
	if (figure->kind == PLOT_HEATMAP && results->nr_replications > 1)
		intervals = ", (x): not significant";
	return arena_printf(draft->arena, "%s, n = %s%s%s, contend %s", machine, count_of_replications(draft),
			    intervals, seconds_text(draft), results->version);
}

static int title_columns(const struct figure *figure)
{
	if (figure->format == PLOT_TEXT)
		return figure->text_columns - 2;
	return figure->panel_columns > 2 ? WIDE_TITLE_MAX_COLUMNS : TITLE_MAX_COLUMNS;
}

void draft_words(struct draft *draft)
{
	struct figure *figure = draft->figure;
	int subtitle_columns = figure->format == PLOT_TEXT ? figure->text_columns - 2 : SUBTITLE_MAX_COLUMNS;

	figure->nr_title_lines = plot_wrap(draft->arena, draft->results->title, title_columns(figure),
					   FIGURE_TITLE_LINES, figure->title_lines);
	figure->subtitle = plot_clean(draft->arena, subtitle_of(draft), subtitle_columns);
	if (figure->kind == PLOT_THROUGHPUT)
		set_value_title(draft);
	else
		set_change_title(draft);
}
