/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which share of a sweep a process makes: by option, by environment, and how shares are dealt. */
#include "tests/support/unit.h"

#include "sim/cli/shard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void a_shard_is_read_as_index_and_number(void **state)
{
	static const struct {
		const char *text;
		int index, of; /* -1: refused */
	} cases[] = {
		{ "1/2", 1, 2 },
		{ "7/7", 7, 7 },
		{ "100000/100000", 100000, 100000 },
		{ "1/1", 0, 0 },
		{ "01/02", 1, 2 },
		{ "", -1, 0 },
		{ "/", -1, 0 },
		{ "2", -1, 0 },
		{ "0/2", -1, 0 },
		{ "3/2", -1, 0 },
		{ "1/0", -1, 0 },
		{ "1/2/3", -1, 0 },
		{ " 1/2", -1, 0 },
		{ "1/ 2", -1, 0 },
		{ "+1/2", -1, 0 },
		{ "1/100001", -1, 0 },
		{ "4294967297/2", -1, 0 },
		{ "1/4294967297", -1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct shard shard;
		struct error err = { 0 };
		int failed = shard_parse(cases[i].text, &shard, &err);

		assert_int_equal(failed, cases[i].index < 0 ? -1 : 0);
		if (failed) {
			assert_true(err.text[0]);
			continue;
		}
		assert_int_equal(shard.index, cases[i].index);
		assert_int_equal(shard.of, cases[i].of);
	}
}

static void clear_environment(void)
{
	static const char *const names[] = {
		"SLURM_ARRAY_TASK_ID",
		"SLURM_ARRAY_TASK_COUNT",
		"SLURM_ARRAY_TASK_MIN",
		"SLURM_ARRAY_TASK_STEP",
		"PMI_RANK",
		"PMI_SIZE",
		"OMPI_COMM_WORLD_RANK",
		"OMPI_COMM_WORLD_SIZE",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		unsetenv(names[i]);
}

static void every_rank_of_a_scheduler_gets_a_shard_of_its_own(void **state)
{
	static const struct {
		const char *rank, *size, *min, *step;
		int first, distance;
	} cases[] = {
		{ "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP", 10,
		  5 },
		{ "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", NULL, NULL, 0, 1 },
		{ "PMI_RANK", "PMI_SIZE", NULL, NULL, 0, 1 },
		{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL, NULL, 0, 1 },
	};

	(void)state;
	for (size_t i = 0; i < 4 * ARRAY_SIZE(cases); i++) {
		size_t kind = i / 4;
		int rank = (int)(i % 4);
		char text[16];
		struct shard shard;

		clear_environment();
		snprintf(text, sizeof(text), "%d", cases[kind].first + rank * cases[kind].distance);
		setenv(cases[kind].rank, text, 1);
		setenv(cases[kind].size, "4", 1);
		if (cases[kind].min) {
			setenv(cases[kind].min, "10", 1);
			setenv(cases[kind].step, "5", 1);
		}
		assert_int_equal(shard_from_environment(&shard, NULL), 0);
		assert_int_equal(shard.index, rank + 1);
		assert_int_equal(shard.of, 4);
		assert_non_null(strstr(shard.from, cases[kind].rank));
	}
	clear_environment();
}

static void an_environment_without_a_scheduler_is_the_whole(void **state)
{
	struct shard shard = { .index = 3, .of = 4 };

	(void)state;
	clear_environment();
	assert_int_equal(shard_from_environment(&shard, NULL), 0);
	assert_int_equal(shard.of, 0);
	assert_null(shard.from);
}

static void shares_are_dealt_to_and_fro_and_differ_by_one_at_most(void **state)
{
	(void)state;
	assert_int_equal(shard_of_rank(0, 3), 1);
	assert_int_equal(shard_of_rank(2, 3), 3);
	assert_int_equal(shard_of_rank(3, 3), 3);
	assert_int_equal(shard_of_rank(5, 3), 1);
	assert_int_equal(shard_of_rank(6, 3), 1);
	for (int of = 1; of <= 9; of++) {
		for (int nr = 0; nr <= 40; nr++) {
			int counts[10] = { 0 };

			for (int rank = 0; rank < nr; rank++) {
				assert_in_range(shard_of_rank(rank, of), 1, of);
				counts[shard_of_rank(rank, of)]++;
			}
			for (int shard = 1; shard <= of; shard++)
				assert_in_range(counts[shard], nr / of, (nr + of - 1) / of);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_shard_is_read_as_index_and_number),
		cmocka_unit_test(every_rank_of_a_scheduler_gets_a_shard_of_its_own),
		cmocka_unit_test(an_environment_without_a_scheduler_is_the_whole),
		cmocka_unit_test(shares_are_dealt_to_and_fro_and_differ_by_one_at_most),
	};

	return cmocka_run_group_tests_name("shard", tests, NULL, NULL);
}
