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
#include "models/registry.h"
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
	int *cpus; /* placement: the CPU of each worker */
	int nr_threads;
	uint32_t page_node; /* home node of the contended lines */
	struct run_length length;
	enum engine_kind engine;
	struct engine_spare *spare; /* of a process that makes many runs, or NULL */
};

/* Names and units of every metric that any run reports, in the order of run_metrics.values. NR_METRICS of them. */
enum run_metric {
	METRIC_THROUGHPUT, /* operations per second, all workers */
	METRIC_LATENCY, /* ns per operation and worker */
	METRIC_CAS_FAILURES, /* failed compare-and-swaps per operation */
	METRIC_GET_FAILURES, /* try_get refused (frozen or dead folio) per operation */
	METRIC_TRANSACTIONS, /* line transactions per operation */
	METRIC_TRANSACTIONS_CORE, /* ... by distance of the transfer */
	METRIC_TRANSACTIONS_CLUSTER,
	METRIC_TRANSACTIONS_SOCKET,
	METRIC_TRANSACTIONS_REMOTE,
	METRIC_INVALIDATIONS, /* copies invalidated per operation */
	METRIC_LINE_WAIT_PCT, /* share of the workers' time spent waiting for a line */
	METRIC_SLEEPS, /* sleeps on the folio lock per operation */
	METRIC_SLOWEST_THREAD, /* operations per second of the slowest worker */
	METRIC_FASTEST_THREAD,
	NR_METRICS,
};

struct run_metric_info {
	const char *name; /* "throughput", "cas_failures", ... */
	const char *unit; /* "ops/s", "per op", "%", "ns" */
	const char *help;
	bool lower_is_better;
};

extern const struct run_metric_info run_metric_infos[NR_METRICS];

/* Run replication `replication` (the random streams are those of seed + replication). -1 with err on failure. */
int run_execute(const struct run_config *config, int replication, double metrics[NR_METRICS], struct error *err);

#endif
