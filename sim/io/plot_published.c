/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points of a published table on top of a figure. */
#include "sim/io/plot_figure.h"

#include "sim/io/plot_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_COLUMNS 26
#define MAX_NAMED \
	3 /* with more series, one entry of the key speaks for all: shape and colour tell whose points they are */

static int find_column(const struct published *published, const char *variant)
{
	for (int column = 0; column < published->nr_columns; column++)
		if (!strcmp(published->columns[column], variant))
			return column;
	return -1;
}

static bool fits(const struct figure *figure, const struct published *published, const char *metric)
{
	const bool levels = published && published->kind == PUBLISHED_LEVEL && published->metric;

	return levels && !figure->x_named && !strcmp(published->axis, figure->x_key) &&
	       !strcmp(published->metric, metric);
}

/* One value of the table; in percent of the base column when there is one (>= 0). NAN where the table has none. */
static double value_at(const struct published *published, int row, int column, int base)
{
	const double *values = &published->values[row * published->nr_columns];

	return base < 0 ? values[column] : 100 * (values[column] / values[base] - 1);
}

/* Rows that are not numbers, lie outside of the figure or have no value are left out. */
static void add_points(const struct figure *figure, const struct published *published, int column, int base,
		       struct figure_published *out)
{
	for (int row = 0; row < published->nr_rows; row++) {
		char *end;
		double x = strtod(published->rows[row], &end);
		double y = value_at(published, row, column, base);

		if (*end || x < figure->x_min || x > figure->x_max || !isfinite(y))
			continue;
		out->x[out->nr] = x;
		out->y[out->nr++] = y;
	}
}

/* The entry in the key of points number i; "" is none. */
static const char *name_of(struct arena *arena, const struct figure *figure, const char *variant, int i)
{
	if (figure->nr_series <= MAX_NAMED)
		return arena_printf(arena, "%s, published", plot_clean(arena, variant, NAME_MAX_COLUMNS));
	return i ? "" : "published: hollow shapes";
}

void figure_set_published(struct arena *arena, struct figure *figure, const struct results *results,
			  const struct plot_options *options)
{
	const struct published *published = options->published;
	int base = -1;

	if (!fits(figure, published, results->metrics[options->metric].name))
		return;
	/* a terminal has no hollow shapes, and no room for the letters of so many */
	if (figure->format == PLOT_TEXT && figure->nr_series > MAX_NAMED)
		return;
	if (figure->kind == PLOT_CHANGE) {
		base = find_column(published, results->variants[results->baseline]);
		if (base < 0)
			return;
	}
	figure->published = arena_calloc(arena, (size_t)figure->nr_series, sizeof(*figure->published));
	for (int i = 0; i < figure->nr_series; i++) {
		const char *variant = results->variants[figure->series[i].variant];
		int column = find_column(published, variant);
		struct figure_published *out = &figure->published[figure->nr_published];

		if (column < 0)
			continue;
		out->x = arena_calloc(arena, (size_t)published->nr_rows, sizeof(*out->x));
		out->y = arena_calloc(arena, (size_t)published->nr_rows, sizeof(*out->y));
		out->of = i + 1;
		out->name = name_of(arena, figure, variant, figure->nr_published);
		add_points(figure, published, column, base, out);
		figure->nr_published += out->nr > 0;
	}
}
