/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `contend trace record`: run a command and record the kernel's page events of the whole machine meanwhile, with
 * /proc/zoneinfo from just before and after, so that a replay starts from what was there.
 */
#ifndef CONTEND_CLI_TRACE_RECORD_H
#define CONTEND_CLI_TRACE_RECORD_H

#include <stdbool.h>

#include "sim/util/arena.h"

#define TRACE_RECORD_DIRECTORY "contend-trace"

struct trace_record {
	struct arena *arena;
	const char *directory;
	char **command; /* NULL-ended */
	int buffer_mib; /* a CPU; 0: 64, or less where that is too much of the machine's memory */
	bool empty_lists; /* pcp_lists.h, first */
};

/*
 * Writes directory/{trace.dat, zoneinfo-before.txt, zoneinfo-after.txt, manifest.json}, whole or not at all. The order:
 *
 *	buffers -> command forked, not yet started -> (lists emptied) -> zoneinfo -> recording on -> pcps settled (pcp_settle.h)
 *		-> command starts ... ends -> recording off -> zoneinfo -> files
 *
 * so that what the buffers took is in the first zoneinfo, and a replay needs no recorder_pages. SIGINT of a terminal reaches
 * the command by itself, SIGTERM and SIGHUP are handed to it; either way the recording ends with the command. A recording that
 * fails ends the command. Prints errors;
 * returns the command's status, 128 + N when signal N ended it, an exit status of ours when there is no recording.
 */
int trace_record(const struct trace_record *record);

#endif
