/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A figure of charts as a gnuplot script: variables named contend_*, then plots/common.gp and plots/panels.gp. */
#ifndef CONTEND_IO_PLOT_PANELS_H
#define CONTEND_IO_PLOT_PANELS_H

#include "sim/io/plot.h"

/* The whole script, in arena. Fails when a script of plots_dir cannot be read. */
const char *panels_script(struct arena *arena, const struct plot_panels *panels, enum plot_format format,
			  const char *plots_dir, struct error *err);

#endif
