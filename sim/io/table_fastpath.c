/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table in the layout of Arm's fastpath, as in Anjum, "mm: Free contiguous order-0 pages efficiently", v2: the
 * baseline's values, and how much faster each variant is. Each machine is a table of its own.
 *
 * A change is marked as the tool marks it, where the 95 % intervals of the two means do not overlap (Rambhadran,
 * "[REGRESSION] slab: replace cpu (partial) slabs with sheaves", afe9ba0a-1924-42a8-a9c5-34eec709f883@arm.com, 26 March
 * 2026). That asks for more than the paired intervals of the other formats do.
 */
#include "sim/io/table_parts.h"

#include <math.h>
#include <string.h>

#define DECIMALS 2 /* as in the mails */
#define MOST_USEC_S 100 /* builds take longer, and have their times in seconds */

/* The rows of one metric. */
struct measure {
	struct table_view view;
	const char *name; /* "" where the unit says enough */
	const char *unit;
	double scale; /* from the metric's unit to this one */
	int decimals;
};

static double largest_mean(const struct table_view *view)
{
	double largest = 0;

	for (int point = 0; point < results_nr_points(view->results); point++)
		largest = fmax(largest, view_mean(view, view->results->baseline, point).mean);
	return largest;
}

static bool is_time(const struct table_view *view)
{
	return !strcmp(view_metric_unit(view), "s");
}

/* Rates and times as fastpath spells their units; `is_long`: some time of the table is so long that all are in seconds. */
static struct measure measure_of(const struct table_view *view, bool is_long)
{
	const char *name = view_metric_name(view);
	struct measure out = { .view = *view, .name = name, .unit = view_metric_unit(view), .scale = 1 };

	if (!strcmp(name, "throughput") || !strcmp(name, "real"))
		out.name = "";
	if (!strcmp(out.unit, "ops/s"))
		out.unit = "ops/sec";
	else if (is_time(view))
		out.unit = is_long ? "seconds" : "usec";
	if (is_time(view) && !is_long)
		out.scale = 1e6;
	out.decimals = out.scale > 1 ? DECIMALS : view_decimals(view);
	if (out.decimals < DECIMALS)
		out.decimals = DECIMALS;
	return out;
}

/* "threads:4, remote_ns:140" */
static const char *axes_text(const struct table_view *view, int point)
{
	const struct results *results = view->results;
	const char *text = "";

	for (int i = 0; i < results->nr_axes; i++)
		text = arena_printf(view->arena, "%s%s%s:%s", text, i ? ", " : "", axis_label(results, i),
				    axis_value(results, point, i));
	return text;
}

static struct table_point point_of(const struct table_view *view, const struct table_options *options, int point)
{
	if (options->points)
		return options->points[point];
	return (struct table_point){ .benchmark = view->results->experiment, .name = axes_text(view, point) };
}

static const char *class_text(const struct measure *measure, const char *point_name)
{
	const char *metric = measure->name;

	if (!*point_name && !*metric)
		metric = view_metric_name(&measure->view);
	return arena_printf(measure->view.arena, "%s%s%s (%s)", point_name, *point_name && *metric ? ", " : "", metric,
			    measure->unit);
}

static const char *base_text(const struct measure *measure, int point)
{
	const struct table_view *view = &measure->view;
	const int baseline = view->results->baseline;
	const struct estimate mean = view_mean(view, baseline, point);

	if (!mean.n)
		return view_nothing(view, baseline, point);
	return arena_printf(view->arena, "%.*f", measure->decimals, measure->scale * mean.mean);
}

/* More than 0 is faster. */
static double speedup_pct(const struct table_view *view, struct estimate base, struct estimate variant)
{
	const double ratio = view->metric.lower_is_better ? base.mean / variant.mean : variant.mean / base.mean;

	return 100 * (ratio - 1);
}

static bool is_marked(struct estimate base, struct estimate variant)
{
	return base.n > 1 && variant.n > 1 && (base.high < variant.low || variant.high < base.low);
}

static const char *change_text(const struct measure *measure, int variant, int point)
{
	const struct table_view *view = &measure->view;
	const struct estimate base = view_mean(view, view->results->baseline, point);
	const struct estimate mean = view_mean(view, variant, point);
	const double pct = speedup_pct(view, base, mean);
	const char *mark = "";

	if (!mean.n)
		return view_nothing(view, variant, point);
	if (!isfinite(pct))
		return "-";
	if (is_marked(base, mean))
		mark = pct < 0 ? "(R) " : "(I) ";
	return arena_printf(view->arena, "%s%.*f%%", mark, DECIMALS, pct);
}

static struct grid *columns_of(struct arena *arena, const struct results *results)
{
	struct grid *grid = grid_create(arena);

	grid_column(grid, GRID_LEFT, "Benchmark");
	grid_column(grid, GRID_LEFT, "Result Class");
	grid_column(grid, GRID_RIGHT, arena_printf(arena, "%s (base)", results->variants[results->baseline]));
	for (int i = 0; i < results->nr_variants; i++) {
		if (i != results->baseline)
			grid_column(grid, GRID_RIGHT, results->variants[i]);
	}
	return grid;
}

static void add_row(struct grid *grid, const struct measure *measure, const char *point_name, int point)
{
	const struct results *results = measure->view.results;

	grid_cell(grid, class_text(measure, point_name));
	grid_cell(grid, base_text(measure, point));
	for (int i = 0; i < results->nr_variants; i++) {
		if (i != results->baseline)
			grid_cell(grid, change_text(measure, i, point));
	}
}

/* The metrics of a machine's table. */
struct measures {
	struct measure *list;
	int nr;
	bool asked_for; /* otherwise the times that a point has, or else its throughput */
};

/* What is asked for, or else the times and the throughput. Returns how many. */
static int list_metrics(const struct table_view *view, const struct table_options *options,
			const struct table_metric **out)
{
	struct table_metric *metrics;
	int nr;

	*out = options->metrics;
	if (options->nr_metrics)
		return options->nr_metrics;
	metrics = arena_calloc(view->arena, TABLE_MAX_TIMES + 1, sizeof(*metrics));
	nr = table_times(view->results, metrics);
	metrics[nr].index = results_find_metric(view->results, "throughput");
	*out = metrics;
	return metrics[nr].index < 0 ? nr : nr + 1;
}

static struct measures measures_of(const struct table_view *view, const struct table_options *options)
{
	struct measures out = { .asked_for = options->nr_metrics > 0 };
	const struct table_metric *metrics;
	struct table_view each = *view;
	bool is_long = false;
	int nr_times = 0;

	out.nr = list_metrics(view, options, &metrics);
	for (int i = 0; i < out.nr; i++) {
		each.metric = metrics[i];
		nr_times += is_time(&each);
		is_long |= is_time(&each) && largest_mean(&each) >= MOST_USEC_S;
	}
	out.list = arena_calloc(view->arena, (size_t)out.nr, sizeof(*out.list));
	for (int i = 0; i < out.nr; i++) {
		each.metric = metrics[i];
		out.list[i] = measure_of(&each, is_long);
		if (is_time(&each) && nr_times > 1)
			out.list[i].name = view_metric_name(&each);
	}
	return out;
}

static bool has_number(const struct measure *measure, int point)
{
	for (int i = 0; i < measure->view.results->nr_variants; i++) {
		if (view_mean(&measure->view, i, point).n)
			return true;
	}
	return false;
}

static bool is_shown(const struct measures *measures, int which, int point)
{
	if (measures->asked_for)
		return true;
	if (is_time(&measures->list[which].view))
		return has_number(&measures->list[which], point);
	for (int i = 0; i < measures->nr; i++) {
		if (i != which && has_number(&measures->list[i], point))
			return false;
	}
	return true;
}

static const char *formula_text(const struct measures *measures)
{
	bool costs = false, rates = false;

	for (int i = 0; i < measures->nr; i++) {
		for (int point = 0; point < results_nr_points(measures->list[i].view.results); point++) {
			if (!is_shown(measures, i, point))
				continue;
			costs |= measures->list[i].view.metric.lower_is_better;
			rates |= !measures->list[i].view.metric.lower_is_better;
		}
	}
	if (costs && rates)
		return "variant / base - 1 of rates, base / variant - 1 of times and other costs";
	return rates ? "variant / base - 1" : "base / variant - 1";
}

static void write_heading(const struct table_view *view, const struct measures *measures, FILE *out)
{
	const struct results *results = view->results;

	fprintf(out, "%s, mean of %s, simulated by contend %s\n", results->machines[view->machine],
		replications_text(view->arena, results, view->machine), results->version);
	if (results->nr_variants < 2)
		return;
	fprintf(out, "(>0 is faster, <0 is slower: %s", formula_text(measures));
	if (results->nr_replications > 1)
		fputs(";\n(R)/(I) = regression/improvement: the 95 % intervals (Student t) of the two means do not "
		      "overlap",
		      out);
	fputs(")\n", out);
}

static void write_machine(const struct table_view *view, const struct table_options *options, FILE *out)
{
	const struct measures measures = measures_of(view, options);
	struct grid *grid = columns_of(view->arena, view->results);
	const char *benchmark = "";

	for (int point = 0; point < results_nr_points(view->results); point++) {
		const struct table_point named = point_of(view, options, point);

		if (point && strcmp(named.benchmark, benchmark) != 0)
			grid_rule(grid);
		for (int i = 0; i < measures.nr; i++) {
			if (!is_shown(&measures, i, point))
				continue;
			grid_cell(grid, strcmp(named.benchmark, benchmark) ? named.benchmark : "");
			add_row(grid, &measures.list[i], named.name, point);
			benchmark = named.benchmark;
		}
	}
	write_heading(view, &measures, out);
	fputc('\n', out);
	grid_write(grid, GRID_OUTLINED, out);
}

void table_fastpath(const struct results *results, const struct table_options *options, FILE *out)
{
	struct arena *arena = arena_create();

	for (int machine = 0; machine < results->nr_machines; machine++) {
		const struct table_view view = { .arena = arena, .results = results, .machine = machine };

		if (machine)
			fputc('\n', out);
		write_machine(&view, options, out);
	}
	arena_destroy(arena);
}
