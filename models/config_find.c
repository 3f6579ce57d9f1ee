/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where configuration files are: by path, or by name in the source tree or,
 * for the installed program, in the installed data.
 */
#include "models/config_parts.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/io/bind.h"

#define SUFFIX ".yaml"

/* The directory that holds machines/ and experiments/: the user's own, or that of the source tree or installation. */
static const char *root(void)
{
	const char *own = getenv("CONTEND_CONFIGS");

	return own && own[0] ? own : CONTEND_DATADIR "/configs";
}

char *config_fits_folder(struct arena *arena)
{
	return arena_printf(arena, "%s/fits", root());
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

char *config_stored_path(struct arena *arena, const char *path)
{
	char *full = realpath(path, NULL);
	char *data = realpath(CONTEND_DATADIR, NULL);
	const size_t bytes = data ? strlen(data) : 0;
	char *stored;

	if (full && data && !strncmp(full, data, bytes) && full[bytes] == '/')
		stored = arena_strdup(arena, full + bytes + 1);
	else
		stored = arena_strdup(arena, path);
	free(full);
	free(data);
	return stored;
}

char *config_stored_file(struct arena *arena, const char *stored)
{
	if (stored[0] == '/' || !access(stored, F_OK))
		return arena_strdup(arena, stored);
	return arena_printf(arena, CONTEND_DATADIR "/%s", stored);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **config_names(struct arena *arena, enum config_kind kind)
{
	const char *folder = arena_printf(arena, "%s/%ss", root(), kind_names[kind]);
	struct dirent **entries;
	int nr = scandir(folder, &entries, is_yaml_file, NULL);
	const char **names = arena_calloc(arena, (nr > 0 ? (size_t)nr : 0) + 1, sizeof(*names));

	for (int i = 0; i < nr; i++) {
		names[i] = config_base_name(arena, entries[i]->d_name);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	if (nr > 0)
		qsort(names, (size_t)nr, sizeof(*names), compare_names);
	return names;
}

char *config_find(struct arena *arena, enum config_kind kind, const char *name, struct source_pos pos,
		  struct error *err)
{
	const char *what = kind_names[kind];
	char *path;

	if (strchr(name, '/') || has_suffix(name))
		return arena_strdup(arena, name);
	path = arena_printf(arena, "%s/%ss/%s" SUFFIX, root(), what, name);
	if (!access(path, F_OK))
		return path;
	/* demo.yaml lies beside the folders */
	path = arena_printf(arena, "%s/%s" SUFFIX, root(), name);
	if (kind == CONFIG_EXPERIMENT && !access(path, F_OK))
		return path;
	bind_unknown(pos, arena_printf(arena, "unknown %s", what), name, config_names(arena, kind), err);
	if (err && !strchr(err->text, ';'))
		error_append(err, "; `contend list %ss` names them", what);
	return NULL;
}
