/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A workload: what every worker CPU loops on. One file each.
 */
#ifndef CONTEND_WORKLOADS_WORKLOAD_H
#define CONTEND_WORKLOADS_WORKLOAD_H

#include <stdint.h>

#include "models/hardware/cpu.h"
#include "models/kernel/policy.h"
#include "sim/util/arena.h"
#include "sim/util/error.h"
#include "sim/util/param.h"

/* What a workload is built on. Valid for the whole run. */
struct workload_site {
	struct arena *arena;
	const struct machine *machine;
	struct engine *engine;
	const struct policy_choice *policies; /* by enum policy_axis */
	int home_node; /* node of the contended lines */
	uint64_t seed;
};

struct workload {
	const char *name;
	const char *summary;
	const struct param *params; /* never NULL */
	size_t params_size;

	/* What the table cannot check; NULL when there is nothing. Fills err and returns -1 on a bad combination. */
	int (*check)(const void *params, struct error *err);

	/* Once, before any actor runs: build lines and folios in the site's arena. Returns the state of the workload. */
	void *(*create)(const struct workload_site *site, const void *params);

	/* One operation of one worker, called in a loop on the worker's actor; blocks through the cpu and line verbs. */
	void (*operation)(void *state, struct cpu *cpu);
};

#endif
