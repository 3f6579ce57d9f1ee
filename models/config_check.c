/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether all of an experiment resolves, before anything of it runs.
 */
#include "models/config_parts.h"

#include <string.h>

/* What a walk over all points finds out. */
struct walk {
	const struct experiment *experiment;
	struct loose_key *keys; /* swept keys, then those of --set */
	bool *taken; /* by key: some point's tree has it */
	int nr_keys;
	int nr_points; /* over all machines and variants */
	struct run_length first; /* of the first point */
	bool has_first;
};

static struct walk walk_create(const struct experiment *experiment, const struct loose_key *sets, int nr_sets)
{
	size_t nr = (size_t)(experiment->nr_axes + nr_sets);
	struct walk walk = {
		.experiment = experiment,
		.keys = arena_calloc(experiment->arena, nr + 1, sizeof(*walk.keys)),
		.taken = arena_calloc(experiment->arena, nr + 1, sizeof(*walk.taken)),
		.nr_keys = (int)nr,
		.nr_points = experiment->nr_machines * experiment->nr_variants * experiment_nr_points(experiment),
	};

	for (int i = 0; i < experiment->nr_axes; i++) {
		walk.keys[i].key = experiment->axes[i].key;
		walk.keys[i].pos = experiment->value_pos[i][0];
	}
	if (nr_sets)
		memcpy(walk.keys + experiment->nr_axes, sets, (size_t)nr_sets * sizeof(*sets));
	for (size_t i = 0; i < nr; i++)
		walk.taken[i] = config_has_named_points(experiment, walk.keys[i].key);
	return walk;
}

static struct source_pos pos_of(struct yaml_node *tree, const char *key)
{
	const struct yaml_node *node = yaml_at(tree, key);

	return node ? node->pos : tree->pos;
}

/* One result set has one seed and one number of replications, and fits into memory. */
static int check_length(struct walk *walk, const struct run_length *length, struct yaml_node *tree, struct error *err)
{
	if (!walk->has_first && (uint64_t)walk->nr_points * length->replications > CONFIG_MAX_RUNS)
		return error_set(err, pos_of(tree, "run.replications"),
				 "%d points of %u replications each are too many: at most %d runs", walk->nr_points,
				 length->replications, CONFIG_MAX_RUNS);
	if (!walk->has_first)
		walk->first = *length;
	walk->has_first = true;
	if (length->seed != walk->first.seed)
		return error_set(err, pos_of(tree, "run.seed"), "run.seed must be the same in all variants and points");
	if (length->replications != walk->first.replications ||
	    length->min_replications != walk->first.min_replications || length->until_ppm != walk->first.until_ppm)
		return error_set(err, pos_of(tree, "run.replications"),
				 "run.replications must be the same in all variants and points");
	return 0;
}

static int check_point(struct walk *walk, struct arena *arena, struct config_at at, struct error *err)
{
	struct yaml_node *tree = config_point_tree(walk->experiment, arena, at, NULL);
	struct run_config config;

	if (config_bind_point(arena, tree, walk->experiment->machine_names[at.machine], &config, err) ||
	    check_length(walk, &config.length, tree, err))
		return -1;
	for (int i = 0; i < walk->nr_keys; i++)
		walk->taken[i] |= yaml_at(tree, config_scalar_key(arena, walk->keys[i].key)) != NULL;
	return 0;
}

int config_unused_key(const char *key, struct source_pos pos, struct error *err)
{
	return error_set(err, pos, "no variant takes '%s': what it names is not in use", key);
}

int config_check_points(const struct experiment *experiment, const struct loose_key *sets, int nr_sets,
			struct error *err)
{
	struct walk walk = walk_create(experiment, sets, nr_sets);
	int nr_points = experiment_nr_points(experiment);

	for (int i = 0; i < walk.nr_points; i++) {
		struct config_at at = {
			.machine = i / nr_points / experiment->nr_variants,
			.variant = i / nr_points % experiment->nr_variants,
			.point = i % nr_points,
		};
		struct arena *arena = arena_create();
		int failed = check_point(&walk, arena, at, err);

		arena_destroy(arena);
		if (failed)
			return -1;
	}
	for (int i = 0; i < walk.nr_keys; i++) {
		if (!walk.taken[i])
			return config_unused_key(walk.keys[i].key, walk.keys[i].pos, err);
	}
	return 0;
}
