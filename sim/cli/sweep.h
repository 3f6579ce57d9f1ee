/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All runs of one or more experiments in one pool of workers.
 *
 * A part is one experiment under one overlay (a prior's bound, or none) with
 * a result set of its own. schedule.h says in which order runs are made; the
 * results do not depend on it.
 */
#ifndef CONTEND_CLI_SWEEP_H
#define CONTEND_CLI_SWEEP_H

#include <stdbool.h>

#include "models/config.h"
#include "sim/cli/options.h"
#include "sim/cli/progress.h"
#include "sim/cli/schedule.h"
#include "sim/io/journal.h"

struct sweep_part {
	const struct experiment *experiment;
	const struct yaml_node *overlay; /* NULL: the experiment as it stands */
	/*
	 * Filled by sweep_execute; NAN where a run failed or was not made. Runs whose values are there already are not
	 * made. With shard and nr_shards set, only the runs of that shard are.
	 */
	struct results *results;
	struct journal *journal; /* to which finished runs are added; NULL: none */
	int nr_replications; /* of every point, instead of what results says; 0: that */
	bool brief; /* runs are a quarter as long as the experiment's */
	int nr_runs, nr_done; /* set by sweep_execute */
};

struct sweep {
	struct arena *arena;
	struct sweep_part *parts;
	int nr_parts, max_parts;
	struct schedule *schedule;
	enum engine_kind engine;
	struct engine_spare *spare; /* grows in each worker; nothing uses it in the parent */
	struct progress progress;
};

struct sweep *sweep_create(struct arena *arena, enum engine_kind engine);

#define SWEEP_BRIEF (-1)

/*
 * Add a part. nr_replications 0 means what the experiment says, SWEEP_BRIEF one run a quarter as long at each point,
 * with an eighth of its operations (but at least one where it asks for any). Returns its index, or -1 with err.
 */
int sweep_add(struct sweep *sweep, const struct experiment *experiment, const struct yaml_node *overlay,
	      int nr_replications, struct error *err);

/*
 * Make all runs. Each failed run is reported on stderr with what it was. Returns STATUS_FINE, STATUS_FAILED when a run
 * failed, or STATUS_INTERRUPTED; what was finished is in the parts' results in every case. To be called once.
 */
int sweep_execute(struct sweep *sweep, const struct run_options *options);

#endif
