/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The address of a kernel function, or none where the kernel hides it. */
#include "sim/trace/kallsyms.h"

#include "tests/support/scratch.h"
#include "tests/support/unit.h"

#include <stdio.h>

static void an_address_is_found_by_the_whole_name_of_a_function(void **state)
{
	static const struct {
		const char *text;
		uint64_t expected;
	} cases[] = {
		{ "ffffffff81000010 T vmstat_updated\nffffffff81000020 t vmstat_update\n", 0xffffffff81000020 },
		{ "ffffffffc0000010 t vmstat_update\t[module]\n", 0xffffffffc0000010 },
		{ "ffffffff81000010 d vmstat_update\n", 0 },
		{ "0000000000000000 t vmstat_update\n", 0 },
		{ "t vmstat_update\n\nno symbols\n", 0 },
		{ "", 0 },
	};
	const char *path = scratch_path(*state, "kallsyms");

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		FILE *file = fopen(path, "w");

		assert_true(fputs(cases[i].text, file) >= 0);
		assert_int_equal(fclose(file), 0);
		assert_int_equal(kallsyms_address(path, "vmstat_update"), cases[i].expected);
	}
	assert_int_equal(kallsyms_address(scratch_path(*state, "none"), "vmstat_update"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_address_is_found_by_the_whole_name_of_a_function, scratch_setup,
						scratch_teardown),
	};

	return cmocka_run_group_tests_name("kallsyms", tests, NULL, NULL);
}
