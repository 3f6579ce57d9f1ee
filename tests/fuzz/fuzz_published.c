/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a published table: refused with a message, or a table whose
 * shape and cells make sense and that can be marked cell by cell.
 */
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/stats/published.h"

#define MUST(condition) \
	do { \
		if (!(condition)) \
			abort(); \
	} while (0)

static void check_table(struct published *published, struct arena *arena)
{
	struct error err;

	MUST(published->nr_columns >= 1 && published->nr_rows >= 1);
	for (int i = 0; i < published->nr_rows * published->nr_columns; i++)
		MUST(!isinf(published->values[i]) && !published->used[i]);
	MUST((published->kind == PUBLISHED_INDEX) == (published->base != NULL));
	for (int row = 0; row < published->nr_rows; row++)
		MUST(!(published->variations[row] < 0) && !isinf(published->variations[row]));
	for (int row = 0; row < published->nr_rows; row++) {
		const char *cell = arena_printf(arena, "%s/%s", published->rows[row], published->columns[0]);

		if (published_mark_used(published, cell, &err))
			MUST(err.text[0]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_create();
	struct error err = { 0 };
	struct published *published;
	char path[64];
	int fd = memfd_create("table.csv", 0);

	MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	published = published_load(arena, path, &err);
	if (published)
		check_table(published, arena);
	else
		MUST(err.text[0]);
	close(fd);
	arena_destroy(arena);
	return 0;
}
