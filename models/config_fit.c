/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The `fit` section of an experiment.
 */
#include "models/config_parts.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sim/io/bind.h"

static int check_keys(const struct yaml_node *mapping, const char *what, const char *const *known, struct error *err)
{
	if (bind_expect(mapping, YAML_MAPPING, what, err))
		return -1;
	for (const struct yaml_node *member = mapping->children; member; member = member->next) {
		int i = 0;

		while (known[i] && strcmp(known[i], member->key))
			i++;
		if (!known[i])
			return bind_unknown(member->key_pos, "unknown key", member->key, known, err);
	}
	return 0;
}

static const struct key_range *find_range(const struct key_ranges *ranges, const char *key)
{
	for (int i = 0; i < ranges->nr; i++) {
		if (!strcmp(ranges->ranges[i].key, key))
			return &ranges->ranges[i];
	}
	return NULL;
}

/* Is it a key under `vary`, be it that --set decided it and left it out of the ranges? */
static int check_varied(const struct yaml_node *vary, const struct yaml_node *item, struct error *err)
{
	const char **keys;
	struct arena *arena;
	int nr = 0;

	if (bind_expect(item, YAML_SCALAR, "a key", err))
		return -1;
	if (yaml_get(vary, item->text))
		return 0;
	arena = arena_create();
	keys = arena_calloc(arena, (size_t)vary->nr_children + 1, sizeof(*keys));
	for (const struct yaml_node *range = vary->children; range; range = range->next)
		keys[nr++] = range->key;
	bind_unknown(item->pos, "fit.vary has no key", item->text, keys, err);
	arena_destroy(arena);
	return -1;
}

/* A list of keys under `vary` as ranges. */
static int read_keys(struct experiment *experiment, const struct yaml_node *vary, const struct yaml_node *list,
		     struct key_ranges *out, struct error *err)
{
	if (!list)
		return 0;
	if (bind_expect(list, YAML_SEQUENCE, list->key, err))
		return -1;
	out->ranges = arena_calloc(experiment->arena, (size_t)list->nr_children + 1, sizeof(*out->ranges));
	for (const struct yaml_node *item = list->children; item; item = item->next) {
		const struct key_range *range;

		if (check_varied(vary, item, err))
			return -1;
		range = find_range(&experiment->fit.vary, item->text);
		if (range)
			out->ranges[out->nr++] = *range;
	}
	return 0;
}

/* The other experiment by path, or by name as the program finds it or beside this file. */
static int read_other(struct experiment *experiment, const struct yaml_node *name, struct error *err)
{
	const char *path;

	if (bind_expect(name, YAML_SCALAR, "the other machine's experiment", err))
		return -1;
	path = config_find(experiment->arena, CONFIG_EXPERIMENT, name->text, name->pos, err);
	if (!path)
		return -1;
	if (!strcmp(path, name->text))
		path = config_path_beside(experiment->arena, name->pos.file, path);
	if (access(path, R_OK))
		return error_set(err, name->pos, "experiment '%s': %s", path, strerror(errno));
	experiment->fit.other = path;
	return 0;
}

static int read_other_machine(struct experiment *experiment, const struct yaml_node *vary,
			      const struct yaml_node *other, struct error *err)
{
	static const char *const known[] = { "experiment", "carries", "own", NULL };
	struct fit_section *fit = &experiment->fit;

	if (!other)
		return 0;
	if (check_keys(other, "fit.other_machine", known, err))
		return -1;
	if (!yaml_get(other, "experiment"))
		return error_set(err, other->pos, "missing key 'experiment' in fit.other_machine");
	if (!yaml_get(other, "carries"))
		return error_set(err, other->pos, "missing key 'carries' in fit.other_machine");
	if (read_other(experiment, yaml_get(other, "experiment"), err) ||
	    read_keys(experiment, vary, yaml_get(other, "carries"), &fit->carries, err) ||
	    read_keys(experiment, vary, yaml_get(other, "own"), &fit->own, err))
		return -1;
	for (int i = 0; i < fit->own.nr; i++) {
		if (find_range(&fit->carries, fit->own.ranges[i].key))
			return error_set(err, other->pos, "'%s' is both carried over and each machine's own",
					 fit->own.ranges[i].key);
	}
	if (fit->own.nr && !experiment->nr_published_used)
		return error_set(err, yaml_get(other, "own")->key_pos,
				 "own values come from cells under published_used, and there are none");
	return 0;
}

int config_fit_read(struct experiment *experiment, const struct yaml_node *node, struct error *err)
{
	static const char *const known[] = { "vary", "other_machine", NULL };
	const struct yaml_node *vary;

	if (!node)
		return 0;
	if (check_keys(node, "fit", known, err))
		return -1;
	vary = yaml_get(node, "vary");
	if (!vary)
		return error_set(err, node->pos, "missing key 'vary' in fit");
	if (!experiment->published)
		return error_set(err, node->key_pos, "fit without a 'published' table");
	if (config_ranges_read(experiment, vary, "fit.vary", &experiment->fit.vary, err))
		return -1;
	return read_other_machine(experiment, vary, yaml_get(node, "other_machine"), err);
}
