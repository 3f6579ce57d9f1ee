/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What fills a figure, step by step. Private to sim/io/plot_*.c. */
#ifndef CONTEND_IO_PLOT_DRAFT_H
#define CONTEND_IO_PLOT_DRAFT_H

#include "sim/io/plot_figure.h"

#define LOG_SPAN \
	30.0 /* a range wider than this is drawn on a logarithmic scale: of numbers along x, of tests along y */

/* The swept keys that a figure is drawn over. x is -1 when there is none, and the variants stand along x; second is -1 unless there are two. */
struct span {
	int x, second;
};

struct draft {
	struct arena *arena;
	const struct results *results;
	const struct plot_options *options;
	struct figure *figure;
	struct span span;
	int *x_order; /* indices of the x axis, ascending by value */
	int nr_seconds; /* values of the second key that are drawn */
};

/* The width of a plot, or of one of its panels, and what a label's character and a gap take: in pixels or terminal columns. */
struct ruler {
	double plot, character, gap, line_gap;
};

struct ruler ruler_of(const struct figure *figure);

/* Where x is, from 0 at the left end of the plot to 1. */
double figure_fraction(const struct figure *figure, double x);

/* ---- plot_span.c ---- */

bool axis_is_numeric(const struct axis *axis);

/*
 * Choose the keys. Along x are threads, else numbers, else names; of two keys alike the one with more values, and of
 * those the one that the sweep lists last, whose values change fastest. Fails when more than two have several values.
 */
int span_find(const struct results *results, struct span *span, struct error *err);

/* Indices of an axis by value: names stay in the user's order, numbers are sorted. */
int *axis_order(struct arena *arena, const struct axis *axis);

/* The point of the results at position x of the figure and value index `second` of the second key. */
int draft_point(const struct draft *draft, int x, int second);

/* ---- plot_series.c ---- */

/* Lines, or points of named values, with their boundaries and published points; the x axis is there already. */
void draft_lines(struct draft *draft);

/* The cells of a heat map. Fails unless two keys are swept. */
int draft_rows(struct draft *draft, struct error *err);

/* Whether the second key has a panel for each value: names, which are often things of different kinds. */
bool draft_has_panels(const struct draft *draft);

/* The variant that a heat map shows. */
int draft_heat_variant(const struct draft *draft);

/* ---- plot_ticks.c ---- */

/* Texts (nr_x of them) for the places along x: as many as find room. Names that do not fit side by side are slanted. */
void figure_set_ticks(struct arena *arena, struct figure *figure, const char *const *texts);

/* ---- plot_words.c ---- */

/* Titles; everything else is there already. */
void draft_words(struct draft *draft);

#endif
