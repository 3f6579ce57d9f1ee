/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/io/plot_figure.h"

#include "sim/io/plot_draft.h"
#include "sim/io/plot_text.h"

#include <math.h>
#include <string.h>

#define KEY_MAX_COLUMNS 98
#define TICK_MAX_COLUMNS 20
#define DEFAULT_TEXT_COLUMNS 79
#define DEFAULT_TEXT_ROWS 24

static void set_x_range(struct figure *figure)
{
	double low = figure->x[0];
	double high = figure->x[figure->nr_x - 1];
	double margin = high > low ? 0.03 * (high - low) : 1;

	figure->x_log = !figure->x_named && low > 0 && high / low > LOG_SPAN;
	if (figure->x_named)
		margin = 0.5;
	figure->x_min = figure->x_log ? low / 1.2 : low - margin;
	figure->x_max = figure->x_log ? high * 1.2 : high + margin;
}

static void allocate_x(struct draft *draft, int nr_x, const char ***texts)
{
	draft->figure->nr_x = nr_x;
	draft->figure->x = arena_calloc(draft->arena, (size_t)nr_x, sizeof(*draft->figure->x));
	*texts = arena_calloc(draft->arena, (size_t)nr_x, sizeof(**texts));
}

/* The values of a swept key. Returns their texts. */
static const char *const *set_axis(struct draft *draft, const struct axis *axis)
{
	struct figure *figure = draft->figure;
	const char **texts;

	allocate_x(draft, axis->nr_values, &texts);
	figure->x_key = axis->key;
	figure->x_named = figure->kind == PLOT_HEATMAP || !axis_is_numeric(axis);
	draft->x_order = axis_order(draft->arena, axis);
	for (int i = 0; i < axis->nr_values; i++) {
		int from = draft->x_order[i];

		figure->x[i] = figure->x_named ? i : axis->value_numbers[from];
		texts[i] = plot_clean(draft->arena, axis->values[from], TICK_MAX_COLUMNS);
	}
	return texts;
}

/* Nothing is swept: the variants, in a change without the baseline. Returns their names. */
static const char *const *set_variants(struct draft *draft)
{
	const struct results *results = draft->results;
	struct figure *figure = draft->figure;
	const char **texts;
	int nr = 0;

	allocate_x(draft, results->nr_variants - (figure->kind == PLOT_CHANGE), &texts);
	figure->x_key = "variant";
	figure->x_named = true;
	for (int i = 0; i < results->nr_variants; i++) {
		if (figure->kind == PLOT_CHANGE && i == results->baseline)
			continue;
		figure->x[nr] = nr;
		texts[nr++] = plot_clean(draft->arena, results->variants[i], TICK_MAX_COLUMNS);
	}
	return texts;
}

static bool has_value(const struct figure *figure)
{
	for (int i = 0; i < figure->nr_series; i++)
		for (int x = 0; x < figure->nr_x; x++)
			if (isfinite(figure->series[i].values[x].mean))
				return true;
	return false;
}

static int check(const struct results *results, const struct plot_options *options, struct error *err)
{
	if (options->kind == PLOT_THROUGHPUT)
		return 0;
	if (results->nr_variants < 2)
		return error_plain(err, "a change needs a variant beside the baseline '%s'",
				   results->variants[results->baseline]);
	if (options->kind == PLOT_HEATMAP && options->variant == results->baseline)
		return error_plain(err, "the baseline '%s' has no change against itself",
				   results->variants[results->baseline]);
	return 0;
}

static int set_series(struct draft *draft, struct error *err)
{
	if (draft->figure->kind == PLOT_HEATMAP)
		return draft_rows(draft, err);
	draft_lines(draft);
	return 0;
}

struct figure *figure_create(struct arena *arena, const struct results *results, const struct plot_options *options,
			     enum plot_format format, struct error *err)
{
	struct draft draft = { .arena = arena, .results = results, .options = options };
	const char *const *texts;
	struct figure *figure;

	if (check(results, options, err) || span_find(results, &draft.span, err))
		return NULL;
	figure = arena_alloc(arena, sizeof(*figure));
	*figure = (struct figure){
		.kind = options->kind,
		.format = format,
		.text_columns = options->text_columns > 0 ? options->text_columns : DEFAULT_TEXT_COLUMNS,
		.text_rows = options->text_rows > 0 ? options->text_rows : DEFAULT_TEXT_ROWS,
		.text_color = options->text_color,
		.nr_panels = 1,
		.panel_columns = 1,
	};
	draft.figure = figure;
	texts = draft.span.x < 0 ? set_variants(&draft) : set_axis(&draft, &results->axes[draft.span.x]);
	figure->x_title = plot_clean(arena, figure->x_key, KEY_MAX_COLUMNS);
	set_x_range(figure);
	if (set_series(&draft, err))
		return NULL;
	if (!has_value(figure)) {
		error_plain(err, "nothing to draw: no run has a value of '%s'", results->metrics[options->metric].name);
		return NULL;
	}
	figure_set_ticks(arena, figure, texts);
	draft_words(&draft);
	return figure;
}
