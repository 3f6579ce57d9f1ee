/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the formats of a table share. Private to sim/io/table*.c. */
#ifndef CONTEND_IO_TABLE_PARTS_H
#define CONTEND_IO_TABLE_PARTS_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/io/grid.h"
#include "sim/io/table.h"
#include "sim/stats/estimate.h"
#include "sim/stats/replications.h"
#include "sim/stats/results.h"
#include "sim/util/arena.h"

/* One block of a table: one metric on one machine. */
struct table_view {
	struct arena *arena; /* for what is put together on the way */
	const struct results *results; /* its baseline is the one asked for */
	int machine;
	struct table_metric metric;
	bool why;
};

/* The formats. Text and Markdown differ in style alone. */
void table_text(const struct table_view *view, enum grid_style style, FILE *out);
void table_cover_letter(const struct table_view *view, FILE *out);
void table_mmtests(const struct table_view *view, FILE *out);
void table_delta(const struct results *results, const struct table_options *options, FILE *out);
void table_fastpath(const struct results *results, const struct table_options *options, FILE *out);
void table_csv(const struct results *results, const struct table_options *options, FILE *out);
void table_json(const struct results *results, const struct table_options *options, FILE *out);

/*
 * The metrics of a table that is about times first, unless it asks for any: what a piece of work takes.
 * Returns how many there are; may be none.
 */
#define TABLE_MAX_TIMES 3
int table_times(const struct results *results, struct table_metric metrics[TABLE_MAX_TIMES]);

/* A metric that says why. */
struct why_metric {
	const char *name; /* NULL ends a group */
	const char *title;
	int decimals;
};

/* Metrics that stand in one block, in the order of their columns. */
struct why_group {
	const char *explains; /* what the columns are; NULL ends the list */
	const struct why_metric *metrics;
};

#define WHY_GROUP_MAX 16 /* metrics of one group */

extern const struct why_group table_why_groups[];

const char *view_metric_name(const struct table_view *view);
const char *view_metric_unit(const struct table_view *view);
const char *view_baseline(const struct table_view *view);
struct estimate view_mean(const struct table_view *view, int variant, int point);
/* What stands for a mean that is none: "failed" when no run ended there, "-" when the runs have no such number. */
const char *view_nothing(const struct table_view *view, int variant, int point);

struct estimate view_change(const struct table_view *view, int variant, int point);

/* How a person calls an axis: the last part of its key, the whole key where that part is ambiguous. */
const char *axis_label(const struct results *results, int axis);

/* The value of an axis at a point, as the user wrote it. */
const char *axis_value(const struct results *results, int point, int axis);

/* "threads 10, remote_ns 140"; "this point" without axes. */
const char *point_name(const struct table_view *view, int point);

/* "10 replications" or, adaptive, "5 to 23 replications (95 % intervals within 1 %, at most 50)". */
const char *replications_text(struct arena *arena, const struct results *results, int machine);

/* "change (%)" or, among several variants, "patched (%)"; `word` stands for "change". */
const char *change_title(const struct table_view *view, int variant, const char *word);

/* Put the boundaries that lie between a point and the one before it into the grid. */
void grid_boundaries(struct grid *grid, const struct table_view *view, int point);

/* "+12.3", "-0.4", "0.0", or "-" when there is none. */
const char *signed_text(struct arena *arena, double number);

/* Digits after the point that give every mean of the block four significant ones; none for operations per second. */
int view_decimals(const struct table_view *view);

/*
 * Those of one row, of a block with `decimals`:
 * three digits also of few operations per second, as rows may be tests of different kinds.
 */
int view_row_decimals(const struct table_view *view, int point, int decimals);

#endif
