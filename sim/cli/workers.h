/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A pool of worker processes: every job runs in a forked child of its own and
 * sends its numbers back through a pipe, so a crash, an abort or an error
 * loses one job and nothing else.
 *
 * Jobs start in the order of their index, nr_workers at a time. What the
 * parent makes of the answers must not depend on the order in which they come.
 *
 * SIGINT and SIGTERM stop the children and end the pool; children die with
 * the parent. The pool is single-threaded and keeps no state between calls.
 */
#ifndef CONTEND_CLI_WORKERS_H
#define CONTEND_CLI_WORKERS_H

#include <stdbool.h>

#include "sim/util/error.h"

#define WORKERS_MAX 1024
#define WORKERS_MAX_VALUES 64

struct workers {
	int nr_jobs;
	int nr_workers; /* 1 .. WORKERS_MAX */
	void *context;

	/* In the child. Fills values (room for WORKERS_MAX_VALUES) and returns 0, or fills err and returns -1. */
	int (*run)(void *context, int job, double *values, struct error *err);

	/* In the parent, once per finished job. failure is NULL, or says what happened ("killed by signal 11 ..."). */
	void (*done)(void *context, int job, const double *values, const char *failure);
};

/*
 * Run all jobs. Returns 0 when every job was done() (failed or not), the number of the signal when the pool was
 * interrupted, or -1 with err when a process or a pipe cannot be made.
 */
int workers_run(const struct workers *workers, struct error *err);

/* CPUs online that this process may use; at least 1. */
int workers_default_nr(void);

#endif
