/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A result set as a table for people or programs: each variant's mean over replications, and its paired change against
 * the baseline.
 *
 * Several machines make one block each (a column in CSV, a member in JSON), several metrics likewise; every swept key
 * is a leading column. A point at which every run failed is shown as "failed", a metric that the
 * runs there do not have as "-".
 */
#ifndef CONTEND_IO_TABLE_H
#define CONTEND_IO_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/stats/results.h"
#include "sim/util/error.h"

enum table_format {
	TABLE_TEXT, /* a terminal: means, half widths, changes, intervals, where a variant loses */
	TABLE_COVER_LETTER, /* the layout of tables in patch cover letters on linux-mm */
	TABLE_MMTESTS, /* the layout of mmtests' compare-kernels.sh */
	TABLE_DELTA, /* a box per variant and point, a row per metric: variation and change */
	TABLE_FASTPATH, /* the layout of Arm's fastpath: what the baseline takes, how much faster the variants are */
	TABLE_MARKDOWN,
	TABLE_CSV, /* one line per variant and point */
	TABLE_JSON, /* an array with one object per point */
};

struct table_metric {
	int index; /* into results->metrics */
	bool lower_is_better; /* a decrease is then no loss */
};

/* A point as fastpath names one. */
struct table_point {
	const char *benchmark; /* "contend/vmalloc" */
	const char *name; /* "fix_size_alloc_test: p:1, h:0, l:500000"; may be "" */
};

struct table_options {
	enum table_format format;
	int baseline; /* index into results->variants; -1: the result set's own */
	const struct table_metric *
		metrics; /* nr_metrics of them; none: throughput, or in delta and fastpath real, user and sys if there */
	int nr_metrics;
	const struct table_point *points; /* fastpath: of every point; NULL: named by the experiment and the axes */
	bool why; /* text, markdown: a second table that says why; CSV, JSON: its metrics as further rows */
};

/*
 * "text", "cover-letter", "mmtests", "delta", "fastpath", "markdown", "csv" or "json";
 * the message for any other name lists these.
 */
int table_format_parse(const char *name, enum table_format *out, struct error *err);

/* Write the table. Fails when the baseline, a metric or (by default) throughput is not in results, or the stream does. */
int table_write(FILE *out, const struct results *results, const struct table_options *options, struct error *err);

#endif
