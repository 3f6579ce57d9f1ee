/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A part of a sweep on disk: result files, table.txt and figures. */
#ifndef CONTEND_CLI_SAVE_H
#define CONTEND_CLI_SAVE_H

#include <stdbool.h>

#include "sim/cli/sweep.h"

struct save_options {
	bool plots;
	bool quiet; /* do not say on stderr where things are */
};

/*
 * Write a result set into a directory: of a shard the samples alone, since tables and figures make no sense of it. Figures
 * that cannot be drawn are a warning. Prints errors; returns an exit status.
 */
int save_results(const struct results *results, const char *directory, const struct save_options *options);

/* The same for what a part has; nothing when not one of its runs was finished. */
int save_part(const struct sweep_part *part, const char *directory, const struct save_options *options);

#endif
