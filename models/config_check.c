/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether all of an experiment resolves, before anything of it runs.
 */
#include "models/config_parts.h"

#include <string.h>

#include "sim/io/bind.h"

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

static int unused_key(const char *key, struct source_pos pos, struct error *err)
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
			return unused_key(walk.keys[i].key, walk.keys[i].pos, err);
	}
	return 0;
}

int config_number(struct arena *arena, const struct yaml_node *node, const struct param *key_entry, double *out,
		  struct error *err)
{
	union {
		bool flag;
		uint32_t u32;
		uint64_t u64;
		int64_t ps;
		double f64;
		int choice;
	} value = { 0 };
	struct param entry = *key_entry;

	entry.offset = 0;
	if (bind_scalar(arena, node, &entry, &value, err))
		return -1;
	switch (entry.kind) {
	case PARAM_BOOL:
		*out = value.flag;
		return 0;
	case PARAM_U32:
		*out = value.u32;
		return 0;
	case PARAM_U64:
		*out = (double)value.u64;
		return 0;
	case PARAM_PS:
		*out = (double)value.ps;
		return 0;
	case PARAM_CHOICE: /* in the order in which the names are listed */
		*out = value.choice;
		return 0;
	default:
		*out = value.f64;
		return 0;
	}
}

bool config_has_range(const struct param *entry)
{
	return entry->kind == PARAM_CHOICE || entry->kind == PARAM_U32 || entry->kind == PARAM_U64 ||
	       entry->kind == PARAM_PS || entry->kind == PARAM_F64;
}

static int prior_check_range(struct arena *arena, const struct yaml_node *range, struct error *err)
{
	const struct param *entry = config_key_entry(range->key, range->key_pos, err);
	double low, high;

	if (!entry)
		return -1;
	if (!config_has_range(entry))
		return error_set(err, range->key_pos, "'%s' is no number: it has no range", range->key);
	if (bind_expect(range, YAML_SEQUENCE, "a prior", err))
		return -1;
	if (range->nr_children != 2)
		return error_set(err, range->pos, "a prior is [low, high], not %d values", range->nr_children);
	if (bind_expect(range->children, YAML_SCALAR, "the low end of a prior", err) ||
	    bind_expect(range->children->next, YAML_SCALAR, "the high end of a prior", err) ||
	    config_number(arena, range->children, entry, &low, err) ||
	    config_number(arena, range->children->next, entry, &high, err))
		return -1;
	if (low > high)
		return error_set(err, range->pos, "the low end %s of the prior is above the high end %s",
				 range->children->text, range->children->next->text);
	return 0;
}

/* Points differ by swept values only, and the key is not swept: the first will do. */
int config_check_value(const struct experiment *experiment, const char *key, const struct yaml_node *end, bool *taken,
		       struct error *err)
{
	struct arena *arena = arena_create();
	struct yaml_node *extra = config_mapping(arena, end->pos);
	int nr = experiment->nr_machines * experiment->nr_variants;
	int failed = yaml_set(arena, extra, key, end->text, end->pos, err);

	for (int i = 0; i < nr && !failed; i++) {
		struct config_at at = { .machine = i / experiment->nr_variants,
					.variant = i % experiment->nr_variants };
		struct yaml_node *tree = config_point_tree(experiment, arena, at, extra);
		struct run_config config;

		failed = config_bind_point(arena, tree, experiment->machine_names[at.machine], &config, err);
		*taken |= yaml_at(tree, key) != NULL;
	}
	arena_destroy(arena);
	return failed;
}

bool config_is_swept(const struct experiment *experiment, const char *key)
{
	for (int i = 0; i < experiment->nr_axes; i++) {
		if (!strcmp(experiment->axes[i].key, key))
			return true;
	}
	return false;
}

static int prior_read(struct experiment *experiment, const struct yaml_node *range, struct error *err)
{
	bool taken = false;

	if (prior_check_range(experiment->arena, range, err))
		return -1;
	if (config_is_swept(experiment, range->key))
		return error_set(err, range->key_pos, "'%s' is swept: it has no prior", range->key);
	if (experiment->sets && yaml_at(experiment->sets, range->key))
		return 0;
	for (const struct yaml_node *end = range->children; end; end = end->next) {
		if (config_check_value(experiment, range->key, end, &taken, err))
			return -1;
	}
	if (!taken) /* --set may have chosen plug-ins that do without the parameter */
		return experiment->sets ? 0 : unused_key(range->key, range->key_pos, err);
	experiment->priors[experiment->nr_priors++] = (struct prior){
		.key = range->key,
		.low = range->children->text,
		.high = range->children->next->text,
	};
	return 0;
}

int config_priors_read(struct experiment *experiment, const struct yaml_node *node, struct error *err)
{
	if (!node)
		return 0;
	if (config_expect_some(node, YAML_MAPPING, "priors", CONFIG_MAX_PRIORS, err))
		return -1;
	experiment->priors = arena_calloc(experiment->arena, (size_t)node->nr_children, sizeof(struct prior));
	for (const struct yaml_node *range = node->children; range; range = range->next) {
		if (prior_read(experiment, range, err))
			return -1;
	}
	return 0;
}
