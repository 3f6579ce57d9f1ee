/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What varies from outside the variants: swept axes and --set.
 */
#include "models/config_parts.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/io/bind.h"

/* The number that a text is, or NAN. */
static double number_of(const char *text)
{
	char *end;
	double number = strtod(text, &end);

	return end != text && !*end && isfinite(number) ? number : NAN;
}

static void axis_allocate(struct experiment *experiment, struct axis *axis, int nr_values)
{
	size_t nr = (size_t)nr_values;

	axis->nr_values = nr_values;
	axis->values = arena_calloc(experiment->arena, nr, sizeof(*axis->values));
	axis->value_numbers = arena_calloc(experiment->arena, nr, sizeof(*axis->value_numbers));
	experiment->value_pos[axis - experiment->axes] = arena_calloc(experiment->arena, nr, sizeof(struct source_pos));
}

static void axis_set(struct experiment *experiment, struct axis *axis, int index, const struct yaml_node *value)
{
	axis->values[index] = value->text;
	axis->value_numbers[index] = number_of(value->text);
	experiment->value_pos[axis - experiment->axes][index] = value->pos;
}

static int axis_check_new(const struct axis *axis, int index, const struct yaml_node *value, struct error *err)
{
	double number = number_of(value->text);

	for (int i = 0; i < index; i++) {
		if (!strcmp(axis->values[i], value->text) || axis->value_numbers[i] == number)
			return error_set(err, value->pos, "'%s' is swept twice over '%s'", axis->key, value->text);
	}
	return 0;
}

/* Values in order, none twice. */
static int axis_read(struct experiment *experiment, struct axis *axis, const struct yaml_node *list, struct error *err)
{
	int index = 0;

	if (config_expect_some(list, YAML_SEQUENCE, "the list of swept values", CONFIG_MAX_VALUES, err))
		return -1;
	axis->key = list->key;
	axis_allocate(experiment, axis, list->nr_children);
	for (const struct yaml_node *value = list->children; value; value = value->next) {
		if (bind_expect(value, YAML_SCALAR, "a swept value", err) || axis_check_new(axis, index, value, err))
			return -1;
		axis_set(experiment, axis, index++, value);
	}
	return 0;
}

/* A name of the user's own and its points. Each is normalised; whether it is right shows when its points resolve. */
static int axis_read_named(struct experiment *experiment, struct axis *axis, const struct yaml_node *points,
			   struct error *err)
{
	struct yaml_node **trees;
	int index = 0;

	if (config_key_entry(points->key, points->key_pos, NULL))
		return error_set(err, points->pos,
				 "'%s' is a parameter, so it is swept over a list of values; named points need a name "
				 "of their own",
				 points->key);
	if (config_expect_some(points, YAML_MAPPING, "the mapping of named points", CONFIG_MAX_VALUES, err))
		return -1;
	axis->key = points->key;
	axis_allocate(experiment, axis, points->nr_children);
	trees = arena_calloc(experiment->arena, (size_t)points->nr_children, sizeof(*trees));
	for (const struct yaml_node *point = points->children; point; point = point->next) {
		if (bind_expect(point, YAML_MAPPING, "a named point", err))
			return -1;
		trees[index] = yaml_copy(experiment->arena, point);
		config_normalise(experiment->arena, trees[index]);
		axis->values[index] = point->key;
		axis->value_numbers[index] = NAN;
		experiment->value_pos[axis - experiment->axes][index++] = point->key_pos;
	}
	experiment->point_trees[axis - experiment->axes] = trees;
	return 0;
}

/* The axis over the scalar that key names, or NULL. */
static struct axis *axis_find(struct experiment *experiment, const char *key)
{
	const char *scalar = config_scalar_key(experiment->arena, key);

	for (int i = 0; i < experiment->nr_axes; i++) {
		struct axis *axis = &experiment->axes[i];

		if (!strcmp(config_scalar_key(experiment->arena, axis->key), scalar))
			return axis;
	}
	return NULL;
}

static int read_swept_key(struct experiment *experiment, const struct yaml_node *swept, struct error *err)
{
	struct axis *axis = &experiment->axes[experiment->nr_axes];

	if (axis_find(experiment, swept->key))
		return error_set(err, swept->key_pos, "'%s' is swept twice", swept->key);
	if (swept->kind == YAML_MAPPING)
		return axis_read_named(experiment, axis, swept, err);
	if (!config_key_entry(swept->key, swept->key_pos, err))
		return -1;
	/* one of these beside the whole mapping could not be set: config_sweep_tree relies on that */
	if (!strncmp(swept->key, REPLICATIONS_KEY ".", sizeof(REPLICATIONS_KEY)))
		return error_set(err, swept->key_pos,
				 "'%s' cannot be swept: it must be the same in all variants and points", swept->key);
	return axis_read(experiment, axis, swept, err);
}

int config_sweep_read(struct experiment *experiment, const struct yaml_node *sweep, struct error *err)
{
	if (!sweep)
		return 0;
	if (config_expect_some(sweep, YAML_MAPPING, "sweep", RESULTS_MAX_AXES, err))
		return -1;
	for (const struct yaml_node *swept = sweep->children; swept; swept = swept->next) {
		if (read_swept_key(experiment, swept, err))
			return -1;
		experiment->nr_axes++;
	}
	return 0;
}

/* Keep one of an axis's named points. */
static int choose_point(struct experiment *experiment, struct axis *axis, const struct loose_key *set,
			struct error *err)
{
	struct yaml_node ***trees = &experiment->point_trees[axis - experiment->axes];
	const char **names = arena_calloc(experiment->arena, (size_t)axis->nr_values + 1, sizeof(*names));
	struct yaml_node *chosen;
	int i = 0;

	memcpy(names, axis->values, (size_t)axis->nr_values * sizeof(*names));
	while (names[i] && strcmp(names[i], set->value))
		i++;
	if (!names[i])
		return bind_unknown(set->pos, arena_printf(experiment->arena, "unknown %s", axis->key), set->value,
				    names, err);
	chosen = (*trees)[i];
	axis_allocate(experiment, axis, 1);
	axis_set(experiment, axis, 0, config_scalar(experiment->arena, names[i], set->pos));
	axis->value_numbers[0] = NAN;
	*trees = arena_calloc(experiment->arena, 1, sizeof(**trees));
	**trees = chosen;
	return 0;
}

static int set_apply(struct experiment *experiment, const struct loose_key *set, struct error *err)
{
	struct arena *arena = experiment->arena;
	struct axis *axis = axis_find(experiment, set->key);

	if (axis && experiment->point_trees[axis - experiment->axes])
		return choose_point(experiment, axis, set, err);
	if (axis) {
		axis_allocate(experiment, axis, 1);
		axis_set(experiment, axis, 0, config_scalar(arena, set->value, set->pos));
		return 0;
	}
	return yaml_set(arena, experiment->sets, config_scalar_key(arena, set->key), set->value, set->pos, err);
}

int config_sets_apply(struct experiment *experiment, const struct loose_key *sets, int nr, struct error *err)
{
	if (!nr)
		return 0;
	experiment->sets = config_mapping(experiment->arena, (struct source_pos){ .file = "--set" });
	for (int i = 0; i < nr; i++) {
		if (set_apply(experiment, &sets[i], err))
			return -1;
	}
	return 0;
}

struct yaml_node *config_sweep_tree(const struct experiment *experiment, struct arena *arena, int point)
{
	struct yaml_node *tree = config_mapping(arena, (struct source_pos){ 0 });

	for (int i = experiment->nr_axes - 1; i >= 0; i--) {
		const struct axis *axis = &experiment->axes[i];
		int index = point % axis->nr_values;
		int failed = !experiment->point_trees[i] &&
			     yaml_set(arena, tree, config_scalar_key(arena, axis->key), axis->values[index],
				      experiment->value_pos[i][index], NULL);

		assert(!failed); /* keys were checked against the schema: none is a step of another */
		(void)failed;
		point /= axis->nr_values;
	}
	return tree;
}

bool config_has_named_points(const struct experiment *experiment, const char *key)
{
	for (int i = 0; i < experiment->nr_axes; i++) {
		if (experiment->point_trees[i] && (!key || !strcmp(experiment->axes[i].key, key)))
			return true;
	}
	return false;
}

struct yaml_node *config_named_points(const struct experiment *experiment, struct arena *arena, int point,
				      struct yaml_node *tree)
{
	int stride = experiment_nr_points(experiment);

	for (int i = 0; i < experiment->nr_axes; i++) {
		stride /= experiment->axes[i].nr_values;
		if (experiment->point_trees[i])
			tree = config_overlay(
				arena, tree,
				experiment->point_trees[i][point / stride % experiment->axes[i].nr_values]);
	}
	return tree;
}
