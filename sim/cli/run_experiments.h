/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `run` and `replay` have in common once they know their experiments: the options for how to run and what to show,
 * and running, writing and showing.
 */
#ifndef CONTEND_CLI_RUN_EXPERIMENTS_H
#define CONTEND_CLI_RUN_EXPERIMENTS_H

#include <argp.h>
#include <stdbool.h>

#include "models/config.h"
#include "sim/cli/options.h"
#include "sim/cli/shard.h"

struct run_request {
	struct arena *arena; /* set by the caller, as run.arena */
	struct run_options run;
	struct show_options show;
	bool resume;
	bool shard_given; /* otherwise the environment says */
	struct shard shard;
};

/* As a child of a command's parser. Input: struct run_request. */
extern const struct argp run_request_argp;

/*
 * Simulate all, print a table each and write results and figures: of one experiment into -o or results/NAME, of several
 * into folders of their names there. Prints errors; returns an exit status.
 */
int run_experiments(struct run_request *request, const struct experiment *const *experiments, int nr_experiments);

#endif
