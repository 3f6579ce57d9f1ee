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
 * Write what a part has into its directory; nothing when not one run was finished. Figures that cannot be drawn are a
 * warning. Prints errors; returns an exit status.
 */
int save_part(const struct sweep_part *part, const char *directory, const struct save_options *options);

#endif
