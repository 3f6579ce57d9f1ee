/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where results are found, and where the plot scripts are. (Experiments and machines: config_find.) */
#ifndef CONTEND_CLI_PATHS_H
#define CONTEND_CLI_PATHS_H

#include "sim/util/arena.h"
#include "sim/util/error.h"

/* The file's name without folders and without .yaml. */
const char *path_base_name(struct arena *arena, const char *path);

/*
 * The directory of a result set that the user names: a directory that holds result.json, the path of that file, or a
 * name under results/. NULL with a message when there is none.
 */
const char *path_of_results(struct arena *arena, const char *text, struct error *err);

/* plots/ of the source tree or, for the installed program, of the installed data. */
const char *path_of_plots(void);

#endif
