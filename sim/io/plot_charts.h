/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A figure of charts as a gnuplot script: variables named contend_*, then plots/common.gp and plots/charts.gp. */
#ifndef CONTEND_IO_PLOT_CHARTS_H
#define CONTEND_IO_PLOT_CHARTS_H

#include "sim/io/plot.h"

/* The whole script, in arena. Fails when a script of plots_dir cannot be read. */
const char *charts_script(struct arena *arena, const struct plot_charts *charts, enum plot_format format,
			  const char *plots_dir, struct error *err);

#endif
