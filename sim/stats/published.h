/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A published table: numbers somebody measured on hardware, copied as data with their source.
 *
 *	# source: <mail, table>            repeated lines are joined
 *	# unit: ops/s
 *	# metric: throughput
 *	# axis: threads
 *	threads,vanilla,patched
 *	1,1343381,1344401
 *
 * Columns after the first are variant names. `# axis: metric` makes each row a metric of its own (real, user, sys), of an
 * experiment of one point, and takes the place of `metric`. Another line, `# kind: ...`, says what the numbers are:
 *
 *	level        measured values, in `unit`: where nothing is said
 *	index        values over those of one column, `# base: NAME`, which is 100 in every row
 *	change_pct   changes against the experiment's baseline in percent. A last column `variation`, if there is one, has
 *	             the standard deviation that was published with the row, in percent of the mean.
 *
 * Scored against a result set: over a table of levels the RMS of log(simulated / published) on cells that were not used
 * to set a parameter; over any the mean absolute error of the change against the baseline in points, and the rows whose
 * sign is right.
 */
#ifndef CONTEND_STATS_PUBLISHED_H
#define CONTEND_STATS_PUBLISHED_H

#include "sim/stats/estimate.h"
#include "sim/stats/results.h"
#include "sim/util/arena.h"
#include "sim/util/error.h"

/*
 * A row whose published change is below this is not counted for its sign: design point of the issue, 1 %. Neither is one
 * that its published variation exceeds.
 */
#define PUBLISHED_SIGN_THRESHOLD_PCT 1.0

enum published_kind {
	PUBLISHED_LEVEL,
	PUBLISHED_INDEX,
	PUBLISHED_CHANGE_PCT,
};

struct published {
	const char *path;
	const char *source;
	enum published_kind kind;
	const char *unit; /* "index" and "%" where no level has one */
	const char *base; /* index: the column that is 100; else NULL */
	const char *metric; /* NULL: each row has its own */
	const char *axis;
	const char **columns;
	int nr_columns;
	const char **rows; /* the axis values as written */
	int nr_rows;
	double *values; /* nr_rows x nr_columns, NAN where a cell is empty */
	double *variations; /* by row, in percent; NAN where none was published */
	bool *used; /* same shape as values: cell set a parameter and is never scored */
};

/* Read a table. Errors have file:line:column. */
struct published *published_load(struct arena *arena, const char *path, struct error *err);

/* Mark "ROW/COLUMN" as used; fails when there is no such cell. */
int published_mark_used(struct published *published, const char *cell, struct error *err);

/* The point of results that a row of the table is, or -1 when there is none or the axis is not swept. */
int published_point(const struct published *published, const struct results *results, int row);

/* A cell's change against the baseline in percent; NAN where there is none: in the baseline's own column. */
struct cell_change {
	double published;
	double variation; /* that was published with it; NAN without */
	struct estimate simulated; /* paired over replications */
	double band_low, band_high; /* over the stated priors; NAN when there is no band */
};

struct cell_score {
	int row, column; /* of the published table */
	double published;
	struct estimate simulated; /* in the table's unit; NAN mean when the result set lacks it */
	double band_low, band_high; /* as above */
	struct cell_change change; /* of a table of changes: the cell once more */
	bool used;
};

struct score {
	double rms_log; /* NAN when no cell counts */
	double change_mae_points; /* NAN when no row counts */
	int signs_right, signs_counted;
	int nr_cells; /* in rms_log */
};

/*
 * Every cell in row order (nr_rows * nr_columns of them) into cells, and the score. Returns -1 when a column, a metric
 * or the axis is not in results, or when results has several machines or sweeps another key too.
 */
int published_score(const struct published *published, const struct results *results, struct cell_score *cells,
		    struct score *score, struct error *err);

#endif
