/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options that several commands have, as children of their argp parsers. */
#ifndef CONTEND_CLI_OPTIONS_H
#define CONTEND_CLI_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "sim/engine/engine.h"
#include "sim/io/table.h"
#include "sim/util/arena.h"

/* How to simulate. */
struct run_options {
	struct arena *arena; /* set by the caller; the lists below grow in it */
	const char **sets; /* KEY=VALUE of every --set and @FILE of every --overlay, in order */
	int nr_sets;
	int nr_workers;
	const char *directory; /* -o, or NULL */
	enum engine_kind engine;
	bool quiet;
};

/* Input: struct run_options. */
extern const struct argp simulation_options_argp; /* everything but -o */
extern const struct argp run_options_argp; /* that and -o DIR */

/* What to show of results beside writing them. */
struct show_options {
	enum table_format format;
	bool why;
	bool no_plots;
};

extern const struct argp show_options_argp; /* input: struct show_options */

extern const char *const engine_names[]; /* by enum engine_kind, NULL-ended */

/* A list of arguments that grows in an arena. */
void options_append(struct arena *arena, const char ***list, int *nr, const char *text);

/* A whole number from low to high, or argp_error with the option's name. */
int options_number(struct argp_state *state, const char *option, const char *text, int low, int high);

/* The index of text in names (NULL-ended), or argp_error with the names that exist. */
int options_choice(struct argp_state *state, const char *what, const char *text, const char *const *names);

#endif
