/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/fit.h"

#include "sim/cli/cli.h"
#include "sim/cli/sweep.h"

/* Score a member's results with every cell left out that is not of the wanted kind. */
static int score_cells(const struct fit *fit, int member, const struct results *results, bool chosen,
		       struct score *score, struct error *err)
{
	const struct fit_member *of = &fit->members[member];
	struct published table = *of->published;
	int nr = table.nr_rows * table.nr_columns;
	struct arena *arena = arena_create();
	struct cell_score *cells = arena_calloc(arena, (size_t)nr, sizeof(*cells));
	int failed = 0;
	int i;

	table.used = arena_calloc(arena, (size_t)nr, sizeof(*table.used));
	for (i = 0; i < of->experiment->nr_published_used && !chosen && !failed; i++)
		failed = published_mark_used(&table, of->experiment->published_used[i], err);
	for (i = 0; i < nr; i++)
		table.used[i] |= fit_is_chosen(fit, member, i / table.nr_columns, i % table.nr_columns) != chosen;
	failed = failed || published_score(&table, results, cells, score, err);
	arena_destroy(arena);
	return failed ? -1 : 0;
}

static int judge_part(const struct fit *fit, int member, const struct results *results, struct fit_verdict *verdict,
		      struct error *err)
{
	if (score_cells(fit, member, results, true, &verdict->chosen, err))
		return -1;
	return score_cells(fit, member, results, false, &verdict->others, err);
}

/* Parts 2 i and 2 i + 1 of the sweep: member i as it stands and with the values. */
static int add_parts(const struct fit *fit, struct sweep *sweep, const double *point, struct error *err)
{
	int i;

	for (i = 0; i < fit->nr_members; i++) {
		const struct experiment *experiment = fit->members[i].experiment;

		if (sweep_add(sweep, experiment, NULL, 0, err) < 0 ||
		    sweep_add(sweep, experiment, fit_overlay(fit, fit->arena, i, point), 0, err) < 0)
			return -1;
	}
	return 0;
}

int fit_judge(const struct fit *fit, const double *point, const struct run_options *run, struct fit_verdict *before,
	      struct fit_verdict *after)
{
	struct sweep *sweep = sweep_create(fit->arena, fit->engine);
	struct error err;
	int status;
	int i;

	if (add_parts(fit, sweep, point, &err))
		return cli_fail(STATUS_FAILED, &err);
	status = sweep_execute(sweep, run);
	for (i = 0; i < fit->nr_members && status == STATUS_FINE; i++) {
		if (judge_part(fit, i, sweep->parts[2 * i].results, &before[i], &err) ||
		    judge_part(fit, i, sweep->parts[2 * i + 1].results, &after[i], &err))
			return cli_fail(STATUS_FAILED, &err);
	}
	return status;
}
