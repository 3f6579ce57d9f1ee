/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/io/plot_figure.h"

#include "sim/io/plot_text.h"
#include "sim/stats/replications.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NR_COLORS 7
#define NR_POINTS 6
#define NR_DASHES 5

/* of a figure with a line per variant and value of a second key */
#define MAX_LINES 12
#define TEXT_MAX_LINES 6
#define MAX_BANDS 6 /* more of them hide each other */
#define LOG_SPAN 30.0 /* a swept range wider than this is drawn on a scale of powers of two */

#define TITLE_MAX_COLUMNS 76
#define SUBTITLE_MAX_COLUMNS 98
#define MACHINE_MAX_COLUMNS 40
#define KEY_MAX_COLUMNS 36
#define CROWDED_KEY_MAX_COLUMNS 24 /* so that three stand side by side */
#define NAME_MAX_COLUMNS 20
#define TICK_MAX_COLUMNS 12

/* The one or two swept keys that a figure is drawn over; second is -1 when there is one. */
struct span {
	int x, second;
};

/* What the helpers below share while they fill a figure. */
struct draft {
	struct arena *arena;
	const struct results *results;
	const struct plot_options *options;
	struct figure *figure;
	struct span span;
	int *x_order; /* indices of the x axis, ascending by value */
	int nr_seconds; /* values of the second key that are drawn */
};

static bool axis_is_numeric(const struct axis *axis)
{
	for (int i = 0; i < axis->nr_values; i++)
		if (!isfinite(axis->value_numbers[i]))
			return false;
	return true;
}

/* How well an axis serves as x: threads first, then numbers, then names. */
static int x_rank(const struct axis *axis)
{
	if (!strcmp(axis->key, "threads"))
		return 2;
	return axis_is_numeric(axis);
}

static int find_span(const struct results *results, struct span *span, struct error *err)
{
	int nr_swept = 0;

	*span = (struct span){ .x = -1, .second = -1 };
	for (int i = 0; i < results->nr_axes; i++) {
		if (results->axes[i].nr_values < 2)
			continue;
		nr_swept++;
		if (span->x < 0 || x_rank(&results->axes[i]) > x_rank(&results->axes[span->x])) {
			span->second = span->x;
			span->x = i;
		} else {
			span->second = i;
		}
	}
	if (nr_swept > 2)
		return error_plain(err, "a figure has room for one or two swept keys, and these results sweep %d",
				   nr_swept);
	if (!nr_swept && results->nr_axes)
		span->x = 0;
	if (span->x < 0)
		return error_plain(err, "nothing is swept: a single point makes no figure");
	return 0;
}

static int stride_of(const struct results *results, int axis)
{
	int stride = 1;

	for (int i = axis + 1; i < results->nr_axes; i++)
		stride *= results->axes[i].nr_values;
	return stride;
}

/* The point at position x of the figure and value index `second` of the second key. */
static int point_at(const struct draft *draft, int x, int second)
{
	int point = draft->x_order[x] * stride_of(draft->results, draft->span.x);

	if (draft->span.second >= 0)
		point += second * stride_of(draft->results, draft->span.second);
	return point;
}

/* Names stay in the user's order; numbers are sorted (by insertion: a sweep is short and mostly sorted). */
static int *order_of(struct arena *arena, const struct axis *axis)
{
	int *order = arena_calloc(arena, (size_t)axis->nr_values, sizeof(*order));
	bool numeric = axis_is_numeric(axis);

	for (int i = 0; i < axis->nr_values; i++) {
		int at = i;

		for (; numeric && at > 0 && axis->value_numbers[order[at - 1]] > axis->value_numbers[i]; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	return order;
}

static void set_x_range(struct figure *figure)
{
	double low = figure->x[0];
	double high = figure->x[figure->nr_x - 1];
	double margin = high > low ? 0.03 * (high - low) : 1;

	figure->x_log = !figure->x_names && low > 0 && high / low > LOG_SPAN;
	if (figure->x_names)
		margin = 0.5;
	figure->x_min = figure->x_log ? low / 1.2 : low - margin;
	figure->x_max = figure->x_log ? high * 1.2 : high + margin;
}

static void set_x(struct draft *draft)
{
	const struct axis *axis = &draft->results->axes[draft->span.x];
	struct figure *figure = draft->figure;
	bool named = figure->kind == PLOT_HEATMAP || !axis_is_numeric(axis);

	figure->x_key = axis->key;
	figure->x_title = plot_clean(draft->arena, axis->key, SUBTITLE_MAX_COLUMNS);
	figure->nr_x = axis->nr_values;
	figure->x = arena_calloc(draft->arena, (size_t)axis->nr_values, sizeof(*figure->x));
	if (named)
		figure->x_names = arena_calloc(draft->arena, (size_t)axis->nr_values, sizeof(*figure->x_names));
	draft->x_order = order_of(draft->arena, axis);
	for (int i = 0; i < axis->nr_values; i++) {
		int from = draft->x_order[i];

		figure->x[i] = named ? i : axis->value_numbers[from];
		if (named)
			figure->x_names[i] = plot_clean(draft->arena, axis->values[from], TICK_MAX_COLUMNS);
	}
	set_x_range(figure);
}

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
		series->values[x] = estimate_at(draft, variant, point_at(draft, x, second));
	return series;
}

/* "machine.transfer.socket_ns" is known by its last part in the key of a figure. */
static const char *short_key(const char *key)
{
	const char *dot = strrchr(key, '.');

	return dot ? dot + 1 : key;
}

static void add_line(struct draft *draft, int variant)
{
	struct figure_series *series = add_series(draft, variant, 0);

	series->name = plot_clean(draft->arena, draft->results->variants[variant],
				  draft->results->nr_variants > 3 ? CROWDED_KEY_MAX_COLUMNS : KEY_MAX_COLUMNS);
	series->color = 1 + variant % NR_COLORS;
	series->point = 1 + variant % NR_POINTS;
	series->dash = 1 + variant / NR_COLORS % NR_DASHES;
}

/* A line per drawn value of the second key; the colour is the variant's unless there is only one variant. */
static void add_lines(struct draft *draft, int variant, bool one_variant)
{
	const struct axis *second = &draft->results->axes[draft->span.second];
	const char *name = plot_clean(draft->arena, draft->results->variants[variant], NAME_MAX_COLUMNS);

	for (int i = 0; i < draft->nr_seconds; i++) {
		int value = draft->nr_seconds > 1 ? i * (second->nr_values - 1) / (draft->nr_seconds - 1) : 0;
		struct figure_series *series = add_series(draft, variant, value);
		const char *label =
			arena_printf(draft->arena, "%s, %s=%s", name, short_key(second->key), second->values[value]);

		series->name = plot_clean(draft->arena, label, KEY_MAX_COLUMNS);
		series->color = 1 + (one_variant ? i : variant) % NR_COLORS;
		series->point = 1 + i % NR_POINTS;
		series->dash = one_variant ? 1 : 1 + i % NR_DASHES;
	}
}

static bool is_drawn(const struct draft *draft, int variant)
{
	return draft->figure->kind == PLOT_THROUGHPUT || variant != draft->results->baseline;
}

static void set_lines(struct draft *draft)
{
	const struct results *results = draft->results;
	struct figure *figure = draft->figure;
	int nr_variants = results->nr_variants - (figure->kind == PLOT_CHANGE);
	int nr_values = draft->span.second < 0 ? 1 : results->axes[draft->span.second].nr_values;
	int max_lines = figure->format == PLOT_TEXT ? TEXT_MAX_LINES : MAX_LINES;

	draft->nr_seconds = nr_values;
	if (nr_values > 1 && nr_variants * nr_values > max_lines)
		draft->nr_seconds = nr_variants > max_lines ? 1 : max_lines / nr_variants;
	figure->series = arena_calloc(draft->arena, (size_t)(nr_variants * draft->nr_seconds), sizeof(*figure->series));
	for (int variant = 0; variant < results->nr_variants; variant++) {
		if (!is_drawn(draft, variant))
			continue;
		if (draft->span.second < 0)
			add_line(draft, variant);
		else
			add_lines(draft, variant, nr_variants == 1);
	}
	figure->bands = results->nr_replications > 1 && figure->nr_series <= MAX_BANDS;
	if (!strcmp(figure->x_key, "threads"))
		figure_set_boundaries(draft->arena, figure, results, draft->options->machine);
	if (draft->span.second < 0)
		figure_set_published(draft->arena, figure, results, draft->options);
}

static int heat_variant(const struct draft *draft)
{
	if (draft->options->variant >= 0)
		return draft->options->variant;
	return draft->results->baseline == 0 ? 1 : 0;
}

static int set_rows(struct draft *draft, struct error *err)
{
	const struct axis *second;
	struct figure *figure = draft->figure;
	int *order;

	if (draft->span.second < 0)
		return error_plain(err, "a heat map needs two swept keys, and these results sweep one");
	second = &draft->results->axes[draft->span.second];
	order = order_of(draft->arena, second);
	figure->series = arena_calloc(draft->arena, (size_t)second->nr_values, sizeof(*figure->series));
	for (int i = 0; i < second->nr_values; i++)
		add_series(draft, heat_variant(draft), order[i])->name =
			plot_clean(draft->arena, second->values[order[i]], TICK_MAX_COLUMNS);
	return 0;
}

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

	while (scales[scale].divisor > 1 && !(highest >= scales[scale].divisor))
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
			     plot_clean(draft->arena, results->variants[heat_variant(draft)], NAME_MAX_COLUMNS),
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

/* "MACHINE, n = 10, bands: 95 % interval, contend 0.1.0" */
static const char *subtitle_of(const struct draft *draft)
{
	const struct results *results = draft->results;
	const struct figure *figure = draft->figure;
	const char *machine = plot_clean(draft->arena, results->machines[draft->options->machine], MACHINE_MAX_COLUMNS);
	const char *intervals = "";

	if (figure->bands && figure->format != PLOT_TEXT)
		intervals = ", bands: 95 % interval";
	if (figure->kind == PLOT_HEATMAP && results->nr_replications > 1)
		intervals = ", (x): not significant";
	return arena_printf(draft->arena, "%s, n = %s%s, contend %s", machine, count_of_replications(draft), intervals,
			    results->version);
}

static void set_words(struct draft *draft)
{
	struct figure *figure = draft->figure;
	bool text = figure->format == PLOT_TEXT;
	int title_columns = text ? figure->text_columns - 2 : TITLE_MAX_COLUMNS;
	int subtitle_columns = text ? figure->text_columns - 2 : SUBTITLE_MAX_COLUMNS;

	figure->title = plot_clean(draft->arena, draft->results->title, title_columns);
	figure->subtitle = plot_clean(draft->arena, subtitle_of(draft), subtitle_columns);
	if (figure->kind == PLOT_THROUGHPUT)
		set_value_title(draft);
	else
		set_change_title(draft);
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

struct figure *figure_create(struct arena *arena, const struct results *results, const struct plot_options *options,
			     enum plot_format format, struct error *err)
{
	struct draft draft = { .arena = arena, .results = results, .options = options };

	if (check(results, options, err) || find_span(results, &draft.span, err))
		return NULL;
	draft.figure = arena_alloc(arena, sizeof(*draft.figure));
	draft.figure->kind = options->kind;
	draft.figure->format = format;
	draft.figure->text_columns = options->text_columns > 0 ? options->text_columns : 79;
	draft.figure->text_rows = options->text_rows > 0 ? options->text_rows : 24;
	draft.figure->text_color = options->text_color;
	set_x(&draft);
	if (options->kind != PLOT_HEATMAP)
		set_lines(&draft);
	else if (set_rows(&draft, err))
		return NULL;
	if (!has_value(draft.figure)) {
		error_plain(err, "nothing to draw: no run has a value of '%s'", results->metrics[options->metric].name);
		return NULL;
	}
	set_words(&draft);
	return draft.figure;
}
