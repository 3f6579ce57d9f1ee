/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/fit.h"

/* Points at which the models are asked: all keys at their start, and at this coordinate. */
static const double probes[] = { 0.05, 0.5, 0.95 };
#define NR_PROBES (sizeof(probes) / sizeof(probes[0]))

static char *member_text(const struct fit *fit, int index, struct arena *arena, struct error *err)
{
	const struct fit_member *member = &fit->members[index];
	const struct results *results = experiment_results(member->experiment, arena, err);
	char *text;
	int i;

	if (!results)
		return NULL;
	text = arena_printf(arena, "experiment %s\n", results->config_hash);
	for (i = 0; i < fit->nr_cells; i++) {
		const struct fit_cell *cell = &fit->cells[i];

		if (cell->chosen && cell->member == index)
			text = arena_printf(arena, "%s%s/%s %.9g\n", text, member->published->rows[cell->row],
					    member->published->columns[cell->column], cell->published);
	}
	return text;
}

static char *keys_text(const struct fit *fit, struct arena *arena)
{
	char *text = arena_strdup(arena, "");
	int i;

	for (i = 0; i < fit->nr_keys; i++) {
		const struct tunable *key = &fit->keys[i];

		text = arena_printf(arena, "%s%s %s %s\n", text, fit->key_names[i], tunable_text(key, arena, key->low),
				    tunable_text(key, arena, key->high));
	}
	return text;
}

/* Scores of the probes, which change when the models do. */
static char *models_text(struct fit_scorer *scorer, struct arena *arena, struct error *err)
{
	const struct fit *fit = scorer->fit;
	size_t width = (size_t)fit->nr_keys;
	double *points = arena_calloc(arena, (NR_PROBES + 1) * width, sizeof(*points));
	const double *start = fit_start(fit, arena);
	char *text = arena_strdup(arena, "scores");
	double scores[NR_PROBES + 1];
	size_t i, key;

	for (key = 0; key < width; key++) {
		points[key] = start[key];
		for (i = 0; i < NR_PROBES; i++)
			points[(i + 1) * width + key] = probes[i];
	}
	if (fit_score(scorer, points, NR_PROBES + 1, scores, err))
		return NULL;
	for (i = 0; i <= NR_PROBES; i++)
		text = arena_printf(arena, "%s %.9g", text, scores[i]);
	return text;
}

char *fit_inputs_text(struct fit_scorer *scorer, const struct fit_options *options, struct arena *arena,
		      struct error *err)
{
	const struct fit *fit = scorer->fit;
	char *text = arena_printf(arena, "evaluations %d seed %llu\n%s", options->max_evaluations,
				  (unsigned long long)options->seed, keys_text(fit, arena));
	const char *models;
	int i;

	for (i = 0; i < fit->nr_members; i++) {
		const char *member = member_text(fit, i, arena, err);

		if (!member)
			return NULL;
		text = arena_printf(arena, "%s%s", text, member);
	}
	models = models_text(scorer, arena, err);
	return models ? arena_printf(arena, "%s%s\n", text, models) : NULL;
}
