/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bytes of a trace file, plain or compressed by gzip, xz or zstd, through a window of fixed size: a file of any
 * length takes the same memory. What a file is, its first bytes say, not its name.
 */
#ifndef CONTEND_TRACE_TRACE_FILE_H
#define CONTEND_TRACE_TRACE_FILE_H

#include <stddef.h>

#include "sim/util/arena.h"
#include "sim/util/error.h"

/* The most that can be looked at in one piece. */
#define TRACE_FILE_WINDOW_BYTES ((size_t)256 << 10)

struct trace_file;

/* Open a file, "-" for standard input. The memory is the arena's, the rest trace_file_close's. NULL on failure. */
struct trace_file *trace_file_open(struct arena *arena, const char *path, struct error *err);

void trace_file_close(struct trace_file *file); /* NULL is fine */

/*
 * At least `wanted` bytes (at most TRACE_FILE_WINDOW_BYTES) from where reading is, less only at the end of the file. Returns
 * 0 with *bytes, valid until the next call, and *nr; -1 when the file cannot be read or is damaged.
 */
int trace_file_peek(struct trace_file *file, size_t wanted, const char **bytes, size_t *nr, struct error *err);

/* Go on behind the first nr bytes of what was peeked. */
void trace_file_skip(struct trace_file *file, size_t nr);

const char *trace_file_path(const struct trace_file *file);

#endif
