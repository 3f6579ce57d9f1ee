/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An experiment file read into a struct experiment: what only experiments
 * have is taken out of the tree; what is left is the base of every point.
 */
#include "models/config_parts.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sim/io/bind.h"

bool config_is_experiment(const struct yaml_node *tree)
{
	return yaml_get(tree, "workload") != NULL;
}

static int nr_names(const char *const *names)
{
	int nr = 0;

	while (names[nr])
		nr++;
	return nr;
}

/* Every key that an experiment file may have at its top, NULL-ended. */
static const char **experiment_keys(struct arena *arena)
{
	const char *const *others = config_point_keys(arena);
	int nr_other = nr_names(others);
	int nr_only = nr_names(experiment_only_keys);
	int nr_params = 0;
	const char **keys;

	while (point_params_table[nr_params].key)
		nr_params++;
	keys = arena_calloc(arena, (size_t)(nr_params + nr_other + nr_only + 1), sizeof(*keys));
	for (int i = 0; i < nr_params; i++)
		keys[i] = point_params_table[i].key;
	memcpy(keys + nr_params, others, (size_t)nr_other * sizeof(*keys));
	memcpy(keys + nr_params + nr_other, experiment_only_keys, (size_t)nr_only * sizeof(*keys));
	return keys;
}

static int check_keys(struct arena *arena, const struct yaml_node *root, struct error *err)
{
	const char **keys = experiment_keys(arena);

	for (const struct yaml_node *member = root->children; member; member = member->next) {
		int i = 0;

		while (keys[i] && strcmp(keys[i], member->key))
			i++;
		if (!keys[i])
			return bind_unknown(member->key_pos, "unknown key", member->key, keys, err);
	}
	return 0;
}

static int machine_add(struct experiment *experiment, const struct yaml_node *node, struct error *err)
{
	int nr = experiment->nr_machines;
	const char *name;
	struct yaml_node *tree = config_machine_refer(experiment->arena, node, &name, err);

	if (!tree)
		return -1;
	for (int i = 0; i < nr; i++) {
		if (!strcmp(experiment->machine_names[i], name))
			return error_set(err, node->pos, "two machines are called '%s'; give one a `name`", name);
	}
	experiment->machine_names[nr] = name;
	experiment->machine_trees[nr] = tree;
	experiment->nr_machines++;
	return 0;
}

static void machines_allocate(struct experiment *experiment, int nr)
{
	experiment->machine_names = arena_calloc(experiment->arena, (size_t)nr, sizeof(*experiment->machine_names));
	experiment->machine_trees = arena_calloc(experiment->arena, (size_t)nr, sizeof(*experiment->machine_trees));
}

static int read_machines(struct experiment *experiment, struct yaml_node *root, struct error *err)
{
	const struct yaml_node *one = yaml_take(root, "machine");
	const struct yaml_node *list = yaml_take(root, "machines");

	if (one && list)
		return error_set(err, list->key_pos, "give either 'machine' or 'machines', not both");
	if (!one && !list)
		return error_set(err, root->pos, "missing key 'machine'");
	if (one) {
		machines_allocate(experiment, 1);
		return machine_add(experiment, one, err);
	}
	if (config_expect_some(list, YAML_SEQUENCE, "machines", CONFIG_MAX_MACHINES, err))
		return -1;
	machines_allocate(experiment, list->nr_children);
	for (const struct yaml_node *node = list->children; node; node = node->next) {
		if (machine_add(experiment, node, err))
			return -1;
	}
	return 0;
}

static void variants_allocate(struct experiment *experiment, int nr)
{
	experiment->variant_names = arena_calloc(experiment->arena, (size_t)nr, sizeof(*experiment->variant_names));
	experiment->variant_trees = arena_calloc(experiment->arena, (size_t)nr, sizeof(*experiment->variant_trees));
}

static int read_variants(struct experiment *experiment, const struct yaml_node *variants, struct error *err)
{
	if (!variants) {
		variants_allocate(experiment, 1);
		experiment->variant_names[0] = "default";
		experiment->variant_trees[0] = config_mapping(experiment->arena, experiment->tree->pos);
		experiment->nr_variants = 1;
		return 0;
	}
	if (config_expect_some(variants, YAML_MAPPING, "variants", CONFIG_MAX_VARIANTS, err))
		return -1;
	variants_allocate(experiment, variants->nr_children);
	for (const struct yaml_node *node = variants->children; node; node = node->next) {
		struct yaml_node *tree = yaml_copy(experiment->arena, node);

		if (!node->key[0])
			return error_set(err, node->key_pos, "a variant's name is empty");
		if (bind_expect(node, YAML_MAPPING, "a variant", err))
			return -1;
		config_normalise(experiment->arena, tree);
		experiment->variant_names[experiment->nr_variants] = node->key;
		experiment->variant_trees[experiment->nr_variants++] = tree;
	}
	return 0;
}

static int find_variant(const struct experiment *experiment, const char *name)
{
	for (int i = 0; i < experiment->nr_variants; i++) {
		if (!strcmp(experiment->variant_names[i], name))
			return i;
	}
	return -1;
}

static int unknown_variant(const struct experiment *experiment, struct source_pos pos, const char *name,
			   struct error *err)
{
	const char **names = arena_calloc(experiment->arena, (size_t)experiment->nr_variants + 1, sizeof(*names));

	memcpy(names, experiment->variant_names, (size_t)experiment->nr_variants * sizeof(*names));
	return bind_unknown(pos, "unknown variant", name, names, err);
}

static int read_baseline(struct experiment *experiment, const struct yaml_node *baseline, struct error *err)
{
	if (!baseline)
		return 0;
	if (bind_expect(baseline, YAML_SCALAR, "baseline", err))
		return -1;
	experiment->baseline = find_variant(experiment, baseline->text);
	if (experiment->baseline < 0)
		return unknown_variant(experiment, baseline->pos, baseline->text, err);
	return 0;
}

static int read_published(struct experiment *experiment, const struct yaml_node *published, struct error *err)
{
	if (!published)
		return 0;
	if (bind_expect(published, YAML_SCALAR, "published", err))
		return -1;
	experiment->published = config_path_beside(experiment->arena, experiment->path, published->text);
	if (access(experiment->published, R_OK))
		return error_set(err, published->pos, "published table '%s': %s", experiment->published,
				 strerror(errno));
	return 0;
}

static int check_cell(const struct experiment *experiment, const struct yaml_node *cell, struct error *err)
{
	const char *slash;

	if (bind_expect(cell, YAML_SCALAR, "a used cell", err))
		return -1;
	slash = strchr(cell->text, '/');
	if (!slash || slash == cell->text || !slash[1] || strchr(slash + 1, '/'))
		return error_set(err, cell->pos, "'%s' is no cell of a table: must be ROW/COLUMN, e.g. 1/vanilla",
				 cell->text);
	if (find_variant(experiment, slash + 1) < 0)
		return unknown_variant(experiment, cell->pos, slash + 1, err);
	return 0;
}

static int read_published_used(struct experiment *experiment, const struct yaml_node *used, struct error *err)
{
	if (!used)
		return 0;
	if (bind_expect(used, YAML_SEQUENCE, "published_used", err))
		return -1;
	if (!experiment->published)
		return error_set(err, used->key_pos, "published_used without a 'published' table");
	experiment->published_used =
		arena_calloc(experiment->arena, (size_t)used->nr_children + 1, sizeof(*experiment->published_used));
	for (const struct yaml_node *cell = used->children; cell; cell = cell->next) {
		if (check_cell(experiment, cell, err))
			return -1;
		experiment->published_used[experiment->nr_published_used++] = cell->text;
	}
	return 0;
}

static int read_title(struct experiment *experiment, struct error *err)
{
	const struct yaml_node *title = yaml_get(experiment->tree, "title");

	if (title && bind_expect(title, YAML_SCALAR, "title", err))
		return -1;
	experiment->title = title ? title->text : experiment->name;
	return 0;
}

static int check_size(const struct experiment *experiment, const struct yaml_node *sweep, struct error *err)
{
	int64_t nr = (int64_t)experiment->nr_machines * experiment->nr_variants;

	for (int i = 0; i < experiment->nr_axes && nr <= CONFIG_MAX_POINTS; i++)
		nr *= experiment->axes[i].nr_values;
	if (nr > CONFIG_MAX_POINTS)
		return error_set(err, sweep->pos,
				 "the sweep has too many points: at most %d over all machines and variants",
				 CONFIG_MAX_POINTS);
	return 0;
}

/* What only an experiment has, out of root and into experiment; root is then the base of its points. */
static int read_members(struct experiment *experiment, struct yaml_node *root, struct error *err)
{
	experiment->tree = root;
	config_normalise(experiment->arena, root);
	config_name_defaults(experiment->arena, root);
	if (read_title(experiment, err) || read_machines(experiment, root, err) ||
	    read_variants(experiment, yaml_take(root, "variants"), err) ||
	    read_baseline(experiment, yaml_take(root, "baseline"), err) ||
	    read_published(experiment, yaml_take(root, "published"), err) ||
	    read_published_used(experiment, yaml_take(root, "published_used"), err))
		return -1;
	return 0;
}

static int experiment_fill(struct experiment *experiment, struct yaml_node *root, const char *const *sets, int nr_sets,
			   struct error *err)
{
	const struct yaml_node *priors, *fit, *sweep;
	struct loose_key *keys;
	int nr_keys;

	if (bind_expect(root, YAML_MAPPING, "an experiment", err) || check_keys(experiment->arena, root, err))
		return -1;
	priors = yaml_take(root, "priors");
	fit = yaml_take(root, "fit");
	sweep = yaml_take(root, "sweep");
	if (read_members(experiment, root, err) || config_sweep_read(experiment, sweep, err) ||
	    config_sets_collect(experiment, sets, nr_sets, &keys, &nr_keys, err) ||
	    config_sets_apply(experiment, keys, nr_keys, err) || check_size(experiment, sweep, err) ||
	    config_check_points(experiment, keys, nr_keys, err) ||
	    config_ranges_read(experiment, priors, "priors", &experiment->priors, err))
		return -1;
	return config_fit_read(experiment, fit, err);
}

struct experiment *experiment_from_tree(struct arena *arena, struct yaml_node *root, const char *const *sets,
					int nr_sets, struct error *err)
{
	struct experiment *experiment = arena_alloc(arena, sizeof(*experiment));

	experiment->arena = arena;
	experiment->path = root->pos.file;
	experiment->name = config_base_name(arena, root->pos.file);
	return experiment_fill(experiment, root, sets, nr_sets, err) ? NULL : experiment;
}

struct experiment *experiment_load(struct arena *arena, const char *path, const char *const *sets, int nr_sets,
				   struct error *err)
{
	struct yaml_node *root = yaml_load(arena, path, err);

	return root ? experiment_from_tree(arena, root, sets, nr_sets, err) : NULL;
}
