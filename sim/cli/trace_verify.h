/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `contend trace verify`: a trace replayed, and what the recorded kernel moved under its zone locks held against what the simulated one
 * does: blocks taken from the buddy lists and blocks drained to them, by CPU and over time.
 */
#ifndef CONTEND_CLI_TRACE_VERIFY_H
#define CONTEND_CLI_TRACE_VERIFY_H

#include "sim/util/arena.h"

struct trace_verify {
	struct arena *arena;
	const char *trace; /* a path: it is read more than once */
	const char *zoneinfo; /* a path, or NULL */
	const char *machine; /* name or path */
	const char **sets; /* as of --set */
	int nr_sets;
	const char *plot; /* file of a figure, or NULL */
};

/* Print the tables, and draw the figure. Returns an exit status. */
int trace_verify(const struct trace_verify *verify);

#endif
