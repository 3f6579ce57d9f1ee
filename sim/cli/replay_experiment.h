/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The experiment that `contend replay` stands for: one trace, one machine, variants, no file of its own.
 */
#ifndef CONTEND_CLI_REPLAY_EXPERIMENT_H
#define CONTEND_CLI_REPLAY_EXPERIMENT_H

#include "models/config.h"

struct replay_request {
	struct arena *arena;
	const char *trace; /* path */
	const char *machine; /* name or path */
	const char *zoneinfo; /* path, or NULL */
	const char *pace;
	int copies;
	/* Each "FILE.yaml", an overlay as of a variant in an experiment, or "NAME={...}"; the first is the baseline. */
	const char **variants;
	int nr_variants;
	const char *const *sets; /* of --set and --overlay, as for experiment_load */
	int nr_sets;
};

/*
 * Named as the trace, without its extensions, and "-replay". As many threads as CPUs were recorded, times copies; as
 * many as fit evenly on a machine with fewer CPUs, which folds the trace. NULL with err when something of it is wrong, the
 * trace included.
 */
struct experiment *replay_experiment(const struct replay_request *request, struct error *err);

#endif
