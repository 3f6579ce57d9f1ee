/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which keys a point's tree has, out of the parameter tables: so a key can be
 * swept or set whether or not a file mentions it.
 */
#include "models/config_parts.h"

#include <string.h>

#include "models/kernel/kernel.h"
#include "models/workloads/workload.h"
#include "sim/io/bind.h"

/* clang-format off */
const struct param point_params_table[] = {
	PARAM_NAME(struct point_params, title, "", "one line about the experiment, shown above tables and plots"),
	PARAM(struct point_params, threads, "", 0, 1, MACHINE_MAX_CPUS, "number of workers; every CPU has one when not given"),
	PARAM(struct point_params, page_node, "", 0, 0, MACHINE_MAX_NODES - 1, "NUMA node that the contended page lives on"),
	PARAM_END,
};

const struct param machine_params_table[] = {
	PARAM_NAME(struct machine_config, description, "", "one line about the machine"),
	PARAM_END,
};

static const char *const placement_names[] = {
	[PLACEMENT_CORES_FIRST] = "cores-first",
	[PLACEMENT_SIBLINGS_FIRST] = "siblings-first",
	NULL,
};

const struct param placement_entry = {
	.key = "placement", .unit = "", .kind = PARAM_CHOICE, .choices = placement_names,
	.def = PLACEMENT_CORES_FIRST, .help = "order in which workers are put on CPUs, or a list of CPU numbers",
};

static const struct param name_entry = {
	.key = "name", .unit = "", .kind = PARAM_TEXT, .help = "which one",
};
/* clang-format on */

const char *const experiment_only_keys[] = {
	"machines", "variants", "baseline", "sweep", "published", "published_used", "priors", "fit", NULL,
};

const char *config_plugin_key(int plugin)
{
	return plugin < NR_POLICY_AXES ? policy_axis_keys[plugin] : "workload";
}

const char *const *config_point_keys(struct arena *arena)
{
	const char **keys = arena_calloc(arena, NR_PLUGINS + 5, sizeof(*keys));

	for (int plugin = 0; plugin < NR_PLUGINS; plugin++)
		keys[plugin] = config_plugin_key(plugin);
	keys[NR_PLUGINS] = "machine";
	keys[NR_PLUGINS + 1] = "placement";
	keys[NR_PLUGINS + 2] = "run";
	keys[NR_PLUGINS + 3] = "kernel";
	return keys;
}

const struct param *config_plugin_params(int plugin, const char *name)
{
	const struct workload *workload;

	if (plugin < NR_POLICY_AXES) {
		const struct policy *policy = registry_policy((enum policy_axis)plugin, name);

		return policy ? policy->params : NULL;
	}
	workload = registry_workload(name);
	return workload ? workload->params : NULL;
}

struct schema_key {
	const char *key;
	const struct param *entry; /* NULL when the key holds more than one value */
};

struct schema {
	struct arena *arena;
	struct schema_key *keys;
	int nr, capacity;
};

static void schema_add(struct schema *schema, const char *key, const struct param *entry)
{
	if (schema->nr == schema->capacity) {
		struct schema_key *old = schema->keys;

		schema->capacity = schema->capacity ? 2 * schema->capacity : 64;
		schema->keys = arena_calloc(schema->arena, (size_t)schema->capacity, sizeof(*schema->keys));
		if (schema->nr)
			memcpy(schema->keys, old, (size_t)schema->nr * sizeof(*old));
	}
	schema->keys[schema->nr++] = (struct schema_key){ .key = key, .entry = entry };
}

static void schema_add_table(struct schema *schema, const char *prefix, const struct param *table)
{
	for (const struct param *entry = table; entry->key; entry++)
		schema_add(schema, arena_printf(schema->arena, "%s%s", prefix, entry->key), entry);
}

/* `parent`, its sections, and their keys. */
static void schema_add_sections(struct schema *schema, const char *parent, const struct param_section *section)
{
	schema_add(schema, parent, NULL);
	for (; section->name; section++) {
		const char *path = arena_printf(schema->arena, "%s.%s", parent, section->name);

		schema_add(schema, path, NULL);
		schema_add_table(schema, arena_printf(schema->arena, "%s.", path), section->table);
	}
}

static void schema_add_machine(struct schema *schema)
{
	schema_add_sections(schema, "machine", machine_sections);
	schema_add(schema, "machine.transfer.matrix_ns", NULL);
	schema_add_table(schema, "machine.", machine_params_table);
}

static void schema_add_plugins(struct schema *schema)
{
	const struct policy *policy;
	const struct workload *workload;

	for (int plugin = 0; plugin < NR_PLUGINS; plugin++) {
		const char *key = config_plugin_key(plugin);

		schema_add(schema, key, &name_entry);
		schema_add(schema, arena_printf(schema->arena, "%s.name", key), &name_entry);
	}
	for (int axis = 0; axis < NR_POLICY_AXES; axis++) {
		const char *prefix = arena_printf(schema->arena, "%s.", policy_axis_keys[axis]);

		for (int i = 0; (policy = registry_policy_at((enum policy_axis)axis, i)); i++)
			schema_add_table(schema, prefix, policy->params);
	}
	for (int i = 0; (workload = registry_workload_at(i)); i++)
		schema_add_table(schema, "workload.", workload->params);
}

static struct schema schema_create(struct arena *arena)
{
	struct schema schema = { .arena = arena };

	schema_add_table(&schema, "", point_params_table);
	schema_add(&schema, "placement", &placement_entry);
	schema_add_machine(&schema);
	schema_add_sections(&schema, "kernel", kernel_sections);
	schema_add_plugins(&schema);
	schema_add(&schema, "run", NULL);
	schema_add_table(&schema, "run.", run_length_params);
	schema_add_table(&schema, REPLICATIONS_KEY ".", run_replication_params);
	return schema;
}

static int schema_unknown(const struct schema *schema, const char *key, struct source_pos pos, struct error *err)
{
	const char **names = arena_calloc(schema->arena, (size_t)schema->nr + 1, sizeof(*names));

	for (int i = 0; i < schema->nr; i++)
		names[i] = schema->keys[i].key;
	return bind_unknown(pos, "unknown key", key, names, err);
}

const struct param *config_key_entry(const char *key, struct source_pos pos, struct error *err)
{
	struct arena *arena = arena_create();
	struct schema schema = schema_create(arena);
	const struct param *entry = NULL;
	int i = 0;

	while (i < schema.nr && strcmp(schema.keys[i].key, key))
		i++;
	if (i == schema.nr)
		schema_unknown(&schema, key, pos, err);
	else if (!schema.keys[i].entry)
		error_set(err, pos, "'%s' is not a single value: it cannot be set or swept", key);
	else
		entry = schema.keys[i].entry;
	arena_destroy(arena);
	return entry;
}

const char *config_scalar_key(struct arena *arena, const char *key)
{
	for (int plugin = 0; plugin < NR_PLUGINS; plugin++) {
		if (!strcmp(key, config_plugin_key(plugin)))
			return arena_printf(arena, "%s.name", key);
	}
	return key;
}

int config_expect_some(const struct yaml_node *node, enum yaml_kind kind, const char *what, int max, struct error *err)
{
	if (bind_expect(node, kind, what, err))
		return -1;
	if (!node->nr_children)
		return error_set(err, node->pos, "%s is empty", what);
	if (node->nr_children > max)
		return error_set(err, node->pos, "%s has %d entries; at most %d are allowed", what, node->nr_children,
				 max);
	return 0;
}
