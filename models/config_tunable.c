/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keys as numbers in a range, for what searches over them.
 */
#include "models/config_parts.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDED_DIGITS 5

static bool is_choice(const struct param *entry)
{
	return entry->kind == PARAM_CHOICE || entry->kind == PARAM_BOOL;
}

static int nr_names(const struct param *entry)
{
	int nr = 0;

	if (entry->kind == PARAM_BOOL)
		return 2;
	while (entry->choices[nr])
		nr++;
	return nr;
}

/* The value as the experiment has it: of the first machine, variant and named point that give one, else the default. */
static int read_start(struct tunable *tunable, const struct experiment *experiment, struct error *err)
{
	const int nr_points = config_has_named_points(experiment, NULL) ? experiment_nr_points(experiment) : 1;
	int nr = experiment->nr_machines * experiment->nr_variants * nr_points;
	int failed = 0;

	tunable->start = tunable->entry->def;
	for (int i = 0; i < nr; i++) {
		struct config_at at = {
			.machine = i / nr_points / experiment->nr_variants,
			.variant = i / nr_points % experiment->nr_variants,
			.point = i % nr_points,
		};
		struct arena *arena = arena_create();
		const struct yaml_node *node = yaml_at(config_point_tree(experiment, arena, at, NULL), tunable->key);

		if (node)
			failed = config_number(arena, node, tunable->entry, &tunable->start, err);
		arena_destroy(arena);
		if (node)
			return failed;
	}
	return 0;
}

/* One end of a range, which must resolve. */
static int read_end(struct tunable *tunable, const struct experiment *experiment, const char *text,
		    struct source_pos pos, struct error *err)
{
	struct arena *arena = arena_create();
	struct yaml_node *node = config_scalar(arena, arena_strdup(arena, text), pos);
	double number;
	int failed = config_number(arena, node, tunable->entry, &number, err) ||
		     config_check_value(experiment, tunable->key, node, &tunable->taken, err);

	arena_destroy(arena);
	tunable->low = fmin(tunable->low, number);
	tunable->high = number;
	return failed ? error_at(err, pos) : 0;
}

/* Each name between the ends must resolve, not only the ends. */
static int check_choices(struct tunable *tunable, const struct experiment *experiment, struct source_pos pos,
			 struct error *err)
{
	struct arena *arena = arena_create();
	int failed = 0;

	tunable->nr_choices = (int)(tunable->high - tunable->low) + 1;
	for (int i = 1; i + 1 < tunable->nr_choices && !failed; i++) {
		const char *text = tunable_text(tunable, arena, tunable->low + i);

		failed = config_check_value(experiment, tunable->key, config_scalar(arena, text, pos), &tunable->taken,
					    err);
	}
	arena_destroy(arena);
	return failed ? error_at(err, pos) : 0;
}

static const struct key_range *find_prior(const struct experiment *experiment, const char *key)
{
	for (int i = 0; i < experiment->priors.nr; i++) {
		if (!strcmp(experiment->priors.ranges[i].key, key))
			return &experiment->priors.ranges[i];
	}
	return NULL;
}

/* The ends as texts, where the caller gave none. */
static void default_range(struct tunable *tunable, const struct experiment *experiment, const char **low,
			  const char **high)
{
	const struct key_range *prior = find_prior(experiment, tunable->key);
	const struct param *entry = tunable->entry;

	if (*low && *high)
		return;
	if (prior) {
		*low = prior->low;
		*high = prior->high;
		return;
	}
	tunable->low = is_choice(entry) ? 0 : entry->min;
	tunable->high = is_choice(entry) ? nr_names(entry) - 1 : entry->max;
	*low = tunable_text(tunable, experiment->arena, tunable->low);
	*high = tunable_text(tunable, experiment->arena, tunable->high);
}

int tunable_read(struct tunable *tunable, const struct experiment *experiment, const char *key, const char *low,
		 const char *high, struct source_pos pos, struct error *err)
{
	*tunable = (struct tunable){ .key = arena_strdup(experiment->arena, key) };
	tunable->entry = config_key_entry(key, pos, err);
	if (!tunable->entry)
		return -1;
	if (!config_has_range(tunable->entry) && tunable->entry->kind != PARAM_BOOL)
		return error_set(err, pos, "'%s' is no number and no choice of a list: it has no range", key);
	if (config_is_swept(experiment, key))
		return error_set(err, pos, "'%s' is swept: it cannot be varied", key);
	default_range(tunable, experiment, &low, &high);
	tunable->low = HUGE_VAL;
	if (read_end(tunable, experiment, low, pos, err) || read_start(tunable, experiment, err))
		return -1;
	tunable->low = tunable->high;
	if (read_end(tunable, experiment, high, pos, err))
		return -1;
	if (tunable->low < tunable->high)
		return is_choice(tunable->entry) ? check_choices(tunable, experiment, pos, err) : 0;
	return error_set(err, pos, "the range of '%s' is empty: %s is not below %s", key, low, high);
}

/* To few digits, for files that people read, as long as that does not leave the range. */
static double rounded(const struct tunable *tunable, double value)
{
	char text[32];
	double few;

	value = fmin(fmax(value, tunable->low), tunable->high);
	snprintf(text, sizeof(text), "%.*g", ROUNDED_DIGITS, value);
	few = strtod(text, NULL);
	return few >= tunable->low && few <= tunable->high ? few : value;
}

char *tunable_text(const struct tunable *tunable, struct arena *arena, double value)
{
	struct param entry = *tunable->entry;
	char text[64];
	union param_value params = { 0 };

	value = rounded(tunable, value);
	entry.offset = 0;
	switch (entry.kind) {
	case PARAM_BOOL:
		params.flag = value > 0;
		break;
	case PARAM_CHOICE:
		params.choice = (int)value;
		break;
	case PARAM_U32:
		params.u32 = (uint32_t)llround(value);
		break;
	case PARAM_U64:
		params.u64 = value < 0x1p63 ? (uint64_t)llround(value) : (uint64_t)value;
		break;
	case PARAM_PS:
		params.ps = llround(value);
		break;
	default:
		params.f64 = value;
		break;
	}
	return arena_strdup(arena, param_print(&entry, &params, text, sizeof(text)));
}

void tunable_set(const struct tunable *tunable, struct arena *arena, struct yaml_node *overlay, const char *text)
{
	int failed =
		yaml_set(arena, overlay, tunable->key, text, (struct source_pos){ .file = "a fitted value" }, NULL);

	assert(!failed); /* keys were checked against the schema: none is a step of another */
	(void)failed;
}

struct yaml_node *overlay_create(struct arena *arena)
{
	return config_mapping(arena, (struct source_pos){ .file = "fit" });
}
