/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Run configurations for tests, from literal parts. */
#ifndef CONTEND_TESTS_RUN_SETUP_H
#define CONTEND_TESTS_RUN_SETUP_H

#include "models/run.h"
#include "sim/util/arena.h"

/*
 * A workload of the registry on a machine, workers by cores-first unless it is scheduled, default policies with default
 * parameters, the workload's with these ("key value key value ..."); 100 us of warm-up, 500 us measured, no least number of
 * operations.
 */
struct run_config run_setup(struct arena *arena, const struct machine_config *machine, const char *workload,
			    const char *params, int nr_threads);

/* Choose another policy, with its default parameters but for these. */
void run_setup_policy(struct arena *arena, struct run_config *config, enum policy_axis axis, const char *name,
		      const char *params);

/* Run it; an error, among them a page that is missing in the end, fails the test with its text. */
void run_measure(const struct run_config *config, double metrics[NR_METRICS]);

/* Fail the test unless a second run, and one on SimGrid, measure the same to the bit. */
void run_assert_repeatable(const struct run_config *config);

/* Place the workers by another order. */
void run_setup_placement(struct arena *arena, struct run_config *config, enum placement placement, int nr_threads);

/* Defaults of a table but for "key value key value ...", in the arena. */
void *param_setup(struct arena *arena, const struct param *table, size_t bytes, const char *values);

#endif
