/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The results of one experiment in memory: what `run` produces, samples.csv
 * and result.json store, and compare, plot and reproduce read.
 *
 * Values are one dense array over (machine, variant, point, replication,
 * metric). A point is one combination of the swept values, last axis fastest.
 * A run that failed or was not made (because of an error, because the point has
 * enough replications, or because another shard makes it) is NAN in all its metrics. Everything
 * belongs to the arena.
 */
#ifndef CONTEND_STATS_RESULTS_H
#define CONTEND_STATS_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/util/arena.h"
#include "sim/util/error.h"

#define RESULTS_MAX_AXES 4

/* A swept key with its values as the user wrote them; value_numbers are NAN where a value is no number. */
struct axis {
	const char *key; /* "threads", "machine.transfer.socket_ns" */
	const char **values;
	double *value_numbers;
	int nr_values;
};

struct metric {
	const char *name; /* "throughput" */
	const char *unit; /* "ops/s" */
};

/* Where the sweep over threads crosses into another part of a machine: between `before` and `before + 1` threads. */
struct boundary {
	int machine; /* index into machines */
	int before; /* threads that still fit without crossing */
	const char *label; /* "Cross cluster", "Cross socket NUMA", "SMT": the seed's own words where it has some */
	bool minor; /* repeats of a kind already marked (2nd, 3rd cluster): drawn thin or not at all */
};

struct results {
	struct arena *arena;
	const char *experiment; /* file name without .yaml */
	const char *title;
	const char *version; /* of contend */
	const char *config_hash; /* hex, over the resolved configuration */
	const char *config_text; /* the resolved configuration as YAML text */
	const char *engine;
	const char *published; /* path of the published table, or NULL */
	uint64_t seed;
	const char **machines;
	int nr_machines;
	const char **variants;
	int nr_variants;
	int baseline; /* index into variants */
	struct axis axes[RESULTS_MAX_AXES];
	int nr_axes; /* 0: one point */
	struct metric *metrics;
	int nr_metrics;
	struct boundary *boundaries;
	int nr_boundaries;
	int nr_replications; /* of every point; the most of any when adaptive */
	int min_replications; /* adaptive: the fewest */
	uint64_t until_ppm; /* adaptive: when a point has enough (replications.h); 0: not adaptive */
	int shard, nr_shards; /* this is shard 1..nr_shards of a sweep; 0 of 0: the whole */
	double *values;
};

/* Product of the axes' lengths; 1 when there is none. */
int results_nr_points(const struct results *results);

/* Index into axes[axis].values of a point. */
int results_axis_index(const struct results *results, int point, int axis);

/* The axis named key, or -1. */
int results_find_axis(const struct results *results, const char *key);

/* The metric named name, or -1. */
int results_find_metric(const struct results *results, const char *name);

/* Allocate values (all NAN) once the other fields are set. */
void results_allocate(struct results *results);

/* The place of one value. */
double *results_at(const struct results *results, int machine, int variant, int point, int replication, int metric);

/* Whether a run has a value of any metric. */
bool results_has_run(const struct results *results, int machine, int variant, int point, int replication);

/* How many replications of a (machine, variant, point) have a value. */
int results_nr_done(const struct results *results, int machine, int variant, int point);

/* What two result sets differ in that keeps them from being parts of one sweep ("configuration"), or NULL. */
const char *results_difference(const struct results *a, const struct results *b);

/* How many numbers values has. */
size_t results_nr_values(const struct results *results);

/* A whole text as a finite decimal number, or NAN when it is none: how value_numbers come from values. */
double results_number(const char *text);

#endif
