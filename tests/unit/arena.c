/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/unit.h"

#include "sim/util/arena.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void memory_is_zeroed_and_aligned(void **state)
{
	static const size_t sizes[] = { 1, 3, 8, 17, 4096, 16384, 16385, 65536, 1000000 };
	struct arena *arena = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		unsigned char *bytes = arena_alloc(arena, sizes[i]);

		assert_int_equal((uintptr_t)bytes % _Alignof(max_align_t), 0);
		for (size_t j = 0; j < sizes[i]; j++)
			assert_int_equal(bytes[j], 0);
		memset(bytes, 0xff, sizes[i]);
	}
	arena_destroy(arena);
}

static void pieces_do_not_overlap(void **state)
{
	enum { NR_PIECES = 5000 };
	struct arena *arena = arena_create();
	unsigned *pieces[NR_PIECES];

	(void)state;
	for (unsigned i = 0; i < NR_PIECES; i++) {
		/* sizes on both sides of what gets a block of its own */
		pieces[i] = arena_calloc(arena, i % 97 ? 1 + i % 50 : 5000, sizeof(unsigned));
		*pieces[i] = i;
	}
	for (unsigned i = 0; i < NR_PIECES; i++)
		assert_int_equal(*pieces[i], i);
	arena_destroy(arena);
}

static void an_object_in_lines_of_its_own_begins_one(void **state)
{
	static const size_t sizes[] = { 1, 63, 64, 65, 136, 20000 };
	struct arena *arena = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		unsigned char *bytes = arena_alloc_lines(arena, sizes[i]);
		unsigned char *next = arena_alloc(arena, 1);

		assert_int_equal((uintptr_t)bytes % 64, 0);
		*next = 0xff;
		for (size_t j = 0; j < sizes[i]; j++)
			assert_int_equal(bytes[j], 0);
		memset(bytes, 0xff, sizes[i]);
	}
	arena_destroy(arena);
}

static void used_bytes_count_what_was_handed_out(void **state)
{
	struct arena *arena = arena_create();

	(void)state;
	assert_int_equal(arena_used_bytes(arena), 0);
	arena_alloc(arena, 1);
	assert_in_range(arena_used_bytes(arena), 1, 64);
	arena_alloc(arena, 1000000);
	assert_in_range(arena_used_bytes(arena), 1000001, 1000100);
	arena_destroy(arena);
}

static void texts_are_copied(void **state)
{
	struct arena *arena = arena_create();
	char source[] = "socket_ns";
	char *whole = arena_strdup(arena, source);
	char *part = arena_strndup(arena, source, 6);

	(void)state;
	memset(source, 'x', strlen(source));
	assert_string_equal(whole, "socket_ns");
	assert_string_equal(part, "socket");
	assert_string_equal(arena_printf(arena, "%s-%d", part, 7), "socket-7");
	assert_string_equal(arena_strdup(arena, ""), "");
	arena_destroy(arena);
}

static void printed_text_has_any_length(void **state)
{
	struct arena *arena = arena_create();
	char *text = arena_printf(arena, "%0200000d", 1);

	(void)state;
	assert_int_equal(strlen(text), 200000);
	assert_int_equal(text[199999], '1');
	arena_destroy(arena);
}

static void destroying_nothing_is_fine(void **state)
{
	(void)state;
	arena_destroy(NULL);
}

/* Runs calloc in a child; returns its exit status. */
static int status_of_calloc(size_t nr, size_t bytes)
{
	struct arena *arena = arena_create();
	int status = 0;
	pid_t child = fork();

	if (!child) {
		close(STDERR_FILENO);
		arena_calloc(arena, nr, bytes);
		arena_destroy(arena);
		_exit(0);
	}
	arena_destroy(arena);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void a_product_that_overflows_ends_the_process(void **state)
{
	(void)state;
	assert_int_equal(status_of_calloc(3, 5), 0);
	assert_int_equal(status_of_calloc(SIZE_MAX / 2, 3), 1);
	assert_int_equal(status_of_calloc(SIZE_MAX, 1), 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_zeroed_and_aligned),
		cmocka_unit_test(pieces_do_not_overlap),
		cmocka_unit_test(an_object_in_lines_of_its_own_begins_one),
		cmocka_unit_test(used_bytes_count_what_was_handed_out),
		cmocka_unit_test(texts_are_copied),
		cmocka_unit_test(printed_text_has_any_length),
		cmocka_unit_test(destroying_nothing_is_fine),
		cmocka_unit_test(a_product_that_overflows_ends_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
