/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which run of a sweep is made next.
 *
 * A cell is one (part, machine, variant, point); its runs differ in replication alone. The cells of one (part, machine,
 * point), one per variant, are a point: they get the same number of replications.
 *
 * 1. One run of each cell, those first that look longest: threads x simulated time.
 * 2. The others, those first that took longest, by the times of the cell's own runs. So the short ones are left for the
 *    end, and every worker is busy until it.
 * 3. Adaptive replications: a point gets the fewest first, and as its runs are over either has enough or gets more
 *    (replications.h). A worker that has nothing else to do makes runs that a point may come to need; what it turns out
 *    not to need is dropped. Which runs count in the end depends on values alone.
 */
#ifndef CONTEND_CLI_SCHEDULE_H
#define CONTEND_CLI_SCHEDULE_H

#include <stdbool.h>

#include "sim/stats/results.h"
#include "sim/util/arena.h"

enum run_state {
	RUN_WAITING,
	RUN_STARTED,
	RUN_DONE,
	RUN_FAILED,
	RUN_FAILED_EARLY, /* before it was known to be needed: made again if it is */
	RUN_ELSEWHERE, /* by another shard */
};

struct schedule_cell {
	int point; /* index into points */
	int variant;
	double work; /* what a run looks like, in any unit */
	double measured_s; /* of nr_measured runs */
	int nr_measured;
	int first_run; /* index into states */
	int next; /* no replication before it waits */
	bool queued;
	double queued_s; /* what it was estimated at when it was put into the queue */
};

struct schedule_point {
	/* what the caller says */
	const struct results *results; /* where values of runs are put; read when the point is judged */
	int part, machine, point;
	int least, most; /* replications; the same: not adaptive */
	/* what follows */
	int first_cell, nr_cells; /* by variant */
	int wanted; /* known to be needed */
	int judged; /* so many replications are not enough; 0: nobody has looked */
	bool decided; /* wanted will not grow */
};

struct schedule {
	struct arena *arena;
	struct schedule_cell *cells;
	int nr_cells, max_cells;
	struct schedule_point *points;
	int nr_points, max_points;
	unsigned char *states; /* enum run_state of every run */
	int nr_runs;
	int *order; /* of cells, longest looking first */
	int nr_ordered; /* that had their first run */
	int *queue; /* a heap of cells with waiting runs, longest first, once all are ordered */
	int nr_queued;
	int nr_open; /* runs known to be needed and not over */
	double measured_work, measured_s; /* over all cells */
};

/* A cell or a point, by what a run of it looks like. */
struct by_work {
	double work;
	int index;
};

/* Most work first; of equal ones the lower index. */
void schedule_sort(struct by_work *items, int nr);

struct schedule *schedule_create(struct arena *arena);

/* Add a point with a cell per variant of its results. Returns its first cell; the caller sets the work of each. */
int schedule_add_point(struct schedule *schedule, const struct schedule_point *said);

/*
 * When all points are there, in this order: make the states of all runs; set the state of runs that were made before
 * (DONE, their values are in results) or are made elsewhere (of an adaptive point all of them); judge what is there.
 */
void schedule_make_runs(struct schedule *schedule);
void schedule_set(struct schedule *schedule, int cell, int replication, enum run_state state);
void schedule_start(struct schedule *schedule);

/* The cell and the replication of a run. */
const struct schedule_cell *schedule_cell_of(const struct schedule *schedule, int run, int *replication);

/* The next run, which counts as started from then on; or WORKERS_NONE or WORKERS_END (workers.h). */
int schedule_next(struct schedule *schedule);

/*
 * A started run is over; values of one that succeeded, which took so many seconds, are in results. Returns whether it
 * is known to be needed: a failure of one that is not is nobody's business yet.
 */
bool schedule_over(struct schedule *schedule, int run, bool failed, double seconds);

/* Runs known to be needed, how many of these are done, and how many failed; part -1: of all parts. */
struct schedule_count {
	int needed, done, failed;
};
struct schedule_count schedule_count(const struct schedule *schedule, int part);

/* Seconds that one worker would take for what is left of them; 0 until something was measured. */
double schedule_left_s(const struct schedule *schedule);

#endif
