/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A directory of files for one test. Anything that fails here fails the test. */
#ifndef CONTEND_TESTS_SCRATCH_H
#define CONTEND_TESTS_SCRATCH_H

#include <stddef.h>

#include "sim/util/arena.h"

struct scratch {
	struct arena *arena; /* free for the test to use; goes with the directory */
	const char *dir;
};

/* As cmocka's setup and teardown: *state is a struct scratch. Teardown removes the directory with everything in it. */
int scratch_setup(void **state);
int scratch_teardown(void **state);

/* The path of a name in the directory. */
const char *scratch_path(const struct scratch *scratch, const char *name);

/* Write a file of the directory and return its path; the first form up to the NUL. */
const char *scratch_write(const struct scratch *scratch, const char *name, const char *text);
const char *scratch_write_bytes(const struct scratch *scratch, const char *name, const char *bytes, size_t nr);

/* A whole file as text. */
const char *scratch_read(const struct scratch *scratch, const char *path);

/* How many names the directory holds. */
int scratch_count(const struct scratch *scratch);

#endif
