/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int scratch_setup(void **state)
{
	struct arena *arena = arena_create();
	struct scratch *scratch = arena_alloc(arena, sizeof(*scratch));
	const char *parent = getenv("TMPDIR");
	char *dir = arena_printf(arena, "%s/contend-test-XXXXXX", parent ? parent : "/tmp");

	assert_non_null(mkdtemp(dir));
	*scratch = (struct scratch){ .arena = arena, .dir = dir };
	*state = scratch;
	return 0;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status;
	(void)kind;
	(void)place;
	return remove(path);
}

int scratch_teardown(void **state)
{
	struct scratch *scratch = *state;
	int failed = nftw(scratch->dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);

	arena_destroy(scratch->arena);
	return failed;
}

const char *scratch_path(const struct scratch *scratch, const char *name)
{
	return arena_printf(scratch->arena, "%s/%s", scratch->dir, name);
}

const char *scratch_write(const struct scratch *scratch, const char *name, const char *text)
{
	return scratch_write_bytes(scratch, name, text, strlen(text));
}

const char *scratch_write_bytes(const struct scratch *scratch, const char *name, const char *bytes, size_t nr)
{
	const char *path = scratch_path(scratch, name);
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, nr, out), nr);
	assert_int_equal(fclose(out), 0);
	return path;
}

const char *scratch_read(const struct scratch *scratch, const char *path)
{
	FILE *in = fopen(path, "r");
	char *text;
	long nr;

	assert_non_null(in);
	assert_int_equal(fseek(in, 0, SEEK_END), 0);
	nr = ftell(in);
	rewind(in);
	text = arena_alloc(scratch->arena, (size_t)nr + 1);
	assert_int_equal(fread(text, 1, (size_t)nr, in), nr);
	fclose(in);
	return text;
}

int scratch_count(const struct scratch *scratch)
{
	DIR *dir = opendir(scratch->dir);
	int nr = 0;

	assert_non_null(dir);
	for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
		nr += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(dir);
	return nr;
}
