/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where configuration files are: by path, or by name in the source tree and
 * in the installed data.
 */
#include "models/config_parts.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/io/bind.h"

#define SUFFIX ".yaml"

#define NR_ROOTS 2

/* The directories that hold machines/ and experiments/: the user's own, or those of the source tree and of the installation. */
static const char *root_at(size_t root)
{
	static const char *const roots[NR_ROOTS] = { CONTEND_SOURCE_DIR "/configs", CONTEND_DATADIR "/configs" };
	const char *own = getenv("CONTEND_CONFIGS");

	return own && own[0] ? own : roots[root];
}

static const char *const kind_names[] = { [CONFIG_MACHINE] = "machine", [CONFIG_EXPERIMENT] = "experiment" };

static bool has_suffix(const char *name)
{
	size_t bytes = strlen(name);

	return bytes > strlen(SUFFIX) && !strcmp(name + bytes - strlen(SUFFIX), SUFFIX);
}

static int is_yaml_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && has_suffix(entry->d_name);
}

char *config_base_name(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return arena_strndup(arena, name, strlen(name) - (has_suffix(name) ? strlen(SUFFIX) : 0));
}

char *config_path_beside(struct arena *arena, const char *file, const char *relative)
{
	const char *slash = strrchr(file, '/');

	if (relative[0] == '/' || !slash)
		return arena_strdup(arena, relative);
	return arena_printf(arena, "%.*s%s", (int)(slash + 1 - file), file, relative);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sort and drop repeats (a name in both roots); nr before, NULL-ended after. */
static void sort_names(const char **names, size_t nr)
{
	size_t kept = 0;

	if (nr)
		qsort(names, nr, sizeof(*names), compare_names);
	for (size_t i = 0; i < nr; i++) {
		if (!kept || strcmp(names[kept - 1], names[i]))
			names[kept++] = names[i];
	}
	names[kept] = NULL;
}

const char **config_names(struct arena *arena, enum config_kind kind)
{
	const char **names = arena_calloc(arena, 1, sizeof(*names));
	size_t nr = 0;

	for (size_t root = 0; root < NR_ROOTS; root++) {
		const char *folder = arena_printf(arena, "%s/%ss", root_at(root), kind_names[kind]);
		struct dirent **entries;
		int nr_entries = scandir(folder, &entries, is_yaml_file, NULL);
		const char **more;

		if (nr_entries < 0)
			continue;
		more = arena_calloc(arena, nr + (size_t)nr_entries + 1, sizeof(*more));
		memcpy(more, names, nr * sizeof(*more));
		names = more;
		for (int i = 0; i < nr_entries; i++) {
			names[nr++] = config_base_name(arena, entries[i]->d_name);
			free(entries[i]);
		}
		free(entries);
	}
	sort_names(names, nr);
	return names;
}

char *config_find(struct arena *arena, enum config_kind kind, const char *name, struct source_pos pos,
		  struct error *err)
{
	const char *what = kind_names[kind];

	if (strchr(name, '/') || has_suffix(name))
		return arena_strdup(arena, name);
	for (size_t root = 0; root < NR_ROOTS; root++) {
		char *path = arena_printf(arena, "%s/%ss/%s" SUFFIX, root_at(root), what, name);

		if (!access(path, F_OK))
			return path;
		/* demo.yaml lies beside the folders */
		path = arena_printf(arena, "%s/%s" SUFFIX, root_at(root), name);
		if (kind == CONFIG_EXPERIMENT && !access(path, F_OK))
			return path;
	}
	bind_unknown(pos, arena_printf(arena, "unknown %s", what), name, config_names(arena, kind), err);
	return NULL;
}
