/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/unit.h"

#include "sim/util/error.h"

#include <string.h>

struct format_case {
	struct source_pos pos;
	const char *expected;
};

static void formatting_shows_what_is_known_of_the_position(void **state)
{
	static const struct format_case cases[] = {
		{ { "a.yaml", 12, 7 }, "a.yaml:12:7: 3 is odd" },
		{ { "a.yaml", 0, 0 }, "a.yaml: 3 is odd" },
		{ { NULL, 0, 0 }, "3 is odd" },
	};
	struct error err;
	char text[100];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(error_set(&err, cases[i].pos, "%d is odd", 3), -1);
		assert_string_equal(error_format(&err, text, sizeof(text)), cases[i].expected);
	}
}

static void the_file_name_is_copied(void **state)
{
	char name[] = "a.yaml";
	struct error err;
	struct error copy;
	char text[100];

	(void)state;
	error_set(&err, (struct source_pos){ name, 1, 2 }, "x");
	memset(name, '-', strlen(name));
	assert_string_equal(err.pos.file, "a.yaml");
	copy = err;
	memset(&err, 0, sizeof(err));
	assert_string_equal(error_format(&copy, text, sizeof(text)), "a.yaml:1:2: x");
}

static void an_error_without_position_has_no_file(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(error_plain(&err, "no room for %s", "it"), -1);
	assert_null(err.pos.file);
	assert_int_equal(err.pos.line, 0);
	assert_string_equal(err.text, "no room for it");
}

static void setting_replaces_all_of_an_earlier_error(void **state)
{
	struct error err;

	(void)state;
	error_set(&err, (struct source_pos){ "a.yaml", 1, 2 }, "a long text");
	error_plain(&err, "b");
	assert_null(err.pos.file);
	assert_string_equal(err.file_name, "");
	assert_string_equal(err.text, "b");
}

static void appended_text_follows(void **state)
{
	struct error err;

	(void)state;
	error_plain(&err, "unknown key");
	error_append(&err, "; did you mean '%s'?", "seed");
	assert_string_equal(err.text, "unknown key; did you mean 'seed'?");
}

static void long_texts_are_cut_at_the_end_of_the_buffer(void **state)
{
	char text[2 * ERROR_TEXT_BYTES];
	struct error err;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	error_set(&err, (struct source_pos){ text, 1, 1 }, "%s", text);
	assert_int_equal(strlen(err.text), ERROR_TEXT_BYTES - 1);
	assert_int_equal(strlen(err.file_name), ERROR_FILE_BYTES - 1);
	error_append(&err, "more");
	assert_int_equal(strlen(err.text), ERROR_TEXT_BYTES - 1);
}

static void nobody_has_to_want_the_error(void **state)
{
	(void)state;
	assert_int_equal(error_plain(NULL, "x"), -1);
	assert_int_equal(error_set(NULL, (struct source_pos){ "a", 1, 1 }, "x"), -1);
	error_append(NULL, "x");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(formatting_shows_what_is_known_of_the_position),
		cmocka_unit_test(the_file_name_is_copied),
		cmocka_unit_test(an_error_without_position_has_no_file),
		cmocka_unit_test(setting_replaces_all_of_an_earlier_error),
		cmocka_unit_test(appended_text_follows),
		cmocka_unit_test(long_texts_are_cut_at_the_end_of_the_buffer),
		cmocka_unit_test(nobody_has_to_want_the_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
