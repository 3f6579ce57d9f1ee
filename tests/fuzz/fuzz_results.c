/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as the files of a result set: result.json, then a line of five
 * equals signs, then samples.csv. Refused with a message, or a set that is
 * saved and read back with the same shape, and printed in every format.
 */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/io/results_file.h"
#include "sim/io/table.h"

#define MUST(condition) \
	do { \
		if (!(condition)) \
			abort(); \
	} while (0)

static const char divider[] = "=====\n";
static const char *const file_names[] = { "result.json", "samples.csv", "summary.csv" };

static void write_file(struct arena *arena, const char *dir, const char *name, const void *bytes, size_t size)
{
	FILE *file = fopen(arena_printf(arena, "%s/%s", dir, name), "wb");

	MUST(file && fwrite(bytes, 1, size, file) == size && !fclose(file));
}

static void check_results(const struct results *results, const char *dir)
{
	struct arena *arena = arena_create();
	struct error err = { 0 };
	const struct results *again;
	FILE *sink = fopen("/dev/null", "w");

	MUST(!results_save(results, dir, &err));
	again = results_load(arena, dir, &err);
	MUST(again && results_nr_points(again) == results_nr_points(results));
	MUST(again->nr_metrics == results->nr_metrics && again->nr_variants == results->nr_variants);
	for (int format = TABLE_TEXT; format <= TABLE_JSON; format++) {
		struct table_options options = { .format = (enum table_format)format, .baseline = -1, .why = true };

		if (table_write(sink, results, &options, &err))
			MUST(err.text[0]);
	}
	MUST(!fclose(sink));
	arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *middle = memmem(data, size, divider, sizeof(divider) - 1);
	const size_t json_bytes = middle ? (size_t)(middle - data) : size;
	const size_t skip = middle ? json_bytes + sizeof(divider) - 1 : size;
	struct arena *arena = arena_create();
	struct error err = { 0 };
	char dir[] = "/tmp/fuzz-results-XXXXXX";
	struct results *results;

	MUST(mkdtemp(dir));
	write_file(arena, dir, "result.json", data, json_bytes);
	write_file(arena, dir, "samples.csv", data + skip, size - skip);
	results = results_load(arena, dir, &err);
	if (results)
		check_results(results, dir);
	else
		MUST(err.text[0]);
	for (size_t i = 0; i < sizeof(file_names) / sizeof(file_names[0]); i++)
		unlink(arena_printf(arena, "%s/%s", dir, file_names[i]));
	MUST(!rmdir(dir));
	arena_destroy(arena);
	return 0;
}
