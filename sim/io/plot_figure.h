/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a figure shows, worked out before any gnuplot is written: which swept
 * keys span it, its series, the boundaries with room for their labels, and
 * its words (clean and cut to the room they have, not yet quoted).
 */
#ifndef CONTEND_IO_PLOT_FIGURE_H
#define CONTEND_IO_PLOT_FIGURE_H

#include "sim/io/plot.h"
#include "sim/stats/estimate.h"

#define FIGURE_TITLE_LINES 3

/* One line, or one row of cells of a heat map. Numbers count from 1 and choose out of the lists in plots/common.gp. */
struct figure_series {
	const char *name;
	struct estimate *values; /* nr_x */
	int variant; /* of the result set; -1 for a row of a heat map */
	int color, point, dash;
};

/* Points of a published table on top of series number `of` (from 1). */
struct figure_published {
	const char *name;
	double *x, *y;
	int nr;
	int of;
};

/* A vertical line at x where the machine's topology changes; label NULL when it repeats one or finds no room. */
struct figure_boundary {
	double x;
	const char *label;
	double label_at; /* its centre, as a fraction of the plot's width */
	int row; /* of labels above the plot, from 0 at the bottom */
	bool minor;
};

struct figure {
	enum plot_kind kind;
	enum plot_format format;
	int text_columns, text_rows;
	bool text_color;
	const char *title_lines[FIGURE_TITLE_LINES];
	int nr_title_lines;
	const char *subtitle, *x_title, *y_title;
	const char *z_title; /* of a heat map's colours */
	double divisor; /* of the values as drawn: 1e6 when y_title says millions */
	bool bands;
	const char *x_key; /* the swept key along x; "variant" */
	int nr_x;
	double *x; /* ascending; 0, 1, 2... when x_named is set */
	bool x_named; /* no numbers, or a heat map: nothing lies between two of them */
	double x_min, x_max;
	bool x_log, y_log;
	int nr_ticks; /* labels along x: the values drawn, as far as there is room */
	double *tick_x;
	const char **tick_texts;
	bool ticks_slanted;
	int nr_panels,
		panel_columns; /* side by side; each has as many series, one after the other. 1 of 1: no panels */
	const char **panel_names; /* with several */
	int nr_series;
	struct figure_series *series;
	int nr_published;
	struct figure_published *published;
	int nr_boundaries, nr_boundary_rows;
	struct figure_boundary *boundaries;
};

/* Set the figure's boundaries from those of a machine; x and its range are there already. (plot_boundaries.c) */
void figure_set_boundaries(struct arena *arena, struct figure *figure, const struct results *results, int machine);

/* Set the points of options->published; the series are there already. (plot_published.c) */
void figure_set_published(struct arena *arena, struct figure *figure, const struct results *results,
			  const struct plot_options *options);

/* Fails as plot_draw does for reasons of the result set. */
struct figure *figure_create(struct arena *arena, const struct results *results, const struct plot_options *options,
			     enum plot_format format, struct error *err);

#endif
