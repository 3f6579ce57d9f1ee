/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The series of a figure: who is drawn, over what, and in which colour, shape and dash. */
#include "sim/io/plot_draft.h"

#include "sim/io/plot_text.h"

#include <math.h>
#include <string.h>

#define NR_COLORS 7
#define NR_POINTS 6
#define NR_DASHES 5

/* of a figure with a line per variant and value of a second key */
#define MAX_LINES 12
#define TEXT_MAX_LINES 6
#define MAX_BANDS 6 /* more of them hide each other */
#define MAX_PANELS 6
#define MAX_PANEL_COLUMNS 3

#define KEY_MAX_COLUMNS 36
#define CROWDED_KEY_MAX_COLUMNS 24 /* so that three stand side by side */
#define NAME_MAX_COLUMNS 20
#define TICK_MAX_COLUMNS 12

static struct estimate estimate_at(const struct draft *draft, int variant, int point)
{
	const struct plot_options *options = draft->options;

	if (draft->figure->kind == PLOT_THROUGHPUT)
		return results_mean(draft->results, options->machine, variant, point, options->metric);
	return results_change_pct(draft->results, options->machine, variant, point, options->metric);
}

static struct figure_series *add_series(struct draft *draft, int variant, int second)
{
	struct figure *figure = draft->figure;
	struct figure_series *series = &figure->series[figure->nr_series++];

	series->variant = variant;
	series->values = arena_calloc(draft->arena, (size_t)figure->nr_x, sizeof(*series->values));
	for (int x = 0; x < figure->nr_x; x++)
		series->values[x] = estimate_at(draft, variant, draft_point(draft, x, second));
	return series;
}

/* "machine.transfer.socket_ns" is known by its last part in the key of a figure. */
static const char *short_key(const char *key)
{
	const char *dot = strrchr(key, '.');

	return dot ? dot + 1 : key;
}

static bool is_drawn(const struct draft *draft, int variant)
{
	return draft->figure->kind == PLOT_THROUGHPUT || variant != draft->results->baseline;
}

/* The i-th of those values of the second key that are drawn: evenly chosen, the first and the last among them. */
static int drawn_second(const struct draft *draft, int i)
{
	const int nr_values = draft->results->axes[draft->span.second].nr_values;

	return draft->nr_seconds > 1 ? i * (nr_values - 1) / (draft->nr_seconds - 1) : 0;
}

static void add_line(struct draft *draft, int variant, int second)
{
	struct figure_series *series = add_series(draft, variant, second);

	series->name = plot_clean(draft->arena, draft->results->variants[variant],
				  draft->results->nr_variants > 3 ? CROWDED_KEY_MAX_COLUMNS : KEY_MAX_COLUMNS);
	series->color = 1 + variant % NR_COLORS;
	series->point = 1 + variant % NR_POINTS;
	series->dash = 1 + variant / NR_COLORS % NR_DASHES;
}

static void add_variants(struct draft *draft, int second)
{
	for (int variant = 0; variant < draft->results->nr_variants; variant++)
		if (is_drawn(draft, variant))
			add_line(draft, variant, second);
}

/* A line per drawn value of the second key; the colour is the variant's unless there is only one variant. */
static void add_lines(struct draft *draft, int variant, bool one_variant)
{
	const struct axis *second = &draft->results->axes[draft->span.second];
	const char *name = plot_clean(draft->arena, draft->results->variants[variant], NAME_MAX_COLUMNS);

	for (int i = 0; i < draft->nr_seconds; i++) {
		struct figure_series *series = add_series(draft, variant, drawn_second(draft, i));
		const char *label = arena_printf(draft->arena, "%s, %s=%s", name, short_key(second->key),
						 second->values[drawn_second(draft, i)]);

		series->name = plot_clean(draft->arena, label, KEY_MAX_COLUMNS);
		series->color = 1 + (one_variant ? i : variant) % NR_COLORS;
		series->point = 1 + i % NR_POINTS;
		series->dash = one_variant ? 1 : 1 + i % NR_DASHES;
	}
}

/* Two panels make a row, so do three; four make two rows. */
static int panel_columns(int nr_panels)
{
	if (nr_panels == 4)
		return 2;
	return nr_panels < MAX_PANEL_COLUMNS ? nr_panels : MAX_PANEL_COLUMNS;
}

static void add_panels(struct draft *draft)
{
	const struct axis *second = &draft->results->axes[draft->span.second];
	struct figure *figure = draft->figure;

	figure->panel_names = arena_calloc(draft->arena, (size_t)draft->nr_seconds, sizeof(*figure->panel_names));
	for (int i = 0; i < draft->nr_seconds; i++) {
		figure->panel_names[i] =
			plot_clean(draft->arena, second->values[drawn_second(draft, i)], CROWDED_KEY_MAX_COLUMNS);
		add_variants(draft, drawn_second(draft, i));
	}
	figure->nr_panels = draft->nr_seconds;
	figure->panel_columns = panel_columns(figure->nr_panels);
}

/* One series over the variants. */
static void add_points(struct draft *draft)
{
	const struct results *results = draft->results;
	struct figure *figure = draft->figure;
	struct figure_series *series = &figure->series[figure->nr_series++];
	int nr = 0;

	*series = (struct figure_series){ .name = "", .variant = results->baseline, .color = 1, .point = 1, .dash = 1 };
	series->values = arena_calloc(draft->arena, (size_t)figure->nr_x, sizeof(*series->values));
	for (int variant = 0; variant < results->nr_variants; variant++)
		if (is_drawn(draft, variant))
			series->values[nr++] = estimate_at(draft, variant, 0);
}

/* Values of a second key that find room, of nr_values. */
static int nr_seconds_of(const struct draft *draft, int nr_values, int nr_variants)
{
	const int max_lines = draft->figure->format == PLOT_TEXT ? TEXT_MAX_LINES : MAX_LINES;

	if (draft_has_panels(draft))
		return nr_values < MAX_PANELS ? nr_values : MAX_PANELS;
	if (nr_variants * nr_values <= max_lines)
		return nr_values;
	return nr_variants > max_lines ? 1 : max_lines / nr_variants;
}

/* The largest span of drawn values, as a ratio; 0 when one is not above 0. */
static double span_of_values(const struct figure *figure)
{
	double least = INFINITY, most = 0;

	for (int i = 0; i < figure->nr_series; i++) {
		for (int x = 0; x < figure->nr_x; x++) {
			if (!figure->series[i].values[x].n)
				continue;
			least = fmin(least, figure->series[i].values[x].mean);
			most = fmax(most, figure->series[i].values[x].mean);
		}
	}
	return least > 0 && most > 0 ? most / least : 0;
}

bool draft_has_panels(const struct draft *draft)
{
	const int second = draft->span.second;

	return second >= 0 && draft->figure->format != PLOT_TEXT && draft->figure->kind != PLOT_HEATMAP &&
	       !axis_is_numeric(&draft->results->axes[second]);
}

void draft_lines(struct draft *draft)
{
	const struct results *results = draft->results;
	struct figure *figure = draft->figure;
	const int nr_variants = results->nr_variants - (figure->kind == PLOT_CHANGE);
	const bool two_keys = draft->span.second >= 0;

	draft->nr_seconds =
		two_keys ? nr_seconds_of(draft, results->axes[draft->span.second].nr_values, nr_variants) : 1;
	figure->series = arena_calloc(draft->arena, (size_t)(nr_variants * draft->nr_seconds), sizeof(*figure->series));
	if (draft->span.x < 0)
		add_points(draft);
	else if (!two_keys)
		add_variants(draft, 0);
	else if (draft_has_panels(draft))
		add_panels(draft);
	else
		for (int variant = 0; variant < results->nr_variants; variant++)
			if (is_drawn(draft, variant))
				add_lines(draft, variant, nr_variants == 1);
	figure->bands = results->nr_replications > 1 && figure->nr_series / figure->nr_panels <= MAX_BANDS;
	figure->y_log = figure->kind == PLOT_THROUGHPUT &&
			(draft->options->log ? span_of_values(figure) > 0
					     : figure->x_named && span_of_values(figure) > LOG_SPAN);
	if (!strcmp(figure->x_key, "threads"))
		figure_set_boundaries(draft->arena, figure, results, draft->options->machine);
	if (!two_keys && draft->span.x >= 0)
		figure_set_published(draft->arena, figure, results, draft->options);
}

int draft_heat_variant(const struct draft *draft)
{
	if (draft->options->variant >= 0)
		return draft->options->variant;
	return draft->results->baseline == 0 ? 1 : 0;
}

int draft_rows(struct draft *draft, struct error *err)
{
	const struct axis *second;
	struct figure *figure = draft->figure;
	int *order;

	if (draft->span.second < 0)
		return error_plain(err, "a heat map needs two swept keys, and these results do not sweep two");
	second = &draft->results->axes[draft->span.second];
	order = axis_order(draft->arena, second);
	figure->series = arena_calloc(draft->arena, (size_t)second->nr_values, sizeof(*figure->series));
	for (int i = 0; i < second->nr_values; i++)
		add_series(draft, draft_heat_variant(draft), order[i])->name =
			plot_clean(draft->arena, second->values[order[i]], TICK_MAX_COLUMNS);
	return 0;
}
