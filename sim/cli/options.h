/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options that commands which simulate have in common, as children of their argp parsers. Input: struct run_options. */
#ifndef CONTEND_CLI_OPTIONS_H
#define CONTEND_CLI_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "sim/engine/engine.h"
#include "sim/util/arena.h"

struct run_options {
	struct arena *arena; /* set by the caller; the lists below grow in it */
	const char **sets; /* KEY=VALUE of every --set and @FILE of every --overlay, in order */
	int nr_sets;
	int nr_workers;
	const char *directory; /* -o, or NULL */
	enum engine_kind engine;
	bool quiet;
};

extern const struct argp simulation_options_argp; /* everything but -o */
extern const struct argp run_options_argp; /* that and -o DIR */

extern const char *const engine_names[]; /* by enum engine_kind, NULL-ended */

/* A list of arguments that grows in an arena. */
void options_append(struct arena *arena, const char ***list, int *nr, const char *text);

/* A whole number from low to high, or argp_error with the option's name. */
int options_number(struct argp_state *state, const char *option, const char *text, int low, int high);

/* The index of text in names (NULL-ended), or argp_error with the names that exist. */
int options_choice(struct argp_state *state, const char *what, const char *text, const char *const *names);

#endif
