/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/replay_experiment.h"

#include "models/workloads/replay_script.h"

#include <ctype.h>
#include <string.h>

#define REPLICATIONS "3"

/* A file's name without its extensions: of "v6.18.perf-script.txt.xz", "v6.18". They begin with a letter. */
static const char *stem(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = arena_strdup(arena, slash ? slash + 1 : path);

	for (char *dot = strrchr(name, '.'); dot && dot > name && isalpha((unsigned char)dot[1]);
	     dot = strrchr(name, '.'))
		*dot = '\0';
	return name;
}

/* ---- variants ---- */

/* "NAME={...}" or "FILE.yaml" as a name and an overlay. */
static struct yaml_node *read_variant(struct arena *arena, const char *text, const char **name, struct error *err)
{
	const char *equals = strchr(text, '=');

	if (!equals) {
		*name = stem(arena, text);
		return yaml_load(arena, text, err);
	}
	*name = arena_strndup(arena, text, (size_t)(equals - text));
	return yaml_parse(arena, arena_printf(arena, "--variant %s", text), equals + 1, strlen(equals + 1), err);
}

static int add_variants(const struct replay_request *request, struct yaml_node *root, struct error *err)
{
	struct yaml_node *variants = overlay_create(request->arena);

	for (int i = 0; i < request->nr_variants; i++) {
		const char *name;
		struct yaml_node *overlay = read_variant(request->arena, request->variants[i], &name, err);

		if (!overlay)
			return -1;
		if (yaml_get(variants, name))
			return error_plain(
				err, "two variants are named '%s'; NAME={...} or another file name tells them apart",
				name);
		yaml_put(request->arena, variants, name, overlay);
	}
	if (request->nr_variants)
		yaml_put(request->arena, root, "variants", variants);
	return 0;
}

/* ---- threads ---- */

static int count_cpus(struct arena *arena, const char *machine, struct error *err)
{
	const char *path = config_find(arena, CONFIG_MACHINE, machine, (struct source_pos){ 0 }, err);
	struct yaml_node *tree = path ? machine_tree_load(arena, path, err) : NULL;
	struct machine_config config;

	if (!tree || machine_config_bind(arena, tree, machine, &config, err))
		return -1;
	return machine_nr_cpus(machine_create(arena, &config));
}

/* -1 with err. */
static int count_threads(const struct replay_request *request, struct error *err)
{
	const struct replay_script *script = replay_script_load(request->arena, request->trace, 0, err);
	const int nr_cpus = script ? count_cpus(request->arena, request->machine, err) : -1;
	int per_copy;

	if (nr_cpus < 0)
		return -1;
	per_copy = nr_cpus / request->copies < script->nr_cpus ? nr_cpus / request->copies : script->nr_cpus;
	if (!per_copy)
		return error_plain(err, "%d copies need a CPU each; '%s' has %d", request->copies, request->machine,
				   nr_cpus);
	return per_copy * request->copies;
}

/* ---- the experiment ---- */

struct experiment *replay_experiment(const struct replay_request *request, struct error *err)
{
	struct arena *arena = request->arena;
	struct yaml_node *root = overlay_create(arena);
	const char *name = stem(arena, request->trace);
	const int nr_threads = count_threads(request, err);
	const struct yaml_setting settings[] = {
		{ "title", request->copies > 1 ? arena_printf(arena, "replay of %s, %d copies", name, request->copies)
					       : arena_printf(arena, "replay of %s", name) },
		{ "machine", request->machine },
		{ "threads", arena_printf(arena, "%d", nr_threads) },
		{ "workload.name", "replay" },
		{ "workload.trace", request->trace },
		{ "workload.zoneinfo", request->zoneinfo },
		{ "workload.pace", request->pace },
		{ "workload.copies", arena_printf(arena, "%d", request->copies) },
		{ "run.replications", REPLICATIONS },
		{ NULL, NULL },
	};

	root->pos.file = arena_printf(arena, "%s-replay", name);
	if (nr_threads < 0 || yaml_set_all(arena, root, settings, err) || add_variants(request, root, err))
		return NULL;
	return experiment_from_tree(arena, root, request->sets, request->nr_sets, err);
}
