/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Result files: byte-equal round trips, and every kind of damage refused with its place. */
#include "sim/io/results_file.h"

#include "sim/util/rng.h"
#include "tests/support/sample_results.h"
#include "tests/support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const files[] = { "samples.csv", "summary.csv", "result.json" };
#define NR_FILES 3

static void assert_same_files(const struct scratch *scratch, const char *a, const char *b)
{
	for (int i = 0; i < NR_FILES; i++) {
		const char *path_a = scratch_path(scratch, arena_printf(scratch->arena, "%s/%s", a, files[i]));
		const char *path_b = scratch_path(scratch, arena_printf(scratch->arena, "%s/%s", b, files[i]));

		assert_string_equal(scratch_read(scratch, path_a), scratch_read(scratch, path_b));
	}
}

static void assert_round_trip(const struct scratch *scratch, const struct results *results)
{
	const struct results *loaded;

	assert_int_equal(results_save(results, scratch_path(scratch, "new/a"), NULL), 0);
	loaded = results_load(scratch->arena, scratch_path(scratch, "new/a"), NULL);
	assert_non_null(loaded);
	assert_int_equal(results_save(loaded, scratch_path(scratch, "b"), NULL), 0);
	assert_same_files(scratch, "new/a", "b");
}

static void what_is_loaded_is_saved_byte_by_byte(void **state)
{
	const struct scratch *scratch = *state;

	assert_round_trip(scratch, sample_results(scratch->arena));
	assert_round_trip(scratch, sample_small(scratch->arena));
	assert_round_trip(scratch, sample_mail(scratch->arena, 2));
}

static void numbers_of_more_than_nine_digits_survive_a_round_trip_too(void **state)
{
	const struct scratch *scratch = *state;
	struct results *results = sample_results(scratch->arena);
	struct rng rng = rng_stream(1, 0);

	for (int i = 0; i < 2 * 3 * 6 * 2 * 2; i++)
		results->values[i] =
			(double)rng_between(&rng, 1, INT64_C(1) << 52) / (double)rng_between(&rng, 1, 1 << 30);
	assert_round_trip(scratch, results);
}

static void a_set_without_axes_or_runs_survives(void **state)
{
	const struct scratch *scratch = *state;
	struct results *results = sample_results(scratch->arena);

	results->nr_axes = 0;
	results->published = NULL;
	results_allocate(results);
	assert_round_trip(scratch, results);
	*results_at(results, 1, 2, 0, 1, 1) = 3;
	assert_round_trip(scratch, results);
}

static void everything_is_read_back(void **state)
{
	const struct scratch *scratch = *state;
	const struct results *saved = sample_results(scratch->arena);
	const struct results *loaded;

	assert_int_equal(results_save(saved, scratch->dir, NULL), 0);
	loaded = results_load(scratch->arena, scratch_path(scratch, "result.json"), NULL);
	assert_non_null(loaded);
	assert_ptr_equal(loaded->arena, scratch->arena);
	assert_string_equal(loaded->experiment, "sample");
	assert_string_equal(loaded->title, "a sample, \"quoted\"");
	assert_string_equal(loaded->version, "1.2.3");
	assert_string_equal(loaded->config_hash, "0123abcd");
	assert_string_equal(loaded->config_text, "workload: {name: pread}\n");
	assert_string_equal(loaded->engine, "simgrid");
	assert_string_equal(loaded->published, "results/published/sample.csv");
	assert_true(loaded->seed == UINT64_MAX);
	assert_int_equal(loaded->nr_machines, 2);
	assert_int_equal(loaded->nr_variants, 3);
	assert_string_equal(loaded->variants[2], "none");
	assert_int_equal(loaded->baseline, 0);
	assert_int_equal(loaded->nr_axes, 2);
	assert_string_equal(loaded->axes[1].key, "machine.transfer.remote_ns");
	assert_true(loaded->axes[1].value_numbers[1] == 200);
	assert_string_equal(loaded->metrics[1].unit, "per op");
	assert_int_equal(loaded->nr_boundaries, 1);
	assert_int_equal(loaded->boundaries[0].before, 2);
	assert_string_equal(loaded->boundaries[0].label, "Cross socket NUMA");
	assert_int_equal(loaded->nr_replications, 2);
	assert_memory_equal(loaded->values, saved->values, 2 * 3 * 6 * 2 * 2 * sizeof(double));
}

static void the_three_files_look_as_documented(void **state)
{
	static const char start[] = "machine,variant,threads,replication,metric,value,unit\n"
				    "box,vanilla,1,0,throughput,333.333333,ops/s\n"
				    "box,vanilla,1,0,cas_failures,0.1,per op\n"
				    "box,vanilla,1,1,throughput,1010,ops/s\n";
	const struct scratch *scratch = *state;
	struct results *results = sample_small(scratch->arena);
	const char *samples, *summary;

	*results_at(results, 0, 0, 0, 0, 0) = 1000.0 / 3;
	assert_int_equal(results_save(results, scratch->dir, NULL), 0);
	samples = scratch_read(scratch, scratch_path(scratch, "samples.csv"));
	summary = scratch_read(scratch, scratch_path(scratch, "summary.csv"));
	assert_int_equal(strncmp(samples, start, sizeof(start) - 1), 0);
	/* of the failed runs no sample, but a line in the summary that says so */
	assert_null(strstr(samples, "patched,4,"));
	assert_non_null(strstr(summary, "machine,variant,threads,metric,unit,mean,ci95_low,ci95_high,n\n"));
	assert_non_null(strstr(summary, "\nbox,patched,2,throughput,ops/s,1200,1175.15862,1224.84138,3\n"));
	assert_non_null(strstr(summary, "\nbox,patched,4,throughput,ops/s,,,,0\n"));
}

static void one_replication_has_no_interval(void **state)
{
	const struct scratch *scratch = *state;

	assert_int_equal(results_save(sample_mail(scratch->arena, 1), scratch->dir, NULL), 0);
	assert_non_null(strstr(scratch_read(scratch, scratch_path(scratch, "summary.csv")),
			       ",vanilla,1,throughput,ops/s,1343381,,,1\n"));
}

static const char *replace(const struct scratch *scratch, const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);

	assert_non_null(at);
	return arena_printf(scratch->arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

/* One damage to one file of a good set. */
struct damage {
	const char *file, *from, *to, *error;
};

static void assert_refused(const struct scratch *scratch, const struct damage *damage)
{
	const char *path = scratch_path(scratch, damage->file);
	struct error err = { 0 };
	char text[1200];

	assert_int_equal(results_save(sample_results(scratch->arena), scratch->dir, NULL), 0);
	scratch_write(scratch, damage->file, replace(scratch, scratch_read(scratch, path), damage->from, damage->to));
	assert_null(results_load(scratch->arena, scratch->dir, &err));
	error_format(&err, text, sizeof(text));
	assert_int_equal(strncmp(text, path, strlen(path)), 0);
	assert_string_equal(text + strlen(path), damage->error);
}

static void damaged_samples_are_refused_at_their_place(void **state)
{
	static const struct damage cases[] = {
		{ "samples.csv", "variant,threads", "variant,cpus",
		  ":1:17: the column is 'cpus' where 'threads' is due" },
		{ "samples.csv", "one,", "three,", ":2:1: machine 'three' is not in result.json" },
		{ "samples.csv", "vanilla", "vanila", ":2:5: variant 'vanila' is not in result.json" },
		{ "samples.csv", "vanilla,1,", "vanilla,1.0,", ":2:13: threads '1.0' is not in result.json" },
		{ "samples.csv", "1,100,", "1,300,", ":2:15: machine.transfer.remote_ns '300' is not in result.json" },
		{ "samples.csv", "100,0,", "100,2,", ":2:19: replication '2' is not one of 0 to 1" },
		{ "samples.csv", "100,0,", "100,-1,", ":2:19: replication '-1' is not one of 0 to 1" },
		{ "samples.csv", "100,0,", "100,0.5,", ":2:19: replication '0.5' is not one of 0 to 1" },
		{ "samples.csv", "100,0,", "100,99999999999,",
		  ":2:19: replication '99999999999' is not one of 0 to 1" },
		{ "samples.csv", "throughput", "speed", ":2:21: metric 'speed' is not in result.json" },
		{ "samples.csv", "0.5,ops/s", "nan,ops/s", ":2:32: 'nan' is no number" },
		{ "samples.csv", "0.5,ops/s", "1e400,ops/s", ":2:32: '1e400' is no number" },
		{ "samples.csv", "0.5,ops/s", "0.5,op/s", ":2:36: the unit is 'op/s' where result.json says 'ops/s'" },
		{ "samples.csv", "one,vanilla,1,100,1,throughput", "one,vanilla,1,100,0,throughput",
		  ":4:1: this number stands here a second time" },
		{ "samples.csv", "0.5,ops/s", "\"0.5,ops/s", ":2:32: a quoted field that does not end" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_refused(*state, &cases[i]);
}

static void damaged_documents_are_refused(void **state)
{
	static const struct damage cases[] = {
		{ "result.json", "\"format\": 1", "\"format\": 2", ": format: written by another version of contend" },
		{ "result.json", "\"format\": 1,", "\"format\": 1,,", ":2:15: string or '}' expected near ','" },
		{ "result.json", "\"title\"", "\"version\"", ":5:11: duplicate object key near '\"version\"'" },
		{ "result.json", "\"title\"", "\"titel\"", ": not a result of contend: Object item not found: title" },
		{ "result.json", "\"format\": 1,", "\"format\": 1, \"more\": 0,",
		  ": not a result of contend: 1 object item(s) left unpacked: more" },
		{ "result.json", "\"seed\": \"18446744073709551615\"", "\"seed\": \"18446744073709551616\"",
		  ": seed: must be the digits of a 64-bit number" },
		{ "result.json", "\"seed\": \"1", "\"seed\": \"-1", ": seed: must be the digits of a 64-bit number" },
		{ "result.json", "\"replications\": 2", "\"replications\": 0", ": replications: out of range" },
		{ "result.json", "\"replications\": 2", "\"replications\": 4294967298",
		  ": replications: out of range" },
		{ "result.json", "\"replications\": 2", "\"replications\": 1000000", ": more than 16777216 numbers" },
		{ "result.json", "\"baseline\": \"vanilla\"", "\"baseline\": \"other\"",
		  ": baseline: must be one of the variants" },
		{ "result.json", "\"patched\"", "\"vanilla\"", ": variants: two items are equal" },
		{ "result.json", "\"patched\"", "\"\"", ": variants: every item must be a text that is not empty" },
		{ "result.json", "\"patched\"", "7", ": variants: every item must be a text that is not empty" },
		{ "result.json", "\"key\": \"machine.transfer.remote_ns\"", "\"key\": \"threads\"",
		  ": axes: every key must be different and not empty" },
		{ "result.json", "\"values\"", "\"value\"", ": axes: Object item not found: values" },
		{ "result.json", "\"cas_failures\"", "\"throughput\"",
		  ": metrics: every name must be different and not empty" },
		{ "result.json", "\"machine\": \"one\"", "\"machine\": \"three\"", ": boundaries: an unknown machine" },
		{ "result.json", "\"before\": 2", "\"before\": -1", ": boundaries: 'before' is out of range" },
		{ "result.json", "\"before\": 2", "\"before\": 2147483647", ": boundaries: 'before' is out of range" },
		{ "result.json", "\"published\": \"results/published/sample.csv\"", "\"published\": 1",
		  ": published: must be a path or null" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_refused(*state, &cases[i]);
}

static void adaptive_sets_and_shards_are_what_they_were_when_read_back(void **state)
{
	const struct scratch *scratch = *state;
	struct results *saved = sample_results(scratch->arena);
	struct results *loaded;
	struct error err;

	saved->min_replications = 2;
	saved->until_ppm = 2500;
	saved->shard = 2;
	saved->nr_shards = 3;
	assert_int_equal(results_save(saved, scratch->dir, NULL), 0);
	/* a shard has no summary */
	assert_int_equal(scratch_count(scratch), 2);
	assert_null(results_load(scratch->arena, scratch->dir, &err));
	assert_non_null(strstr(err.text, "is shard 2 of 3: put the shards together with `contend merge`"));
	loaded = results_load_any(scratch->arena, scratch->dir, NULL);
	assert_non_null(loaded);
	assert_int_equal(loaded->min_replications, 2);
	assert_int_equal(loaded->until_ppm, 2500);
	assert_int_equal(loaded->shard, 2);
	assert_int_equal(loaded->nr_shards, 3);
	assert_null(results_difference(loaded, saved));
}

static void what_makes_sets_no_parts_of_one_sweep_is_named(void **state)
{
	const struct scratch *scratch = *state;
	const struct results *one = sample_results(scratch->arena);
	struct results *other = sample_results(scratch->arena);

	other->engine = "another";
	other->title = "another";
	assert_null(results_difference(one, other));
	other->nr_metrics = 1;
	assert_string_equal(results_difference(one, other), "set of metrics");
	other->axes[1].values[1] = "300";
	assert_string_equal(results_difference(one, other), "configuration");
	other->version = "0";
	assert_string_equal(results_difference(one, other), "version of contend");
	other->experiment = "x";
	assert_string_equal(results_difference(one, other), "experiment");
}

static void damaged_adaptive_sets_and_shards_are_refused(void **state)
{
	static const struct {
		const char *member, *text;
	} cases[] = {
		{ "\"adaptive\": {\"min\": 1, \"until_ppm\": 10}", "adaptive: out of range" },
		{ "\"adaptive\": {\"min\": 3, \"until_ppm\": 10}", "adaptive: out of range" },
		{ "\"adaptive\": {\"min\": 2, \"until_ppm\": 0}", "adaptive: out of range" },
		{ "\"adaptive\": {\"min\": 2, \"until_ppm\": 1000001}", "adaptive: out of range" },
		{ "\"adaptive\": {\"min\": 2}", "adaptive: Object item not found: until_ppm" },
		{ "\"adaptive\": 2", "adaptive: Expected object, got integer" },
		{ "\"shard\": {\"index\": 0, \"of\": 2}", "shard: out of range" },
		{ "\"shard\": {\"index\": 3, \"of\": 2}", "shard: out of range" },
		{ "\"shard\": {\"index\": 3, \"of\": 100001}", "shard: out of range" },
		{ "\"shard\": null", "shard: Expected object, got null" },
	};
	const struct scratch *scratch = *state;
	const char *json;

	assert_int_equal(results_save(sample_results(scratch->arena), scratch->dir, NULL), 0);
	json = scratch_read(scratch, scratch_path(scratch, "result.json"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err;

		scratch_write(scratch, "result.json",
			      arena_printf(scratch->arena, "{ %s,%s", cases[i].member, json + 1));
		assert_null(results_load_any(scratch->arena, scratch->dir, &err));
		assert_non_null(strstr(err.text, cases[i].text));
	}
}

static void whole_files_of_another_kind_are_refused(void **state)
{
	static const char *const documents[] = { "", "[]", "{}", "null", "{", "\xff\xfe", "{\"format\": 1}" };
	const struct scratch *scratch = *state;
	char *nested = arena_alloc(scratch->arena, 200001);

	for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
		scratch_write(scratch, "result.json", documents[i]);
		assert_null(results_load(scratch->arena, scratch->dir, NULL));
	}
	memset(nested, '[', 200000);
	scratch_write(scratch, "result.json", nested);
	assert_null(results_load(scratch->arena, scratch->dir, NULL));
}

static void missing_files_are_named(void **state)
{
	const struct scratch *scratch = *state;
	struct error err;

	assert_null(results_load(scratch->arena, scratch->dir, &err));
	assert_string_equal(err.text,
			    arena_printf(scratch->arena, "cannot read '%s/result.json': No such file or directory",
					 scratch->dir));
	assert_int_equal(results_save(sample_small(scratch->arena), scratch->dir, NULL), 0);
	assert_int_equal(unlink(scratch_path(scratch, "samples.csv")), 0);
	assert_null(results_load(scratch->arena, scratch->dir, &err));
	assert_string_equal(err.text,
			    arena_printf(scratch->arena, "cannot read '%s/samples.csv': No such file or directory",
					 scratch->dir));
}

static void any_byte_may_be_wrong(void **state)
{
	const struct scratch *scratch = *state;
	struct rng rng = rng_stream(7, 0);

	assert_int_equal(results_save(sample_results(scratch->arena), scratch->dir, NULL), 0);
	for (int i = 0; i < 600; i++) {
		const char *name = i % 2 ? "samples.csv" : "result.json";
		const char *path = scratch_path(scratch, name);
		const char *good = scratch_read(scratch, path);
		size_t nr = strlen(good);
		char *bad = arena_strdup(scratch->arena, good);
		const struct results *loaded;

		bad[rng_below(&rng, nr)] = (char)rng_below(&rng, 256);
		scratch_write_bytes(scratch, name, bad, nr);
		loaded = results_load(scratch->arena, scratch->dir, NULL);
		/* either refused, or a set that can be written */
		if (loaded)
			assert_int_equal(results_save(loaded, scratch_path(scratch, "again"), NULL), 0);
		scratch_write(scratch, name, good);
	}
}

static void texts_that_are_no_utf8_are_not_saved(void **state)
{
	const struct scratch *scratch = *state;
	struct results *results = sample_small(scratch->arena);
	struct error err;

	results->title = "\xff";
	assert_int_equal(results_save(results, scratch->dir, &err), -1);
	assert_non_null(strstr(err.text, "cannot be written as JSON"));
	results->title = "fine";
	results->machines[0] = "\xff";
	assert_int_equal(results_save(results, scratch->dir, &err), -1);
	assert_non_null(strstr(err.text, "it is not UTF-8 text"));
	assert_int_equal(scratch_count(scratch), 0);
}

static void a_directory_that_cannot_be_made_is_an_error(void **state)
{
	const struct scratch *scratch = *state;
	const char *file = scratch_write(scratch, "file", "");
	struct error err;

	assert_int_equal(results_save(sample_small(scratch->arena), scratch_path(scratch, "file/dir"), &err), -1);
	assert_string_equal(err.text,
			    arena_printf(scratch->arena, "cannot make directory '%s': Not a directory", file));
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_SCRATCH(what_is_loaded_is_saved_byte_by_byte),
		IN_SCRATCH(numbers_of_more_than_nine_digits_survive_a_round_trip_too),
		IN_SCRATCH(a_set_without_axes_or_runs_survives),
		IN_SCRATCH(everything_is_read_back),
		IN_SCRATCH(the_three_files_look_as_documented),
		IN_SCRATCH(one_replication_has_no_interval),
		IN_SCRATCH(damaged_samples_are_refused_at_their_place),
		IN_SCRATCH(damaged_documents_are_refused),
		IN_SCRATCH(adaptive_sets_and_shards_are_what_they_were_when_read_back),
		IN_SCRATCH(what_makes_sets_no_parts_of_one_sweep_is_named),
		IN_SCRATCH(damaged_adaptive_sets_and_shards_are_refused),
		IN_SCRATCH(whole_files_of_another_kind_are_refused),
		IN_SCRATCH(missing_files_are_named),
		IN_SCRATCH(any_byte_may_be_wrong),
		IN_SCRATCH(texts_that_are_no_utf8_are_not_saved),
		IN_SCRATCH(a_directory_that_cannot_be_made_is_an_error),
	};

	return cmocka_run_group_tests_name("results_file", tests, NULL, NULL);
}
