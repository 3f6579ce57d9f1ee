/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a model asks of the engine, recorded, and asked again without the
 * model: what the engine costs in a run, and by difference what the model
 * does. A step's requests depend on nothing but the steps before it and every
 * engine runs the same steps in the same order, so one list is enough, and
 * whoever runs takes the next request.
 *
 * line_record writes such a list, line_rate reads it: the recorder sits between
 * the model and engine.h, where a measured program is optimised across.
 */
#ifndef CONTEND_BENCH_REQUEST_LOG_H
#define CONTEND_BENCH_REQUEST_LOG_H

#include <stdint.h>

#include "sim/engine/engine.h"
#include "sim/util/error.h"

#define REQUEST_LOG_MAX_ACTORS (1 << 13) /* request.who */

enum request_kind {
	REQUEST_SPAWN,
	REQUEST_SLEEP,
	REQUEST_PARK,
	REQUEST_WAKE,
	REQUEST_CALL,
	REQUEST_END, /* of an actor, a call, or what came before engine_run */
};

struct request {
	uint64_t kind : 3;
	uint64_t who : 13; /* wake: number of the actor; spawn, call: CPU */
	uint64_t delay_ps : 48;
};

struct request_log {
	struct request *requests; /* malloc */
	uint64_t nr_requests, nr_allocated;
	uint64_t nr_steps; /* ends of sleeps and parks, and calls */
	int nr_cpus;
	sim_ps end;
};

/* Takes 8 bytes; the process ends when memory does. A delay below 0 is none. */
void request_log_add(struct request_log *log, enum request_kind kind, int who, sim_ps delay_ps);

/* To standard output and from standard input, for this machine only. -1 with err when that fails or is cut short. */
int request_log_write(const struct request_log *log, struct error *err);
int request_log_read(struct request_log *log, struct error *err);

/* Ask an engine all of it again. Fails when it ends at another date, or with another request, than the recorded run. */
int request_log_replay(const struct request_log *log, enum engine_kind kind, struct error *err);

#endif
