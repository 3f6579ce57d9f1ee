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
};

#endif
