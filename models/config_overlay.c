/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One tree over another, with what plug-ins (policies and workloads) need
 * beyond yaml_overlay: a mere name is a mapping, another name resets.
 */
#include "models/config_parts.h"

#include <string.h>

struct yaml_node *config_mapping(struct arena *arena, struct source_pos pos)
{
	struct yaml_node *node = arena_alloc(arena, sizeof(*node));

	node->kind = YAML_MAPPING;
	node->pos = pos;
	return node;
}

struct yaml_node *config_scalar(struct arena *arena, const char *text, struct source_pos pos)
{
	struct yaml_node *node = arena_alloc(arena, sizeof(*node));

	node->kind = YAML_SCALAR;
	node->pos = pos;
	node->text = text;
	return node;
}

void config_append(struct yaml_node *parent, const char *key, struct yaml_node *node)
{
	struct yaml_node **end = &parent->children;

	while (*end)
		end = &(*end)->next;
	*end = node;
	node->key = key;
	node->key_pos = node->pos;
	node->next = NULL;
	parent->nr_children++;
}

void config_prepend(struct yaml_node *mapping, const char *key, struct yaml_node *node)
{
	node->key = key;
	node->key_pos = node->pos;
	node->next = mapping->children;
	mapping->children = node;
	mapping->nr_children++;
}

void config_normalise(struct arena *arena, struct yaml_node *tree)
{
	for (int plugin = 0; plugin < NR_PLUGINS; plugin++) {
		struct yaml_node *node = yaml_get(tree, config_plugin_key(plugin));
		struct yaml_node *name;

		if (!node || node->kind != YAML_SCALAR)
			continue;
		name = config_scalar(arena, node->text, node->pos);
		name->quoted = node->quoted;
		node->kind = YAML_MAPPING;
		node->text = NULL;
		node->quoted = false;
		config_append(node, "name", name);
	}
}

void config_name_defaults(struct arena *arena, struct yaml_node *tree)
{
	for (int axis = 0; axis < NR_POLICY_AXES; axis++) {
		const struct policy *policy = registry_default_policy((enum policy_axis)axis);
		struct yaml_node *node = yaml_get(tree, policy_axis_keys[axis]);

		if (!node) {
			node = config_mapping(arena, tree->pos);
			config_append(tree, policy_axis_keys[axis], node);
		}
		if (node->kind == YAML_MAPPING && !yaml_get(node, "name"))
			config_prepend(node, "name", config_scalar(arena, policy->name, node->pos));
	}
}

/* The name that a tree gives a plug-in, or NULL. */
static const char *plugin_name(const struct yaml_node *tree, int plugin)
{
	const struct yaml_node *name = yaml_get(yaml_get(tree, config_plugin_key(plugin)), "name");

	return name && name->kind == YAML_SCALAR ? name->text : NULL;
}

static bool renames(const struct yaml_node *base, const struct yaml_node *over, int plugin)
{
	const char *old = plugin_name(base, plugin);
	const char *new = plugin_name(over, plugin);

	return old && new &&strcmp(old, new);
}

struct yaml_node *config_overlay(struct arena *arena, const struct yaml_node *base, const struct yaml_node *over)
{
	struct yaml_node *out = yaml_overlay(arena, base, over);

	for (int plugin = 0; plugin < NR_PLUGINS; plugin++) {
		const char *key = config_plugin_key(plugin);
		struct yaml_node *merged = yaml_get(out, key);
		const struct yaml_node *alone;

		if (!renames(base, over, plugin))
			continue;
		alone = yaml_copy(arena, yaml_get(over, key));
		merged->pos = alone->pos;
		merged->children = alone->children;
		merged->nr_children = alone->nr_children;
	}
	return out;
}

/* Take members out of a plug-in's mapping that are neither its name nor in the table. */
static void take_unknown(struct yaml_node *mapping, const struct param *table)
{
	struct yaml_node *next;

	for (struct yaml_node *member = mapping->children; member; member = next) {
		next = member->next;
		if (strcmp(member->key, "name") && !param_find(table, member->key))
			yaml_take(mapping, member->key);
	}
}

struct yaml_node *config_overlay_fitting(struct arena *arena, const struct yaml_node *base,
					 const struct yaml_node *over)
{
	struct yaml_node *fitting = yaml_copy(arena, over);

	for (int plugin = 0; plugin < NR_PLUGINS; plugin++) {
		struct yaml_node *mapping = yaml_get(fitting, config_plugin_key(plugin));
		const char *name = plugin_name(fitting, plugin);
		const struct param *table;

		if (!mapping || mapping->kind != YAML_MAPPING)
			continue;
		if (!name)
			name = plugin_name(base, plugin);
		table = name ? config_plugin_params(plugin, name) : NULL;
		if (table)
			take_unknown(mapping, table);
	}
	return config_overlay(arena, base, fitting);
}
