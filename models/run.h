/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run: one machine, one workload, one choice of policies, one seed.
 *
 * run_execute builds the machine, starts one actor per worker CPU, runs past
 * the warm-up, measures, and returns the metrics. Everything it makes lives in
 * an arena of its own and is gone when it returns. One run at a time per
 * process (the SimGrid engine allows no more): the CLI forks.
 */
#ifndef CONTEND_MODELS_RUN_H
#define CONTEND_MODELS_RUN_H

#include <stdint.h>

#include "models/hardware/machine.h"
#include "models/kernel/kernel.h"
#include "models/registry.h"
#include "models/kernel/metric.h"
#include "sim/engine/engine.h"
#include "sim/util/error.h"
#include "sim/util/param.h"
#include "sim/util/units.h"

struct run_length {
	sim_ps warmup_ps;
	sim_ps duration_ps;
	uint32_t min_operations; /* per worker, on average: the run is prolonged until then */
	uint32_t replications; /* the most of them when adaptive */
	uint32_t min_replications; /* adaptive only */
	uint64_t
		until_ppm; /* adaptive: half the confidence interval's width over the mean; 0: `replications` everywhere */
	uint64_t seed;
};

extern const struct param run_length_params[]; /* keys warmup, duration, min_operations, replications, seed */
extern const struct param run_replication_params[]; /* of `replications` as a mapping: keys min, max, until */

struct run_config {
	struct machine_config machine;
	const struct workload *workload;
	const void *workload_params;
	struct policy_choice policies[NR_POLICY_AXES]; /* registry.h: one per axis */
	struct kernel_config kernel;
	int *cpus; /* the CPU of each worker; of a scheduled workload every CPU of the machine */
	int nr_threads;
	uint32_t page_node; /* home node of the contended lines */
	struct run_length length;
	enum engine_kind engine;
	struct engine_spare *spare; /* of a process that makes many runs, or NULL */
};

/* Run replication `replication` (the random streams are those of seed + replication). -1 with err on failure. */
int run_execute(const struct run_config *config, int replication, double metrics[NR_METRICS], struct error *err);

#endif
