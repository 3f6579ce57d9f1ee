/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A workload: what every worker CPU loops on.
 */
#ifndef CONTEND_WORKLOADS_WORKLOAD_H
#define CONTEND_WORKLOADS_WORKLOAD_H

#include "sim/util/error.h"
#include "sim/util/param.h"

struct run;
struct cpu;

struct workload {
	const char *name;
	const char *summary;
	const struct param *params; /* never NULL */
	size_t params_size;

	/* What the tables cannot check; NULL when there is nothing. Fills err and returns -1 on a bad combination. */
	int (*check)(const void *params, struct error *err);

	/* Once, before any actor runs: build lines and folios in the run's arena. Returns the state of the workload. */
	void *(*create)(struct run *run, const void *params);

	/* One operation of one worker. Called in a loop on the worker's actor; blocks through the cpu verbs. */
	void (*operation)(void *state, struct cpu *cpu);
};

#endif
