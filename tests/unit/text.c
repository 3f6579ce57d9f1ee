/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The user's words in messages: what may be printed, and which name was meant. */
#include "sim/util/text.h"

#include "tests/support/unit.h"

#include <string.h>

static void what_a_terminal_would_obey_is_not_shown(void **state)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{ "", "" },
		{ "plain", "plain" },
		{ "a\033[31mred\a", "a?[31mred?" },
		{ "two\nlines\t", "two?lines?" },
		{ "2 \xc3\x97 E5", "2 \xc3\x97 E5" },
		{ "\x7f", "?" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(TEXT_SHOWN(cases[i].text), cases[i].shown);
}

/* Room for seven bytes and the end. */
static void what_does_not_fit_is_cut_between_characters(void **state)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{ "1234567", "1234567" },
		{ "12345678", "1234..." },
		{ "123\xc3\x97\xc3\x97", "123\xc3\x97\xc3\x97" },
		{ "123\xc3\x97\xc3\x97\xc3\x97", "123..." },
		{ "\xf0\x9f\x98\x80\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80..." },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char shown[8];

		assert_string_equal(text_shown(cases[i].text, shown, sizeof(shown)), cases[i].shown);
	}
}

struct nearest_case {
	const char *text;
	const char *nearest;
};

static void nearest_is_within_a_third_of_the_letters(void **state)
{
	static const char *const names[] = { "seed", "threads", "replications", "warmup", "us", NULL };
	static const struct nearest_case cases[] = {
		{ "sed", "seed" },
		{ "seeed", "seed" },
		{ "sead", "seed" },
		{ "esed", "seed" }, /* two neighbours swapped count once */
		{ "sdee", NULL }, /* two changes in four letters */
		{ "thread", "threads" },
		{ "htreasd", "threads" }, /* 2 of 7 */
		{ "htreasx", NULL }, /* 3 of 7 */
		{ "Warmup", "warmup" },
		{ "replication", "replications" },
		{ "rpelicatoin", "replications" },
		{ "ns", "us" },
		{ "x", NULL },
		{ "", NULL },
		{ "something else", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *nearest = text_nearest(cases[i].text, names);

		if (!nearest || !cases[i].nearest)
			assert_ptr_equal(nearest, cases[i].nearest);
		else
			assert_string_equal(nearest, cases[i].nearest);
	}
	assert_null(text_nearest("seed", NULL));
}

static void a_hint_is_the_nearest_name_or_all_of_a_short_list(void **state)
{
	static const char *const names[] = { "alpha", "beta", NULL };
	static const char *const many[] = { "a1", "b2", "c3",  "d4",  "e5",  "f6",  "g7",
					    "h8", "i9", "j10", "k11", "l12", "m13", NULL };
	char hint[64];

	(void)state;
	assert_string_equal(text_hint("alpa", names, hint, sizeof(hint)), "; did you mean 'alpha'?");
	assert_string_equal(text_hint("gamma", names, hint, sizeof(hint)), "; known: alpha, beta");
	assert_string_equal(text_hint("gamma", many, hint, sizeof(hint)), "");
	assert_string_equal(text_hint("gamma", NULL, hint, sizeof(hint)), "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_terminal_would_obey_is_not_shown),
		cmocka_unit_test(what_does_not_fit_is_cut_between_characters),
		cmocka_unit_test(nearest_is_within_a_third_of_the_letters),
		cmocka_unit_test(a_hint_is_the_nearest_name_or_all_of_a_short_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
