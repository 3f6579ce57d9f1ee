/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Coordinates and values. A number goes evenly over its range, or, where the
 * range spans orders of magnitude, in equal ratios:
 *
 *	value = low + size ((1 + (high - low) / size)^x - 1)
 *
 * with size = low (then value = low (high / low)^x), or the start when low is 0.
 */
#include "sim/cli/fit.h"

#include <math.h>

/* A range that is this many times its size is wide. */
#define WIDE 20.0
#define SIZE_OF_NOTHING 1e-3 /* of the range, when neither low nor start is above 0 */

/* 0: evenly. */
static double scale_size(const struct tunable *key)
{
	double width = key->high - key->low;
	double size = key->low > 0 ? key->low : key->start > 0 ? key->start : SIZE_OF_NOTHING * width;

	return key->low >= 0 && width > WIDE * size ? size : 0;
}

static double value_at(const struct tunable *key, double x)
{
	double width = key->high - key->low;
	double size = scale_size(key);

	if (key->nr_choices > 0)
		return key->low + minimize_choice(x, key->nr_choices);
	return size > 0 ? key->low + size * (pow(1 + width / size, x) - 1) : key->low + x * width;
}

char *fit_value_text(const struct fit *fit, struct arena *arena, int key, double x)
{
	return tunable_text(&fit->keys[key], arena, value_at(&fit->keys[key], x));
}

double fit_position(const struct fit *fit, int key, double value)
{
	const struct tunable *tunable = &fit->keys[key];
	double width = tunable->high - tunable->low;
	double above = fmin(fmax(value, tunable->low), tunable->high) - tunable->low;
	double size = scale_size(tunable);

	if (tunable->nr_choices > 0)
		return minimize_choice_position((int)above, tunable->nr_choices);
	return size > 0 ? log(1 + above / size) / log(1 + width / size) : above / width;
}

bool fit_shares_all(const struct fit *fit)
{
	int i;

	for (i = 0; i < fit->nr_members * fit->nr_keys; i++) {
		if (!fit->members[i / fit->nr_keys].takes[i % fit->nr_keys])
			return false;
	}
	return true;
}

double *fit_start(const struct fit *fit, struct arena *arena)
{
	double *point = arena_calloc(arena, (size_t)fit->nr_keys, sizeof(*point));
	int i;

	for (i = 0; i < fit->nr_keys; i++)
		point[i] = fit_position(fit, i, fit->keys[i].start);
	return point;
}

int *fit_choices(const struct fit *fit, struct arena *arena)
{
	int *nr = arena_calloc(arena, (size_t)fit->nr_keys, sizeof(*nr));
	int i;

	for (i = 0; i < fit->nr_keys; i++)
		nr[i] = fit->keys[i].nr_choices;
	return nr;
}

struct yaml_node *fit_overlay(const struct fit *fit, struct arena *arena, int member, const double *point)
{
	struct yaml_node *overlay = overlay_create(arena);
	int i;

	for (i = 0; i < fit->nr_keys; i++) {
		if (fit->members[member].takes[i])
			tunable_set(&fit->keys[i], arena, overlay, fit_value_text(fit, arena, i, point[i]));
	}
	return overlay;
}

char *fit_point_text(const struct fit *fit, struct arena *arena, const double *point)
{
	char *text = arena_strdup(arena, "");
	int i;

	for (i = 0; i < fit->nr_keys; i++)
		text = arena_printf(arena, "%s%s%s %s", text, i > 0 ? ", " : "", fit->key_names[i],
				    fit_value_text(fit, arena, i, point[i]));
	return text;
}
