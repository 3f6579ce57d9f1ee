/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Resolved configurations as YAML text, and the hash of an experiment's.
 */
#include "models/config_parts.h"

#include "sim/io/yaml_text.h"
#include "sim/util/hash.h"

#include <string.h>

/* A machine's tree with its name in front, as an experiment may give it inline. */
static struct yaml_node *named_machine(const struct experiment *experiment, struct arena *arena, int machine)
{
	struct yaml_node *tree = yaml_copy(arena, experiment->machine_trees[machine]);

	config_prepend(tree, "name", config_scalar(arena, experiment->machine_names[machine], tree->pos));
	return tree;
}

char *experiment_text(const struct experiment *experiment, struct arena *arena, int machine, int variant, int point,
		      struct error *err)
{
	struct config_at at = { .machine = machine, .variant = variant, .point = point };
	struct yaml_node *tree = config_point_tree(experiment, arena, at, NULL);
	struct yaml_node *machine_tree = yaml_get(tree, "machine");
	struct run_config config;

	if (config_bind_point(arena, tree, experiment->machine_names[machine], &config, err))
		return NULL;
	config_prepend(machine_tree, "name",
		       config_scalar(arena, experiment->machine_names[machine], machine_tree->pos));
	return yaml_text(arena, tree);
}

static struct yaml_node *machines_tree(const struct experiment *experiment, struct arena *arena)
{
	struct yaml_node *list = config_mapping(arena, experiment->tree->pos);

	list->kind = YAML_SEQUENCE;
	for (int i = 0; i < experiment->nr_machines; i++)
		config_append(list, NULL, named_machine(experiment, arena, i));
	return list;
}

static struct yaml_node *variants_tree(const struct experiment *experiment, struct arena *arena)
{
	struct yaml_node *tree = config_mapping(arena, experiment->tree->pos);

	for (int i = 0; i < experiment->nr_variants; i++)
		config_append(tree, experiment->variant_names[i], yaml_copy(arena, experiment->variant_trees[i]));
	return tree;
}

static struct yaml_node *sweep_tree(const struct experiment *experiment, struct arena *arena)
{
	struct source_pos pos = experiment->tree->pos;
	struct yaml_node *tree = config_mapping(arena, pos);

	for (int i = 0; i < experiment->nr_axes; i++) {
		const struct axis *axis = &experiment->axes[i];
		struct yaml_node *const *named = experiment->point_trees[i];
		struct yaml_node *values = config_mapping(arena, pos);

		if (!named)
			values->kind = YAML_SEQUENCE;
		for (int v = 0; v < axis->nr_values; v++) {
			if (named)
				config_append(values, axis->values[v], yaml_copy(arena, named[v]));
			else
				config_append(values, NULL, config_scalar(arena, axis->values[v], pos));
		}
		config_append(tree, axis->key, values);
	}
	return tree;
}

struct yaml_node *config_whole_tree(const struct experiment *experiment, struct arena *arena)
{
	struct yaml_node *tree = yaml_copy(arena, experiment->tree);

	config_append(tree, "machines", machines_tree(experiment, arena));
	config_append(tree, "variants", variants_tree(experiment, arena));
	config_append(tree, "sweep", sweep_tree(experiment, arena));
	if (experiment->sets)
		config_append(tree, "set", yaml_copy(arena, experiment->sets));
	return tree;
}

uint64_t config_hash(const char *text)
{
	return hash_bytes(text, strlen(text));
}
