/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/trace_verify_plot.h"

#include "sim/cli/paths.h"
#include "sim/io/plot.h"

#include <stddef.h>

#define MAX_CURVES 2 /* CPUs, or all; each twice */
#define NS_PER_S 1e9

/* Streams [first, end) of a curve; recorded and simulated are series 2 * curve and the one after. */
struct curve {
	const char *name;
	int first, end;
};

struct curves {
	struct curve list[MAX_CURVES];
	int nr;
};

static struct curves curves_of(struct arena *arena, const struct replay_script *script)
{
	struct curves curves = { .list = { { "all CPUs", 0, script->nr_streams } }, .nr = 1 };

	if (script->nr_streams > MAX_CURVES)
		return curves;
	for (curves.nr = 0; curves.nr < script->nr_streams; curves.nr++)
		curves.list[curves.nr] = (struct curve){ arena_printf(arena, "CPU %d", script->streams[curves.nr].cpu),
							 curves.nr, curves.nr + 1 };
	return curves;
}

/* Thousands of blocks of a curve since the start, by bin; `field` is where struct page_alloc_blocks has them. */
static void add_up(const struct page_alloc_blocks *blocks, size_t field, const struct curve *curve, double *values)
{
	double sum = 0;

	for (int bin = 0; bin < VERIFY_NR_BINS; bin++) {
		for (int stream = curve->first; stream < curve->end; stream++) {
			const void *in_bin = &blocks[stream * VERIFY_NR_BINS + bin];

			sum += (double)*(const uint64_t *)(const void *)((const char *)in_bin + field);
		}
		values[bin] = sum / 1000;
	}
}

static struct plot_chart chart_of(struct arena *arena, const struct comparison *comparison, const struct curves *curves,
				  size_t field)
{
	double *values = arena_calloc(arena, (size_t)curves->nr * 2 * VERIFY_NR_BINS, sizeof(*values));
	const char **names = arena_calloc(arena, VERIFY_NR_BINS, sizeof(*names));

	for (int bin = 0; bin < VERIFY_NR_BINS; bin++)
		names[bin] = arena_printf(arena, "%.2f", (double)(comparison->bin_ns * (bin + 1)) / NS_PER_S);
	for (int i = 0; i < curves->nr; i++) {
		double *recorded = &values[2 * i * VERIFY_NR_BINS];

		add_up(comparison->recorded, field, &curves->list[i], recorded);
		add_up(comparison->simulated, field, &curves->list[i], recorded + VERIFY_NR_BINS);
	}
	return (struct plot_chart){
		.x_title = "up to, s",
		.nr_x = VERIFY_NR_BINS,
		.x_names = names,
		.nr_series = 2 * curves->nr,
		.values = values,
	};
}

int trace_verify_plot(struct arena *arena, const char *trace, const struct comparison *comparison, const char *path,
		      struct error *err)
{
	const struct curves curves = curves_of(arena, comparison->script);
	const char *names[2 * MAX_CURVES];
	struct plot_chart charts[] = {
		chart_of(arena, comparison, &curves, offsetof(struct page_alloc_blocks, taken)),
		chart_of(arena, comparison, &curves, offsetof(struct page_alloc_blocks, drained)),
	};
	const struct plot_charts figure = {
		.title = trace,
		.subtitle = "blocks that the recorded and the simulated kernel moved under zone locks",
		.series_names = names,
		.nr_series = 2 * curves.nr,
		.list = charts,
		.nr_charts = (int)(sizeof(charts) / sizeof(charts[0])),
	};

	charts[0].title = "taken from the buddy lists, thousands";
	charts[1].title = "drained to them, thousands";
	for (int i = 0; i < curves.nr; i++) {
		names[2 * i] = arena_printf(arena, "%s, kernel", curves.list[i].name);
		names[2 * i + 1] = arena_printf(arena, "%s, model", curves.list[i].name);
	}
	return plot_draw_charts(&figure, path_of_plots(), path, err);
}
