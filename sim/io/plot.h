/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Figures of a result set, drawn by gnuplot with the scripts in plots/.
 *
 * One figure shows one metric on one machine: its values with 95 % confidence
 * bands, its change against the baseline in percent, or that change over two
 * swept values as a heat map. Files appear whole or not at all.
 *
 * Along x are threads, if they are swept, else numbers, else names; of two such
 * keys the one with more values, and of those the last one. A second key makes a
 * line per variant and value where it has numbers, a panel per value where it has
 * names. Names along x are points with bars, on a logarithmic scale when they lie
 * far apart. Where nothing is swept the variants stand along x. Other keys must
 * have one value.
 */
#ifndef CONTEND_IO_PLOT_H
#define CONTEND_IO_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/stats/published.h"
#include "sim/stats/results.h"
#include "sim/util/arena.h"
#include "sim/util/error.h"

enum plot_kind {
	PLOT_THROUGHPUT, /* the metric's values against the swept value */
	PLOT_CHANGE, /* in percent of the baseline variant */
	PLOT_HEATMAP, /* the change of one variant over two swept values */
};

enum plot_format { PLOT_SVG, PLOT_PNG, PLOT_PDF, PLOT_TEXT };

struct plot_options {
	enum plot_kind kind;
	int machine, metric; /* indices of the result set */
	int variant; /* PLOT_HEATMAP: which one; -1 is the first that is not the baseline */
	bool log; /* PLOT_THROUGHPUT: values on a logarithmic scale */
	const struct published *published; /* drawn on top where its axis and metric are those of the figure; or NULL */
	const char *plots_dir; /* where the tracked scripts are */
	int text_columns, text_rows; /* PLOT_TEXT: 0 is 79 x 24 */
	bool text_color; /* PLOT_TEXT: ANSI colours */
};

/* The format that a path's ending names (.svg, .png, .pdf, .txt). Fails on any other, and says which there are. */
int plot_format_of(const char *path, enum plot_format *format, struct error *err);

/*
 * Draw one figure into a file, in the format of its ending. Fails when gnuplot is missing, when the result set has no
 * such figure (no or too many swept values, no variant but the baseline, no value at all) or when the file cannot be
 * written.
 */
int plot_draw(const struct results *results, const struct plot_options *options, const char *path, struct error *err);

/* The same as text into an open stream, for a terminal. */
int plot_draw_text(const struct results *results, const struct plot_options *options, FILE *out, struct error *err);

/* A chart over named values. */
struct plot_chart {
	const char *title, *x_title; /* the title says what is up */
	int nr_x;
	const char *const *x_names;
	int nr_series; /* bars of one, lines of several: the first so many of the figure's */
	const double *values; /* nr_x of each series; NAN: none */
	bool y_log;
};

/* Charts side by side, with at least one value each. */
struct plot_charts {
	const char *title, *subtitle;
	const char *const *series_names;
	int nr_series;
	const struct plot_chart *list;
	int nr_charts;
};

/* Draw charts into a file, in the format of its ending: any but text. Fails as plot_draw does. */
int plot_draw_charts(const struct plot_charts *charts, const char *plots_dir, const char *path, struct error *err);

/* What plot_all wrote: paths of the pictures, in arena. */
struct plot_list {
	const char **paths;
	int nr_paths;
};

/*
 * Draw every figure that makes sense for the result set into directory: for each machine the values and, when there is
 * a variant beside the baseline, the change; with two swept keys a heat map per variant too. Each NAME.svg has beside
 * it NAME.dat, its numbers, and NAME.gp, which redraws it (`gnuplot NAME.gp` in that directory). kind, machine and
 * variant of options are not read; published is used when there is one machine. A figure that has nothing to show is
 * left out, so that none at all is no error. The list is right even on failure.
 */
int plot_all(struct arena *arena, const struct results *results, const struct plot_options *options,
	     const char *directory, struct plot_list *drawn, struct error *err);

#endif
