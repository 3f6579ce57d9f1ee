/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All runs of one or more experiments in one pool of workers.
 *
 * A part is one experiment under one overlay (a prior's bound, or none) with
 * a result set of its own. Runs start longest first over all parts, so that
 * every worker stays busy to the end; the results do not depend on the order.
 */
#ifndef CONTEND_CLI_SWEEP_H
#define CONTEND_CLI_SWEEP_H

#include <stdbool.h>

#include "models/config.h"
#include "sim/cli/options.h"
#include "sim/cli/progress.h"

struct sweep_part {
	const struct experiment *experiment;
	const struct yaml_node *overlay; /* NULL: the experiment as it stands */
	struct results *results; /* filled by sweep_execute; NAN where a run failed or was not made */
	int nr_replications; /* may be fewer than results has */
	int nr_failed;
	int nr_done;
};

/* One run of a part. */
struct sweep_run {
	int part;
	int machine, variant, point, replication;
	int nr_threads;
	double work; /* what it will take, in any unit */
};

struct sweep {
	struct arena *arena;
	struct sweep_part *parts;
	int nr_parts, max_parts;
	struct sweep_run *runs;
	int nr_runs, max_runs;
	enum engine_kind engine;
	struct progress progress;
};

struct sweep *sweep_create(struct arena *arena, enum engine_kind engine);

/* Add a part; nr_replications 0 means all of the experiment. Returns its index, or -1 with err. */
int sweep_add(struct sweep *sweep, const struct experiment *experiment, const struct yaml_node *overlay,
	      int nr_replications, struct error *err);

/*
 * Make all runs. Each failed run is reported on stderr with what it was. Returns STATUS_FINE, STATUS_FAILED when a run
 * failed, or STATUS_INTERRUPTED; what was finished is in the parts' results in every case.
 */
int sweep_execute(struct sweep *sweep, const struct run_options *options);

#endif
