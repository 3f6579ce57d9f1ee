/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values from the command line: --set KEY=VALUE and --overlay FILE, which is
 * one KEY=VALUE per scalar of the file.
 */
#include "models/config_parts.h"

#include <string.h>

#include "sim/io/bind.h"

/* Loose keys while they are collected. */
struct collection {
	const struct experiment *experiment;
	struct arena *arena;
	struct loose_key *keys;
	int nr, max;
};

static void collect(struct collection *collection, struct loose_key key)
{
	if (collection->nr == collection->max) {
		struct loose_key *old = collection->keys;

		collection->max = collection->max ? 2 * collection->max : 16;
		collection->keys = arena_calloc(collection->arena, (size_t)collection->max, sizeof(*old));
		if (collection->nr)
			memcpy(collection->keys, old, (size_t)collection->nr * sizeof(*old));
	}
	collection->keys[collection->nr++] = key;
}

/* A key of the configuration, or the name of an axis of named points. */
static bool is_known(const struct collection *collection, const char *key, struct source_pos pos, struct error *err)
{
	return config_has_named_points(collection->experiment, key) || config_key_entry(key, pos, err);
}

/* Every scalar below node; prefix is the dotted path of node, ending in a dot, or "". */
static int collect_scalars(struct collection *collection, const struct yaml_node *node, const char *prefix,
			   struct error *err)
{
	for (const struct yaml_node *child = node->children; child; child = child->next) {
		const char *key = arena_printf(collection->arena, "%s%s", prefix, child->key);

		if (child->kind == YAML_SEQUENCE)
			return error_set(err, child->pos, "'%s' is a list: an overlay gives single values", key);
		if (child->kind == YAML_SCALAR) {
			if (!is_known(collection, key, child->key_pos, err))
				return -1;
			collect(collection, (struct loose_key){ .key = key, .value = child->text, .pos = child->pos });
		} else if (collect_scalars(collection, child, arena_printf(collection->arena, "%s.", key), err)) {
			return -1;
		}
	}
	return 0;
}

static int collect_file(struct collection *collection, const char *path, struct error *err)
{
	const struct yaml_node *root = yaml_load(collection->arena, path, err);

	if (!root || bind_expect(root, YAML_MAPPING, "an overlay", err))
		return -1;
	return collect_scalars(collection, root, "", err);
}

static int collect_text(struct collection *collection, const char *text, struct error *err)
{
	struct arena *arena = collection->arena;
	struct source_pos pos = { .file = arena_printf(arena, "--set %s", text) };
	const char *equals = strchr(text, '=');
	struct loose_key key;

	if (!equals || equals == text)
		return error_set(err, pos, "must be KEY=VALUE, e.g. machine.transfer.socket_ns=50");
	key = (struct loose_key){ .key = arena_strndup(arena, text, (size_t)(equals - text)),
				  .value = arena_strdup(arena, equals + 1),
				  .pos = pos };
	if (!is_known(collection, key.key, pos, err))
		return -1;
	collect(collection, key);
	return 0;
}

int config_sets_collect(const struct experiment *experiment, const char *const *sets, int nr, struct loose_key **keys,
			int *nr_keys, struct error *err)
{
	struct collection collection = { .experiment = experiment, .arena = experiment->arena };

	for (int i = 0; i < nr; i++) {
		int failed = sets[i][0] == CONFIG_OVERLAY_MARK ? collect_file(&collection, sets[i] + 1, err)
							       : collect_text(&collection, sets[i], err);

		if (failed)
			return -1;
	}
	*keys = collection.keys;
	*nr_keys = collection.nr;
	return 0;
}
