/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trace.dat, the file of trace-cmd record (versions 6 and 7), by trace-cmd's own libraries: the events of the top buffer,
 * merged over CPUs by time, in constant memory.
 *
 * Those libraries trust what they read; a file that is damaged, or made to harm, can crash them or keep them busy for ever.
 * So a child process reads the file, in bounds of memory and CPU time, and hands the events over through a pipe:
 *
 *	file -libtracecmd-> record -libtraceevent-> fields -> struct trace_event -pipe-> here, checked once more
 *
 * However the child ends, that is at worst an error of this file. A file that is compressed by gzip, xz or zstd, or comes
 * from standard input, is first copied into a temporary file without a name, since the libraries must seek in it.
 */
#ifndef CONTEND_TRACE_TRACE_DAT_H
#define CONTEND_TRACE_TRACE_DAT_H

#include <stdbool.h>

#include "sim/trace/trace_event.h"
#include "sim/trace/trace_file.h"

#define TRACE_DAT_MAGIC_BYTES 10

struct trace_dat;

/* Whether a trace.dat starts with these bytes. */
bool trace_dat_recognize(const char *bytes, size_t nr);

/*
 * Read an open file from its start; its bytes are used up. The reader is the arena's, its process trace_dat_close's. NULL on
 * failure; what is wrong with the file itself, trace_dat_next says.
 */
struct trace_dat *trace_dat_open(struct arena *arena, struct trace_file *file, struct error *err);

/* The next event: 1, 0 at the end of the file, -1 when it cannot be read or the library failed on it. Blocks on the child. */
int trace_dat_next(struct trace_dat *dat, struct trace_event *event, struct error *err);

/*
 * What gave no event, of what the child has read: it may be ahead of trace_dat_next until that has returned 0. Where events
 * were lost counts as in text: one mark, and the number if the file knows it.
 */
const struct trace_skipped *trace_dat_skipped(const struct trace_dat *dat);

void trace_dat_close(struct trace_dat *dat); /* NULL is fine */

#endif
