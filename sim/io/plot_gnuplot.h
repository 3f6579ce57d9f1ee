/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Running gnuplot: no shell, no init files, no temporary files.
 * Script, picture and messages are anonymous files in memory that gnuplot
 * opens as /dev/fd/N, so nothing is left behind whatever happens, and the
 * caller alone decides where the picture's bytes go.
 */
#ifndef CONTEND_IO_PLOT_GNUPLOT_H
#define CONTEND_IO_PLOT_GNUPLOT_H

#include <stddef.h>

#include "sim/util/arena.h"
#include "sim/util/error.h"

/* What a script says after `set output` to reach the caller. */
#define GNUPLOT_OUTPUT "/dev/fd/4"

/*
 * Run a script and return the picture that it wrote to GNUPLOT_OUTPUT, in arena, its size in nr_bytes. NULL when
 * gnuplot is missing, fails (its own message is the text) or draws nothing.
 */
char *gnuplot_run(struct arena *arena, const char *script, size_t *nr_bytes, struct error *err);

#endif
