/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A figure as a gnuplot script: a prelude of variables named contend_*, then
 * the bodies of plots/common.gp and of the figure's kind.
 */
#ifndef CONTEND_IO_PLOT_SCRIPT_H
#define CONTEND_IO_PLOT_SCRIPT_H

#include "sim/io/plot_figure.h"

/*
 * The whole script, in arena. `output` is where it draws; `data` is the file that it reads its numbers from, NULL to
 * have them in the script. Fails when a script of plots_dir cannot be read.
 */
const char *script_text(struct arena *arena, const struct figure *figure, const char *plots_dir, const char *output,
			const char *data, struct error *err);

/* A tracked script, NAME.gp of plots_dir, in arena. NULL when it cannot be read. */
const char *script_body(struct arena *arena, const char *plots_dir, const char *name, struct error *err);

/* The numbers of a figure as text: one block per series, then per published series, two blank lines between. */
const char *script_data(struct arena *arena, const struct figure *figure);

#endif
