/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The journal of a sweep: what is read back, whatever happened to its tail or its bytes, and whose it is. */
#include "tests/support/unit.h"

#include "sim/io/journal.h"

#include "tests/support/sample_results.h"
#include "sim/util/hash.h"
#include "tests/support/scratch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BUILD "b0b0"
#define NR_RUNS 5

static const struct run_place runs[NR_RUNS] = {
	{ 0, 0, 0, 0 }, { 1, 2, 5, 1 }, { 0, 1, 3, 0 }, { 1, 0, 0, 1 }, { 0, 0, 0, 1 },
};

static struct results *empty_results(struct arena *arena)
{
	struct results *results = sample_results(arena);

	results_allocate(results);
	return results;
}

static double *values_of(const struct results *results, struct run_place place)
{
	return results_at(results, place.machine, place.variant, place.point, place.replication, 0);
}

static int count_present(const struct results *results)
{
	int nr = 0;

	for (size_t i = 0; i < results_nr_values(results); i += (size_t)results->nr_metrics)
		nr += !isnan(results->values[i]);
	return nr;
}

/* A journal with the first nr of runs. */
static const char *write_journal(const struct scratch *scratch, int nr)
{
	const struct results *results = sample_results(scratch->arena);
	const char *path = scratch_path(scratch, "journal");
	struct journal *journal = journal_create(path, BUILD, results, NULL);

	assert_non_null(journal);
	for (int i = 0; i < nr; i++)
		assert_int_equal(journal_append(journal, results, runs[i], NULL), 0);
	journal_close(journal);
	return path;
}

static void runs_are_read_back_into_their_places(void **state)
{
	struct scratch *scratch = *state;
	const char *path = write_journal(scratch, NR_RUNS);
	const struct results *written = sample_results(scratch->arena);
	struct results *results = empty_results(scratch->arena);
	struct journal_content content;

	assert_int_equal(journal_read(path, BUILD, results, &content, NULL), 0);
	assert_int_equal(content.nr_runs, NR_RUNS);
	assert_int_equal(content.nr_damaged, 0);
	assert_int_equal(content.sound_bytes, (long)strlen(scratch_read(scratch, path)));
	assert_int_equal(count_present(results), NR_RUNS);
	for (int i = 0; i < NR_RUNS; i++)
		assert_memory_equal(values_of(results, runs[i]), values_of(written, runs[i]), 2 * sizeof(double));
}

static void a_value_that_is_no_number_comes_back_as_none(void **state)
{
	struct scratch *scratch = *state;
	struct results *written = sample_results(scratch->arena);
	struct results *results = empty_results(scratch->arena);
	const char *path = scratch_path(scratch, "journal");
	struct journal *journal = journal_create(path, BUILD, written, NULL);
	struct journal_content content;

	values_of(written, runs[1])[1] = NAN;
	assert_int_equal(journal_append(journal, written, runs[1], NULL), 0);
	journal_close(journal);
	assert_int_equal(journal_read(path, BUILD, results, &content, NULL), 0);
	assert_int_equal(content.nr_runs, 1);
	assert_int_equal(isnan(values_of(results, runs[1])[0]) != 0, 0);
	assert_int_equal(isnan(values_of(results, runs[1])[1]) != 0, 1);
}

static void a_file_that_is_missing_or_empty_holds_nothing(void **state)
{
	struct scratch *scratch = *state;
	struct results *results = empty_results(scratch->arena);
	struct journal_content content;

	assert_int_equal(journal_read(scratch_path(scratch, "none"), BUILD, results, &content, NULL), 0);
	assert_int_equal(content.sound_bytes, 0);
	assert_int_equal(journal_read(scratch_write(scratch, "empty", ""), BUILD, results, &content, NULL), 0);
	assert_int_equal(content.sound_bytes, 0);
	assert_int_equal(count_present(results), 0);
}

/* Cut after each byte: what is whole before the cut is read, and going on from there gives a sound journal again. */
static void a_journal_cut_anywhere_keeps_its_whole_lines_and_can_be_continued(void **state)
{
	struct scratch *scratch = *state;
	const char *path = write_journal(scratch, 3);
	const char *whole = scratch_read(scratch, path);
	const struct results *written = sample_results(scratch->arena);
	const size_t head_bytes = strcspn(whole, "\n") + 1;

	for (size_t cut = 0; cut <= strlen(whole); cut++) {
		struct results *results = empty_results(scratch->arena);
		struct journal_content content;
		struct journal *journal;
		int nr_lines = 0;

		for (size_t i = 0; i < cut; i++)
			nr_lines += whole[i] == '\n';
		scratch_write_bytes(scratch, "journal", whole, cut);
		assert_int_equal(journal_read(path, BUILD, results, &content, NULL), 0);
		assert_int_equal(content.nr_damaged, 0);
		assert_int_equal(content.nr_runs, nr_lines ? nr_lines - 1 : 0);
		assert_int_equal(count_present(results), content.nr_runs);
		assert_int_equal(content.sound_bytes > 0, cut >= head_bytes);
		if (!content.sound_bytes)
			continue;
		journal = journal_continue(path, &content, NULL);
		assert_non_null(journal);
		assert_int_equal(journal_append(journal, written, runs[4], NULL), 0);
		journal_close(journal);
		results = empty_results(scratch->arena);
		assert_int_equal(journal_read(path, BUILD, results, &content, NULL), 0);
		assert_int_equal(content.nr_damaged, 0);
		assert_int_equal(content.nr_runs, nr_lines);
	}
}

/* Each bit of the runs flipped: never another value, at most runs less. */
static void a_flipped_bit_costs_its_line_and_changes_no_value(void **state)
{
	struct scratch *scratch = *state;
	const char *path = write_journal(scratch, 3);
	char *bytes = arena_strdup(scratch->arena, scratch_read(scratch, path));
	const struct results *written = sample_results(scratch->arena);
	const size_t nr = strlen(bytes);

	for (size_t bit = 8 * (strcspn(bytes, "\n") + 1); bit < 8 * nr; bit++) {
		struct results *results = empty_results(scratch->arena);
		struct journal_content content;

		bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
		scratch_write_bytes(scratch, "journal", bytes, nr);
		bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
		assert_int_equal(journal_read(path, BUILD, results, &content, NULL), 0);
		assert_in_range(content.nr_runs, 1, 2); /* a line end that is lost joins two lines */
		for (size_t i = 0; i < results_nr_values(results); i++) {
			if (!isnan(results->values[i]))
				assert_memory_equal(&results->values[i], &written->values[i], sizeof(double));
		}
	}
}

static void a_damaged_head_is_refused(void **state)
{
	struct scratch *scratch = *state;
	const char *path = write_journal(scratch, 1);
	char *bytes = arena_strdup(scratch->arena, scratch_read(scratch, path));
	struct journal_content content;
	struct error err;

	bytes[30] ^= 1;
	scratch_write(scratch, "journal", bytes);
	assert_int_equal(journal_read(path, BUILD, empty_results(scratch->arena), &content, &err), -1);
	assert_non_null(strstr(err.text, "journal': its first line is damaged"));
}

static void a_journal_of_something_else_is_refused_with_what_differs(void **state)
{
	struct scratch *scratch = *state;
	const char *path = write_journal(scratch, 2);
	struct results *others[5];
	static const char *const messages[] = {
		"is of another version of contend: 1.2.3, now 9", "is of another configuration: 0123abcd, now ffff",
		"is of another build of contend: b0b0, now beef", "is of another shard: 0/0, now 2/3",
		"is of another set of metrics: 2, now 1",
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		others[i] = empty_results(scratch->arena);
	others[0]->version = "9";
	others[1]->config_hash = "ffff";
	others[3]->shard = 2;
	others[3]->nr_shards = 3;
	others[4]->nr_metrics = 1;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		struct journal_content content;
		struct error err;

		assert_int_equal(journal_read(path, i == 2 ? "beef" : BUILD, others[i], &content, &err), -1);
		assert_non_null(strstr(err.text, messages[i]));
		assert_int_equal(count_present(others[i]), 0);
	}
}

static void a_line_that_says_nothing_of_this_sweep_is_passed_over(void **state)
{
	/* with hashes that are right: what a program with another idea of the results would write */
	static const char *const payloads[] = {
		"2 0 0 0 1 2",	 "0 3 0 0 1 2", "0 0 6 0 1 2",	"0 0 0 2 1 2",	 "0 0 0 0 1", "0 0 0 0 1 2 3",
		"0 0 0 0 1 x",	 "0 0 0 0 1 ",	"0 0 0 -1 1 2", "0 0 0 0 1 inf", "",	      "0  0 0 0 1 2",
		"0 0 0 0.5 1 2",
	};
	struct scratch *scratch = *state;
	const char *path = write_journal(scratch, 1);
	struct results *results = empty_results(scratch->arena);
	struct journal_content content;
	FILE *out = fopen(path, "a");

	for (size_t i = 0; i < ARRAY_SIZE(payloads); i++)
		fprintf(out, "%016llx %s\n", (unsigned long long)hash_bytes(payloads[i], strlen(payloads[i])),
			payloads[i]);
	fclose(out);
	assert_int_equal(journal_read(path, BUILD, results, &content, NULL), 0);
	assert_int_equal(content.nr_damaged, ARRAY_SIZE(payloads));
	assert_int_equal(content.nr_runs, 1);
	assert_int_equal(count_present(results), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(runs_are_read_back_into_their_places, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(a_value_that_is_no_number_comes_back_as_none, scratch_setup,
						scratch_teardown),
		cmocka_unit_test_setup_teardown(a_file_that_is_missing_or_empty_holds_nothing, scratch_setup,
						scratch_teardown),
		cmocka_unit_test_setup_teardown(a_journal_cut_anywhere_keeps_its_whole_lines_and_can_be_continued,
						scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(a_flipped_bit_costs_its_line_and_changes_no_value, scratch_setup,
						scratch_teardown),
		cmocka_unit_test_setup_teardown(a_damaged_head_is_refused, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(a_journal_of_something_else_is_refused_with_what_differs, scratch_setup,
						scratch_teardown),
		cmocka_unit_test_setup_teardown(a_line_that_says_nothing_of_this_sweep_is_passed_over, scratch_setup,
						scratch_teardown),
	};

	return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
