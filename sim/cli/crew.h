/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Worker processes that stay: forked once, each takes one request after the
 * other and answers with a number. For batches of short jobs (fits) that are
 * all known beforehand; workers.h asks for each job when a process is free for
 * it, and replaces processes that die.
 *
 * Answers land at the index of their request, so what a caller makes of a
 * batch does not depend on the number of workers. A job that fails says why
 * in its answer. A worker that dies is an error of the batch: nothing is
 * known about the jobs that it would have made later. child.h says how workers
 * end.
 */
#ifndef CONTEND_CLI_CREW_H
#define CONTEND_CLI_CREW_H

#include <stddef.h>

#include "sim/util/arena.h"
#include "sim/util/error.h"

#define CREW_MAX_REQUEST_BYTES 4096

struct crew_answer {
	int failed; /* err says why, value is unset */
	double value;
	struct error err;
};

struct crew_job {
	size_t request_bytes; /* of one request; at most CREW_MAX_REQUEST_BYTES */
	void *context; /* as it was when the crew started */

	/* In a worker: 0 and *value, or -1 and err. */
	int (*work)(void *context, const void *request, double *value, struct error *err);
};

struct crew;

/* Fork nr_workers (at least 1) processes; fewer are no error as long as there is one. NULL with err when there is none. */
struct crew *crew_start(struct arena *arena, int nr_workers, const struct crew_job *job, struct error *err);

/*
 * Make nr requests (an array of request_bytes each), started in their order. Returns 0 when all were answered. When a
 * worker dies: -1, *culprit is the index of its request (-1: of none), and err says how it died.
 */
int crew_run(struct crew *crew, const void *requests, int nr, struct crew_answer *answers, int *culprit,
	     struct error *err);

/* End the workers. NULL is fine. */
void crew_stop(struct crew *crew);

#endif
