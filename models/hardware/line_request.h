/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A CPU's request for a line while it waits, or spins on it. Part of struct
 * cpu, used by the line_*.c files alone.
 */
#ifndef CONTEND_HARDWARE_LINE_REQUEST_H
#define CONTEND_HARDWARE_LINE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

struct cpu;
struct line;

struct line_request {
	struct cpu *cpu;
	struct line *line; /* NULL when the CPU waits for none */
	struct line_request *next, *prev; /* in its cluster's queue, oldest first; or next of the line's spinners */
	uint64_t ticket; /* order of arrival at the line */
	bool write; /* wants the line exclusively */
	bool far; /* an atomic that executes at the home */
	bool posted; /* of a struct line_store: the CPU does not wait for it */
};

#define LINE_STORES 4

/* The store buffer of a CPU that has gone on: stores to one line, on their way. */
struct line_store {
	struct line_request request;
	struct line *line; /* NULL: none is under way */
	bool awaited; /* the CPU waits for them after all */
	int nr;
	struct line_store_entry {
		int word;
		uint64_t mask, value;
	} entries[LINE_STORES];
};

#endif
