/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a model asks of the engine, recorded, and asked again without the
 * model: what the engine costs in a run, and by difference what the model
 * does. A step's requests depend on nothing but the steps before it and every
 * engine runs the same steps in the same order, so one list is enough, and
 * whoever runs takes the next request.
 *
 * The linker puts the recorder between the model and engine.h (--wrap, see the
 * Makefile). One log records at a time; engines of one process follow one
 * another.
 */
#ifndef CONTEND_BENCH_REQUEST_LOG_H
#define CONTEND_BENCH_REQUEST_LOG_H

#include <stdint.h>

#include "sim/engine/engine.h"
#include "sim/util/error.h"

struct request_log;

/* An empty log. It grows by 8 bytes per request; the process ends when memory does. */
struct request_log *request_log_create(void);
void request_log_destroy(struct request_log *log);

/* From now on every request of an engine goes into the log; NULL: into none. */
void request_log_record(struct request_log *log);

/* Steps that the recorded run had: ends of sleeps and parks, and calls. */
uint64_t request_log_nr_steps(const struct request_log *log);

/* Ask an engine all of it again. Fails when it ends at another date, or with another request, than the recorded run. */
int request_log_replay(const struct request_log *log, enum engine_kind kind, struct error *err);

#endif
