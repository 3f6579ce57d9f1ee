/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A published table held against its simulation: cells, changes, the band
 * over what nobody measured, the score, and what a Universal Scalability Law
 * fit would have said.
 *
 * Blind: no number of the table moved a parameter, except where the experiment
 * marks a cell as used. Fitted: values come from the cells of a split
 * (fitted.h). A used cell is never scored.
 */
#ifndef CONTEND_CLI_REPRODUCTION_H
#define CONTEND_CLI_REPRODUCTION_H

#include <stdio.h>

#include "sim/cli/fitted.h"
#include "sim/cli/sweep.h"
#include "sim/stats/published.h"

/*
 * The scalability law on the published rows of one socket, per column: the rows up to the cores of one socket are
 * fitted, the others predicted.
 */
struct usl_rival {
	bool fitted; /* false: too few rows of one socket, none beyond it, or no fit; the rest is then unset */
	int nr_fitted_rows, nr_predicted_rows;
	double rms_log; /* over predicted cells */
	double simulated_rms_log; /* of the simulation over the same cells */
	double last_change; /* at the last row, first column that is not the baseline, in percent */
};

struct reproduction {
	const struct experiment *experiment;
	const struct fitted *fitted; /* NULL: blind */
	const struct published *published;
	const struct results *results;
	int baseline_column; /* -1: the table does not have it */
	bool has_band;
	struct cell_score *cells; /* rows x columns */
	struct score score;
	struct usl_rival usl;
};

/* Parts of a sweep that belong to one reproduction: the nominal one, then a low and a high one per prior. */
struct reproduction_plan {
	const struct experiment *experiment;
	const struct fitted *fitted; /* NULL: blind */
	struct published *published;
	int first_part, nr_parts;
};

/* Read the published table and add all parts. Fails when the experiment has no published table. */
int reproduction_plan(struct sweep *sweep, const struct experiment *experiment, struct reproduction_plan *plan,
		      struct error *err);

/* The same of a split with its values found: one part, no bands. The fitted values stay the caller's. */
int reproduction_plan_fitted(struct sweep *sweep, const struct fitted *fitted, struct reproduction_plan *plan,
			     struct error *err);

/* After sweep_execute: the comparison, in the sweep's arena. NULL when table and results do not fit. */
struct reproduction *reproduction_make(const struct sweep *sweep, const struct reproduction_plan *plan,
				       struct error *err);

/* Whether the cells of a column have a change: all but those of the baseline, when the table has it or is of changes. */
bool reproduction_has_change(const struct reproduction *reproduction, int column);

/* Fill reproduction->usl once the rest is there. Only levels have that rival. */
void reproduction_add_rival(struct arena *arena, struct reproduction *reproduction);

/* Print for people: columns side by side, then the score. Tables as text or Markdown. */
void reproduction_print_text(FILE *out, struct reproduction *const *all, int nr, bool markdown);

/* Print one JSON array. Fails on memory or the stream. */
int reproduction_print_json(FILE *out, struct reproduction *const *all, int nr, struct error *err);

#endif
