/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fitted reproductions: the two ways in which a table is split into cells
 * that set values and cells that test them.
 *
 *	alternate rows   what `fit.vary` lists, from the odd rows of the experiment's own table (both columns)
 *	other machine    what `fit.other_machine` carries, from the whole table of the other machine's experiment;
 *	                 what each machine has of its own, from the cells under `published_used`
 *
 * A fit takes minutes, so its values are kept as an overlay file with a hash
 * of all that they depend on, and of themselves; they are fitted again when
 * the hash says something else.
 */
#ifndef CONTEND_CLI_FITTED_H
#define CONTEND_CLI_FITTED_H

#include <stdbool.h>

#include "models/config.h"
#include "sim/cli/options.h"
#include "sim/stats/published.h"

enum fitted_split {
	SPLIT_ALTERNATE_ROWS,
	SPLIT_OTHER_MACHINE,
	NR_SPLITS,
};

extern const char *const fitted_split_names[NR_SPLITS]; /* as in reports, "alternate rows" */
extern const char *const fitted_split_files[NR_SPLITS]; /* as in names of files, "alternate-rows" */

struct fitted_options {
	const struct run_options *run;
	int max_evaluations; /* of each fit */
	bool refit; /* even where kept values are good */
	bool kept; /* fail rather than fit again */
	const char *directory; /* where values are kept and written; NULL: read only, from beside the experiments */
};

struct fitted {
	enum fitted_split split;
	const struct experiment *experiment; /* with the values over everything else */
	const char *const *values; /* "KEY=VALUE", nr_values of them */
	int nr_values;
	const char *source; /* the experiment and cells that they come from, in words */
	const bool *
		used; /* of the experiment's own table, rows x columns: those cells; NULL: they are not of this table */
};

/* Does the experiment say how to make the split? */
bool fitted_has_split(const struct experiment *experiment, enum fitted_split split);

/*
 * Find values, kept or new, for an experiment that has the split; everything is in the arena of the options. `path` is
 * its file. What is fitted again, and why, is said on stderr. Returns an exit status, with err when it is not
 * STATUS_FINE.
 */
int fitted_make(const struct fitted_options *options, const char *path, enum fitted_split split, struct fitted *fitted,
		struct error *err);

/* Mark every cell of the experiment's table that the values come from as used. */
void fitted_mark_used(const struct fitted *fitted, struct published *published);

#endif
