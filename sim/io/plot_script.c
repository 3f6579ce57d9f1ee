/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/io/plot_script.h"

#include "sim/io/plot_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA_BLOCK "$contend_data"
#define BODY_MAX_BYTES ((size_t)64 << 10)

/* gnuplot has no empty arrays, and looks at a first element even when it draws none: what it finds there. */
#define NO_TEXT "''"
#define NO_NUMBER "1"

static const char *const kind_names[] = {
	[PLOT_THROUGHPUT] = "throughput",
	[PLOT_CHANGE] = "change",
	[PLOT_HEATMAP] = "heatmap",
};

static const char *const format_names[] = {
	[PLOT_SVG] = "svg",
	[PLOT_PNG] = "png",
	[PLOT_PDF] = "pdf",
	[PLOT_TEXT] = "text",
};

/* A script that is being written; user text reaches it through put_text and put_array_text alone. */
struct script {
	struct arena *arena;
	const struct figure *figure;
	FILE *out;
};

static void put_text(const struct script *script, const char *name, const char *text)
{
	fprintf(script->out, "contend_%s = %s\n", name, plot_quote(script->arena, text ? text : ""));
}

static void put_int(const struct script *script, const char *name, int value)
{
	fprintf(script->out, "contend_%s = %d\n", name, value);
}

static void put_number(const struct script *script, const char *name, double value)
{
	fprintf(script->out, "contend_%s = %.9g\n", name, value);
}

static void begin_array(const struct script *script, const char *name, int nr, const char *filler)
{
	fprintf(script->out, "array contend_%s[%d] = [%s", name, nr > 0 ? nr : 1, nr > 0 ? "" : filler);
}

static void put_element_text(const struct script *script, int i, const char *text)
{
	fprintf(script->out, "%s%s", i ? ", " : "", plot_quote(script->arena, text ? text : ""));
}

static void put_element(const struct script *script, int i, double value)
{
	fprintf(script->out, "%s%.9g", i ? ", " : "", value);
}

static void end_array(const struct script *script)
{
	fputs("]\n", script->out);
}

static void put_names(const struct script *script, const char *name, const char *const *names, int nr)
{
	begin_array(script, name, nr, NO_TEXT);
	for (int i = 0; i < nr; i++)
		put_element_text(script, i, names[i]);
	end_array(script);
}

static void put_target(const struct script *script, const char *output, const char *data)
{
	const struct figure *figure = script->figure;

	put_text(script, "kind", kind_names[figure->kind]);
	put_text(script, "format", format_names[figure->format]);
	put_text(script, "output", output);
	put_text(script, "data", data ? data : DATA_BLOCK);
	put_int(script, "text_columns", figure->text_columns);
	put_int(script, "text_rows", figure->text_rows);
	put_int(script, "text_color", figure->text_color);
}

static void put_words(const struct script *script)
{
	const struct figure *figure = script->figure;

	put_int(script, "nr_title_lines", figure->nr_title_lines);
	put_names(script, "title", figure->title_lines, figure->nr_title_lines);
	put_text(script, "subtitle", figure->subtitle);
	put_text(script, "x_title", figure->x_title);
	put_text(script, "y_title", figure->y_title);
	put_text(script, "z_title", figure->z_title);
}

static void put_x(const struct script *script)
{
	const struct figure *figure = script->figure;
	int columns = 0;

	put_number(script, "divisor", figure->divisor);
	put_number(script, "x_min", figure->x_min);
	put_number(script, "x_max", figure->x_max);
	put_int(script, "x_log", figure->x_log);
	put_int(script, "x_named", figure->x_named);
	put_int(script, "nr_x", figure->nr_x);
	put_int(script, "y_log", figure->y_log);
	put_int(script, "nr_ticks", figure->nr_ticks);
	begin_array(script, "tick_x", figure->nr_ticks, NO_NUMBER);
	for (int i = 0; i < figure->nr_ticks; i++)
		put_element(script, i, figure->tick_x[i]);
	end_array(script);
	put_names(script, "tick_text", figure->tick_texts, figure->nr_ticks);
	put_int(script, "ticks_slanted", figure->ticks_slanted);
	for (int i = 0; i < figure->nr_ticks; i++)
		columns = plot_text_columns(figure->tick_texts[i]) > columns ? plot_text_columns(figure->tick_texts[i])
									     : columns;
	put_int(script, "tick_columns", columns);
}

static void put_panels(const struct script *script)
{
	const struct figure *figure = script->figure;

	put_int(script, "nr_panels", figure->nr_panels);
	put_int(script, "panel_columns", figure->panel_columns);
	put_names(script, "panel_name", figure->panel_names, figure->panel_names ? figure->nr_panels : 0);
}

static void put_series_styles(const struct script *script, const char *name, size_t member_offset)
{
	const struct figure *figure = script->figure;

	begin_array(script, name, figure->nr_series, NO_TEXT);
	for (int i = 0; i < figure->nr_series; i++) {
		int style;

		memcpy(&style, (const char *)&figure->series[i] + member_offset, sizeof(style));
		put_element(script, i, style);
	}
	end_array(script);
}

static void put_series(const struct script *script)
{
	const struct figure *figure = script->figure;

	put_int(script, "bands", figure->bands);
	put_int(script, "nr_series", figure->nr_series);
	begin_array(script, "series_name", figure->nr_series, NO_TEXT);
	for (int i = 0; i < figure->nr_series; i++)
		put_element_text(script, i, figure->series[i].name);
	end_array(script);
	put_series_styles(script, "series_color", offsetof(struct figure_series, color));
	put_series_styles(script, "series_point", offsetof(struct figure_series, point));
	put_series_styles(script, "series_dash", offsetof(struct figure_series, dash));
}

static void put_published(const struct script *script)
{
	const struct figure *figure = script->figure;

	put_int(script, "nr_published", figure->nr_published);
	begin_array(script, "published_name", figure->nr_published, NO_TEXT);
	for (int i = 0; i < figure->nr_published; i++)
		put_element_text(script, i, figure->published[i].name);
	end_array(script);
	begin_array(script, "published_series", figure->nr_published, NO_NUMBER);
	for (int i = 0; i < figure->nr_published; i++)
		put_element(script, i, figure->published[i].of);
	end_array(script);
}

static void put_boundaries(const struct script *script)
{
	const struct figure *figure = script->figure;
	int nr = figure->nr_boundaries;

	put_int(script, "nr_boundaries", nr);
	put_int(script, "nr_boundary_rows", figure->nr_boundary_rows);
	begin_array(script, "boundary_x", nr, NO_NUMBER);
	for (int i = 0; i < nr; i++)
		put_element(script, i, figure->boundaries[i].x);
	end_array(script);
	begin_array(script, "boundary_minor", nr, NO_NUMBER);
	for (int i = 0; i < nr; i++)
		put_element(script, i, figure->boundaries[i].minor);
	end_array(script);
	begin_array(script, "boundary_label", nr, NO_TEXT);
	for (int i = 0; i < nr; i++)
		put_element_text(script, i, figure->boundaries[i].label);
	end_array(script);
	begin_array(script, "boundary_label_at", nr, NO_NUMBER);
	for (int i = 0; i < nr; i++)
		put_element(script, i, figure->boundaries[i].label_at);
	end_array(script);
	begin_array(script, "boundary_row", nr, NO_NUMBER);
	for (int i = 0; i < nr; i++)
		put_element(script, i, figure->boundaries[i].row);
	end_array(script);
}

static void put_prelude(const struct script *script, const char *output, const char *data)
{
	put_target(script, output, data);
	put_words(script);
	put_x(script);
	put_panels(script);
	put_series(script);
	if (script->figure->kind != PLOT_HEATMAP) {
		put_published(script);
		put_boundaries(script);
	}
	if (!data)
		fprintf(script->out, DATA_BLOCK " << CONTEND_END\n%sCONTEND_END\n",
			script_data(script->arena, script->figure));
}

const char *script_body(struct arena *arena, const char *plots_dir, const char *name, struct error *err)
{
	const char *path = arena_printf(arena, "%s/%s.gp", plots_dir, name);
	char *text = arena_alloc(arena, BODY_MAX_BYTES + 1);
	FILE *file = fopen(path, "re");
	size_t used;
	bool failed;

	if (!file) {
		error_plain(err, "cannot read the plot script '%s': %s", path, strerror(errno));
		return NULL;
	}
	used = fread(text, 1, BODY_MAX_BYTES, file);
	failed = ferror(file) || !used;
	fclose(file);
	if (failed) {
		error_plain(err, "cannot read the plot script '%s'", path);
		return NULL;
	}
	return text;
}

/* Append a tracked script. */
static int put_body(const struct script *script, const char *plots_dir, const char *name, struct error *err)
{
	const char *text = script_body(script->arena, plots_dir, name, err);

	if (!text)
		return -1;
	fprintf(script->out, "\n%s", text);
	return 0;
}

static int put_script(const struct script *script, const char *plots_dir, struct error *err)
{
	if (put_body(script, plots_dir, "common", err))
		return -1;
	if (put_body(script, plots_dir, kind_names[script->figure->kind], err))
		return -1;
	return script->figure->kind == PLOT_HEATMAP ? 0 : put_body(script, plots_dir, "lines", err);
}

const char *script_text(struct arena *arena, const struct figure *figure, const char *plots_dir, const char *output,
			const char *data, struct error *err)
{
	struct script script = { .arena = arena, .figure = figure };
	char *bytes = NULL;
	size_t nr_bytes = 0;
	const char *text = NULL;

	script.out = open_memstream(&bytes, &nr_bytes);
	if (!script.out) {
		error_plain(err, "cannot write a plot script: %s", strerror(errno));
		return NULL;
	}
	put_prelude(&script, output, data);
	if (put_script(&script, plots_dir, err)) {
		fclose(script.out);
	} else if (fclose(script.out)) {
		error_plain(err, "cannot write a plot script: %s", strerror(errno));
	} else {
		text = arena_strndup(arena, bytes, nr_bytes);
	}
	free(bytes);
	return text;
}

static void put_estimates(FILE *out, const struct figure *figure, const struct figure_series *series, int row)
{
	for (int x = 0; x < figure->nr_x; x++) {
		const struct estimate *value = &series->values[x];

		fprintf(out, "%.9g", figure->x[x]);
		if (figure->kind == PLOT_HEATMAP)
			fprintf(out, " %d", row);
		if (value->n)
			fprintf(out, " %.9g %.9g %.9g %d\n", value->mean, value->low, value->high, value->n);
		else
			fputs(" NaN NaN NaN 0\n", out);
	}
	fputs("\n\n", out);
}

static void put_data(FILE *out, const struct figure *figure)
{
	bool heat = figure->kind == PLOT_HEATMAP;

	for (int i = 0; i < figure->nr_series; i++) {
		fprintf(out, "# %s: x%s, mean, low and high of the 95 %% interval, replications\n",
			figure->series[i].name, heat ? ", y" : "");
		put_estimates(out, figure, &figure->series[i], i);
	}
	for (int i = 0; i < figure->nr_published; i++) {
		const struct figure_published *published = &figure->published[i];

		fprintf(out, "# %s: x, value\n", published->name);
		for (int row = 0; row < published->nr; row++)
			fprintf(out, "%.9g %.9g\n", published->x[row], published->y[row]);
		fputs("\n\n", out);
	}
}

const char *script_data(struct arena *arena, const struct figure *figure)
{
	char *bytes = NULL;
	size_t nr_bytes = 0;
	const char *text;
	FILE *out = open_memstream(&bytes, &nr_bytes);

	if (!out)
		return "";
	put_data(out, figure);
	fclose(out);
	text = arena_strndup(arena, bytes ? bytes : "", nr_bytes);
	free(bytes);
	return text;
}
