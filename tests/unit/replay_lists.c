/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a recorded CPU's pcp list holds. */
#include "models/workloads/replay_lists.h"

#include "tests/support/scratch.h"
#include "tests/support/unit.h"

static void what_was_freed_last_is_taken_first_and_what_a_refill_brought_first_too(void **state)
{
	const struct scratch *scratch = *state;
	struct replay_list list = { 0 };
	uint64_t pfn;

	assert_false(replay_list_pop(&list, &pfn));
	for (uint64_t i = 1; i <= 5000; i++)
		replay_list_push(&list, scratch->arena, i);
	for (uint64_t i = 5000; i >= 1; i--) {
		assert_true(replay_list_pop(&list, &pfn));
		assert_int_equal(pfn, i);
	}
	for (uint64_t i = 1; i <= 2016; i++)
		replay_list_append(&list, scratch->arena, i);
	replay_list_push(&list, scratch->arena, 9999);
	assert_true(replay_list_pop(&list, &pfn));
	assert_int_equal(pfn, 9999);
	for (uint64_t i = 1; i <= 2016; i++) {
		assert_true(replay_list_pop(&list, &pfn));
		assert_int_equal(pfn, i);
	}
	assert_false(replay_list_pop(&list, &pfn));
}

static void a_block_is_removed_from_wherever_it_is(void **state)
{
	static const uint64_t removals[] = { 1, 3, 5, 7 }; /* tail, middle, head, not there */
	const struct scratch *scratch = *state;
	struct replay_list list = { 0 };
	uint64_t pfn;

	for (uint64_t i = 1; i <= 5; i++)
		replay_list_push(&list, scratch->arena, i);
	for (size_t i = 0; i < ARRAY_SIZE(removals); i++) {
		replay_list_remove(&list, removals[i]);
		assert_false(replay_list_has(&list, removals[i]));
	}
	assert_true(replay_list_has(&list, 2));
	assert_true(replay_list_pop(&list, &pfn));
	assert_int_equal(pfn, 4);
	assert_true(replay_list_pop(&list, &pfn));
	assert_int_equal(pfn, 2);
	assert_false(replay_list_pop(&list, &pfn));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_was_freed_last_is_taken_first_and_what_a_refill_brought_first_too,
						scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(a_block_is_removed_from_wherever_it_is, scratch_setup,
						scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
