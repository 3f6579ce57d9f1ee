/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recording the kernel's kmem events through tracefs, and when vmstat_update() began on each CPU, into a trace.dat.
 *
 * A buffer of its own (an instance of tracefs, contend-PID) leaves other tracing on the machine alone, needs no other
 * program, and lets the caller read /proc/zoneinfo when all buffers are allocated and not one event is recorded yet. A CPU's
 * buffer is moved to disk when it is half full, so that a short recording disturbs nothing and a long one loses nothing as
 * long as the disk keeps up. The clock is CLOCK_MONOTONIC, which is comparable over CPUs.
 *
 * Needs root. Sources: Documentation/trace/ftrace.rst (instances, per_cpu/cpuN/trace_pipe_raw, stats),
 * events.rst (filter).
 */
#ifndef CONTEND_TRACE_RECORDER_H
#define CONTEND_TRACE_RECORDER_H

#include <stdint.h>
#include <stdio.h>

#include "sim/util/arena.h"
#include "sim/util/error.h"

#define RECORDER_CLOCK "mono"

struct recorder;

/*
 * Allocate buffers of so many KiB a CPU and enable the events, with recording off. What comes out of the buffers is kept in
 * files without names in `directory`. Also removes buffers that earlier recorders left when they were killed. The memory is
 * the arena's, the rest recorder_close's. NULL on failure: no permission, no tracefs, no such events, no memory.
 */
struct recorder *recorder_open(struct arena *arena, const char *directory, uint32_t buffer_kib, struct error *err);

/*
 * The names of the events that are recorded, NULL-ended. workqueue_execute_start, of vmstat_update() alone, is missing where the
 * kernel hides the addresses of its functions or lacks the event.
 */
const char *const *recorder_events(const struct recorder *recorder);

int recorder_start(struct recorder *recorder, struct error *err);
int recorder_stop(struct recorder *recorder, struct error *err);

/* Move events to disk whenever a buffer is half full, until fd can be read. Blocks. */
int recorder_wait(struct recorder *recorder, int fd, struct error *err);

/* After recorder_stop: move the rest, and write all of it as a trace.dat. Failures of the stream are the caller's to see. */
int recorder_write(struct recorder *recorder, FILE *out, struct error *err);

/* After recorder_stop. How many events were recorded, and how many more found their buffer full. */
void recorder_count(const struct recorder *recorder, uint64_t *nr_events, uint64_t *nr_lost);

void recorder_close(struct recorder *recorder); /* NULL is fine */

#endif
