/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/paths.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

static bool is_directory(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool has_suffix(const char *text, const char *suffix)
{
	size_t length = strlen(text);
	size_t suffix_length = strlen(suffix);

	return length > suffix_length && strcmp(text + length - suffix_length, suffix) == 0;
}

const char *path_base_name(struct arena *arena, const char *path)
{
	static const char suffix[] = ".yaml";
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	return arena_strndup(arena, base, strlen(base) - (has_suffix(base, suffix) ? sizeof(suffix) - 1 : 0));
}

const char *path_of_results(struct arena *arena, const char *text, struct error *err)
{
	static const char file_name[] = "/result.json";
	const char *directory;

	if (has_suffix(text, file_name))
		return arena_strndup(arena, text, strlen(text) - (sizeof(file_name) - 1));
	if (is_directory(text))
		return arena_strdup(arena, text);
	directory = arena_printf(arena, "results/%s", text);
	if (!strchr(text, '/') && is_directory(directory))
		return directory;
	error_plain(err, "no results in '%s': name the directory that `contend run` wrote, e.g. results/demo", text);
	return NULL;
}

const char *path_of_plots(void)
{
	return CONTEND_DATADIR "/plots";
}
