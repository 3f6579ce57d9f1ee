/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces in our own format: some 6 bytes per event, read ten times as fast as text. All numbers are little-endian.
 *
 *	file     magic (8 bytes), u32 version, u32 0; then frames, the last of which is the end
 *	frame    u32 events, u32 bytes of payload, payload (trace_codec.h), u64 FNV-1a of all of the frame before it
 *	end      a frame of 0 events; its payload: u64 events of the file, u64 lost events, u64 per reason of enum trace_skip
 *		 but the first: what the importer skipped
 *
 * A byte that changed, a file cut anywhere and bytes after the end are errors. A change of the format, and of the lists of
 * types and reasons, gives it a new version; there is no reading of other versions.
 */
#ifndef CONTEND_TRACE_TRACE_BINARY_H
#define CONTEND_TRACE_TRACE_BINARY_H

#include <stdbool.h>

#include "sim/trace/trace_event.h"
#include "sim/trace/trace_file.h"

#define TRACE_BINARY_VERSION 2
#define TRACE_BINARY_MAGIC_BYTES 8

struct trace_writer;
struct trace_binary;

/* Start a file, which appears whole or not at all (outfile.h). NULL on failure. */
struct trace_writer *trace_writer_open(const char *path, struct error *err);

/* Append a valid event. Failures stay in the stream until the end. */
void trace_writer_put(struct trace_writer *writer, const struct trace_event *event);

/* End the file and free the writer, in either case. */
int trace_writer_commit(struct trace_writer *writer, const struct trace_skipped *skipped, struct error *err);
void trace_writer_abort(struct trace_writer *writer); /* NULL is fine */

/* Whether a file of ours starts with these bytes. */
bool trace_binary_recognize(const char *bytes, size_t nr);

/* Read an open file from its start. The reader is the arena's; the file stays the caller's. NULL on failure. */
struct trace_binary *trace_binary_open(struct arena *arena, struct trace_file *file, struct error *err);

/* The next event: 1, 0 at the end of the file, -1 when it is damaged. */
int trace_binary_next(struct trace_binary *binary, struct trace_event *event, struct error *err);

/* What the importer skipped; complete once trace_binary_next has returned 0. */
const struct trace_skipped *trace_binary_skipped(const struct trace_binary *binary);

#endif
