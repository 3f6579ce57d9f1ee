/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A pool of worker processes that take jobs from the parent and send numbers
 * back, so a crash, an abort or an error loses one job and nothing else.
 *
 * A process does one job after the other: a fork with its page faults costs
 * milliseconds, a job number through a pipe microseconds. One that dies or
 * fails is replaced, one for which there is no job ends; after jobs_per_process
 * it is replaced, too.
 *
 * What the parent makes of the answers must not depend on the order in which
 * they come.
 *
 * SIGINT and SIGTERM stop the children (child.h) and end the pool. The pool
 * is single-threaded and keeps no state between calls.
 */
#ifndef CONTEND_CLI_WORKERS_H
#define CONTEND_CLI_WORKERS_H

#include <stdbool.h>

#include "sim/util/error.h"

#define WORKERS_MAX 1024
#define WORKERS_MAX_VALUES 64

/* Instead of a job. */
enum {
	WORKERS_NONE = -1, /* none now; perhaps when another is done */
	WORKERS_END = -2, /* none any more, and what still runs is not needed */
};

struct workers {
	int nr_jobs; /* jobs 0 .. nr_jobs - 1 in this order, when there is no next */
	int nr_workers; /* 1 .. WORKERS_MAX */
	int jobs_per_process; /* 0: no limit */
	void *context;

	/* In the parent, whenever a worker is free: the next job, WORKERS_NONE or WORKERS_END. May be NULL. */
	int (*next)(void *context);

	/* In the child. Fills values (room for WORKERS_MAX_VALUES) and returns 0, or fills err and returns -1. */
	int (*run)(void *context, int job, double *values, struct error *err);

	/* In the parent, once per finished job. failure is NULL, or says what happened ("killed by signal 11 ..."). */
	void (*done)(void *context, int job, const double *values, const char *failure);
};

/*
 * Run jobs until there is none any more. Returns 0 when every job was done() (failed or not) or not needed, the number of
 * the signal when the pool was interrupted, or -1 with err when a process or a pipe cannot be made.
 */
int workers_run(const struct workers *workers, struct error *err);

/* CPUs online that this process may use; at least 1. */
int workers_default_nr(void);

#endif
