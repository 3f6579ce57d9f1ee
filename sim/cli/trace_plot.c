/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/trace_plot.h"

#include "sim/cli/paths.h"
#include "sim/cli/trace_info.h"
#include "sim/io/plot.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MAX_BINS HISTOGRAM_MAX_BITS

/* A chart that is filled bin by bin. */
struct chart {
	struct arena *arena;
	const char **names; /* MAX_BINS */
	double *values; /* MAX_BINS of each series; then drawn together */
	int nr_x;
};

static struct chart chart_create(struct arena *arena)
{
	return (struct chart){
		.arena = arena,
		.names = arena_calloc(arena, MAX_BINS, sizeof(const char *)),
		.values = arena_calloc(arena, NR_TRACE_COLUMNS * MAX_BINS, sizeof(double)),
	};
}

/* The values of each series as the figure wants them, one series behind the other. */
static const double *packed(const struct chart *chart, int nr_series)
{
	for (int series = 1; series < nr_series; series++)
		memmove(chart->values + series * chart->nr_x, chart->values + series * MAX_BINS,
			(size_t)chart->nr_x * sizeof(double));
	return chart->values;
}

static double percent_of(uint64_t nr, uint64_t sum)
{
	return sum ? 100.0 * (double)nr / (double)sum : NAN;
}

/* The same bins as in the text: to 2^10 ns, then in steps of 4, as far as there are blocks. */
static struct plot_chart lifetimes(struct arena *arena, const struct histogram *lifetime_ns)
{
	struct chart chart = chart_create(arena);
	uint64_t nr_below = 0;

	for (int bits = TRACE_FIRST_EDGE_BITS; (nr_below < lifetime_ns->nr || !chart.nr_x) && bits < HISTOGRAM_MAX_BITS;
	     bits += TRACE_EDGE_STEP_BITS) {
		const uint64_t nr = histogram_nr_below(lifetime_ns, UINT64_C(1) << bits);

		chart.names[chart.nr_x] = trace_time_text(UINT64_C(1) << bits, arena_alloc(arena, TRACE_TIME_BYTES));
		chart.values[chart.nr_x++] = lifetime_ns->nr ? percent_of(nr - nr_below, lifetime_ns->nr) : 0;
		nr_below = nr;
	}
	if (nr_below < lifetime_ns->nr) {
		chart.names[chart.nr_x] = "longer";
		chart.values[chart.nr_x++] = percent_of(lifetime_ns->nr - nr_below, lifetime_ns->nr);
	}
	return (struct plot_chart){
		.title = "freed blocks by lifetime, %",
		.x_title = "from allocation to free",
		.nr_x = chart.nr_x,
		.x_names = chart.names,
		.nr_series = 1,
		.values = chart.values,
	};
}

/* From 1, 2, 4... blocks. A type without bursts has no line. */
static struct plot_chart bursts(struct arena *arena, const struct trace_summary *summary)
{
	struct chart chart = chart_create(arena);
	uint64_t longest = 1;

	for (int i = 0; i < NR_TRACE_COLUMNS; i++) {
		const uint64_t max = summary->bursts[trace_columns[i].type].max;

		longest = max > longest ? max : longest;
	}
	for (uint64_t from = 1; from <= longest; from *= 2, chart.nr_x++) {
		chart.names[chart.nr_x] = arena_printf(arena, "%" PRIu64, from);
		for (int i = 0; i < NR_TRACE_COLUMNS; i++) {
			const struct histogram *sizes = &summary->bursts[trace_columns[i].type];
			const uint64_t nr = histogram_nr_below(sizes, 2 * from) - histogram_nr_below(sizes, from);

			chart.values[i * MAX_BINS + chart.nr_x] = percent_of(nr, sizes->nr);
		}
	}
	return (struct plot_chart){
		.title = "bursts by their length, %",
		.x_title = "blocks in a row, from",
		.nr_x = chart.nr_x,
		.x_names = chart.names,
		.nr_series = NR_TRACE_COLUMNS,
		.values = packed(&chart, NR_TRACE_COLUMNS),
	};
}

static struct plot_chart orders(struct arena *arena, const struct trace_summary *summary)
{
	struct chart chart = chart_create(arena);

	for (int order = 0; order <= TRACE_MAX_ORDER; order++) {
		const uint64_t *nr = summary->orders[order].nr;

		for (int i = 0; i < NR_TRACE_COLUMNS; i++) {
			chart.values[i * MAX_BINS + order] =
				nr[trace_columns[i].type] ? (double)nr[trace_columns[i].type] : NAN;
			if (nr[trace_columns[i].type] || order == 0)
				chart.nr_x = order + 1;
		}
		chart.names[order] = arena_printf(arena, "%d", order);
	}
	return (struct plot_chart){
		.title = "blocks by order, number",
		.x_title = "order",
		.nr_x = chart.nr_x,
		.x_names = chart.names,
		.nr_series = NR_TRACE_COLUMNS,
		.values = packed(&chart, NR_TRACE_COLUMNS),
		.y_log = true,
	};
}

static bool has_blocks(const struct trace_summary *summary)
{
	uint64_t nr = 0;

	for (int i = 0; i < NR_TRACE_COLUMNS; i++)
		nr += summary->nr[trace_columns[i].type];
	return nr > 0;
}

int trace_plot(struct arena *arena, const char *trace, const struct trace_summary *summary, const char *path,
	       struct error *err)
{
	const char *names[NR_TRACE_COLUMNS];
	const struct plot_chart charts[] = {
		lifetimes(arena, &summary->lifetime_ns),
		bursts(arena, summary),
		orders(arena, summary),
	};
	const struct plot_charts figure = {
		.title = trace,
		.subtitle = arena_printf(arena,
					 "%" PRIu64 " events of %d CPU%s in %.3f s, %.1f %% of blocks "
					 "freed on another CPU",
					 summary->nr_events, summary->nr_cpus, summary->nr_cpus == 1 ? "" : "s",
					 (double)(summary->last_ns - summary->first_ns) / 1e9,
					 summary->lifetime_ns.nr
						 ? percent_of(summary->nr_freed_elsewhere, summary->lifetime_ns.nr)
						 : 0),
		.series_names = names,
		.nr_series = NR_TRACE_COLUMNS,
		.list = charts,
		.nr_charts = (int)(sizeof(charts) / sizeof(charts[0])),
	};

	if (!has_blocks(summary))
		return error_plain(err, "'%s' has no block to draw", trace);
	for (int i = 0; i < NR_TRACE_COLUMNS; i++)
		names[i] = trace_columns[i].title;
	return plot_draw_charts(&figure, path_of_plots(), path, err);
}
