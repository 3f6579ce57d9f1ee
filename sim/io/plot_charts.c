/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/io/plot_charts.h"

#include "sim/io/plot_gnuplot.h"
#include "sim/io/plot_script.h"
#include "sim/io/plot_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TITLE_COLUMNS 90
#define NAME_COLUMNS 40

/* A script that is being written; text reaches it quoted alone. */
struct script {
	struct arena *arena;
	const struct plot_charts *charts;
	FILE *out;
};

static const char *quoted(const struct script *script, const char *text, int max_columns)
{
	return plot_quote(script->arena, plot_clean(script->arena, text, max_columns));
}

/* One text or number of each chart. */
static void put_array_texts(const struct script *script, const char *name, size_t member_offset)
{
	fprintf(script->out, "array contend_chart_%s[%d] = [", name, script->charts->nr_charts);
	for (int i = 0; i < script->charts->nr_charts; i++) {
		const char *text;

		memcpy(&text, (const char *)&script->charts->list[i] + member_offset, sizeof(text));
		fprintf(script->out, "%s%s", i ? ", " : "", quoted(script, text, NAME_COLUMNS));
	}
	fputs("]\n", script->out);
}

static void put_array_numbers(const struct script *script, const char *name,
			      int (*number)(const struct plot_charts *charts, int chart))
{
	fprintf(script->out, "array contend_chart_%s[%d] = [", name, script->charts->nr_charts);
	for (int i = 0; i < script->charts->nr_charts; i++)
		fprintf(script->out, "%s%d", i ? ", " : "", number(script->charts, i));
	fputs("]\n", script->out);
}

static int nr_x(const struct plot_charts *charts, int chart)
{
	return charts->list[chart].nr_x;
}

static int nr_series(const struct plot_charts *charts, int chart)
{
	return charts->list[chart].nr_series;
}

static int y_log(const struct plot_charts *charts, int chart)
{
	return charts->list[chart].y_log;
}

static int first_x(const struct plot_charts *charts, int chart)
{
	return chart ? first_x(charts, chart - 1) + nr_x(charts, chart - 1) : 0;
}

static int first_series(const struct plot_charts *charts, int chart)
{
	return chart ? first_series(charts, chart - 1) + nr_series(charts, chart - 1) : 0;
}

/* 1, 2, 3... for the series: the first colours and shapes of common.gp. */
static void put_count(const struct script *script, const char *name)
{
	fprintf(script->out, "array contend_series_%s[%d] = [", name, script->charts->nr_series);
	for (int i = 0; i < script->charts->nr_series; i++)
		fprintf(script->out, "%s%d", i ? ", " : "", i + 1);
	fputs("]\n", script->out);
}

static void put_names(const struct script *script)
{
	const struct plot_charts *charts = script->charts;
	const int nr = first_x(charts, charts->nr_charts);
	const char *before = "";

	fprintf(script->out, "array contend_x_name[%d] = [", nr);
	for (int i = 0; i < charts->nr_charts; i++) {
		for (int x = 0; x < charts->list[i].nr_x; x++, before = ", ")
			fprintf(script->out, "%s%s", before, quoted(script, charts->list[i].x_names[x], NAME_COLUMNS));
	}
	fprintf(script->out, "]\narray contend_series_name[%d] = [", charts->nr_series);
	for (int i = 0; i < charts->nr_series; i++)
		fprintf(script->out, "%s%s", i ? ", " : "", quoted(script, charts->series_names[i], NAME_COLUMNS));
	fputs("]\n", script->out);
	put_count(script, "color");
	put_count(script, "point");
}

/* The chart that has the key: the first with several series; 0 for none. */
static int key_chart(const struct plot_charts *charts)
{
	for (int i = 0; i < charts->nr_charts; i++) {
		if (charts->list[i].nr_series > 1)
			return i + 1;
	}
	return 0;
}

/* What common.gp asks for. */
static void put_frame(const struct script *script, enum plot_format format)
{
	static const char *const names[] = { [PLOT_SVG] = "svg", [PLOT_PNG] = "png", [PLOT_PDF] = "pdf" };

	fprintf(script->out,
		"contend_kind = 'charts'\ncontend_format = '%s'\ncontend_output = '%s'\ncontend_data = "
		"'$contend_data'\n"
		"contend_text_columns = 0\ncontend_text_rows = 0\ncontend_text_color = 0\ncontend_x_title = ''\n"
		"contend_x_log = 0\ncontend_x_min = 0\ncontend_x_max = 1\ncontend_nr_boundary_rows = 0\n"
		"contend_nr_ticks = 0\ncontend_ticks_slanted = 0\ncontend_nr_title_lines = 1\n"
		"contend_nr_panels = %d\ncontend_panel_columns = %d\ncontend_key_chart = %d\n",
		names[format], GNUPLOT_OUTPUT, script->charts->nr_charts, script->charts->nr_charts,
		key_chart(script->charts));
	fprintf(script->out, "array contend_title[1] = [%s]\n", quoted(script, script->charts->title, TITLE_COLUMNS));
	fprintf(script->out, "contend_subtitle = %s\n", quoted(script, script->charts->subtitle, TITLE_COLUMNS));
}

static void put_data(const struct script *script)
{
	fputs("$contend_data << CONTEND_END\n", script->out);
	for (int i = 0; i < script->charts->nr_charts; i++) {
		const struct plot_chart *chart = &script->charts->list[i];

		for (int series = 0; series < chart->nr_series; series++) {
			for (int x = 0; x < chart->nr_x; x++) {
				const double value = chart->values[series * chart->nr_x + x];

				if (isnan(value))
					fprintf(script->out, "%d NaN\n", x);
				else
					fprintf(script->out, "%d %.9g\n", x, value);
			}
			fputs("\n\n", script->out);
		}
	}
	fputs("CONTEND_END\n", script->out);
}

static void put_prelude(const struct script *script, enum plot_format format)
{
	put_frame(script, format);
	put_names(script);
	put_array_texts(script, "title", offsetof(struct plot_chart, title));
	put_array_texts(script, "x_title", offsetof(struct plot_chart, x_title));
	put_array_numbers(script, "nr_x", nr_x);
	put_array_numbers(script, "nr_series", nr_series);
	put_array_numbers(script, "y_log", y_log);
	put_array_numbers(script, "first_x", first_x);
	put_array_numbers(script, "first", first_series);
	put_data(script);
}

const char *charts_script(struct arena *arena, const struct plot_charts *charts, enum plot_format format,
			  const char *plots_dir, struct error *err)
{
	const char *common = script_body(arena, plots_dir, "common", err);
	const char *body = common ? script_body(arena, plots_dir, "charts", err) : NULL;
	struct script script = { .arena = arena, .charts = charts };
	char *prelude = NULL;
	size_t nr_bytes;
	const char *text;

	if (!body)
		return NULL;
	script.out = open_memstream(&prelude, &nr_bytes);
	if (!script.out) {
		error_plain(err, "cannot write a plot script: %s", strerror(errno));
		return NULL;
	}
	put_prelude(&script, format);
	fclose(script.out);
	text = arena_printf(arena, "%s\n%s\n%s", prelude ? prelude : "", common, body);
	free(prelude);
	return text;
}
