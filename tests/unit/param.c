/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/unit.h"

#include "sim/util/param.h"
#include "tests/support/param_rules.h"

#include <math.h>
#include <string.h>

struct all_kinds {
	bool flag;
	uint32_t threads;
	uint32_t nr_any;
	uint64_t memory;
	uint64_t clock;
	uint64_t seed;
	int64_t duration_ps;
	int64_t offset_ps;
	double latency_ns;
	double share_pct;
	uint64_t until;
	double ratio;
	const char *title;
	int order;
};

static const char *const orders[] = { "cores-first", "siblings-first", NULL };

static const struct param table[] = {
	PARAM(struct all_kinds, flag, "", 1, 0, 1, "a flag"),
	PARAM(struct all_kinds, threads, "", 2, 1, 64, "a count with a range"),
	PARAM(struct all_kinds, nr_any, "", 0, 0, UINT32_MAX, "a count without a range"),
	PARAM(struct all_kinds, memory, "bytes", 4096, 0, 0x1p64, "a size"),
	PARAM(struct all_kinds, clock, "Hz", 2.6e9, 1e6, 1e10, "a frequency"),
	PARAM(struct all_kinds, seed, "", 1, 0, 0x1p64, "any number"),
	PARAM_AS("duration", struct all_kinds, duration_ps, "time", 2e9, 1000, 1e13, "a time"),
	PARAM_AS("offset", struct all_kinds, offset_ps, "time", 0, -0x1p63, 0x1p63, "a time of either sign"),
	PARAM(struct all_kinds, latency_ns, "ns", 20.5, 0, 1e6, "a latency"),
	PARAM(struct all_kinds, share_pct, "pct", 50, 0, 100, "a share"),
	PARAM(struct all_kinds, until, "share", 10000, 1, 1e6, "a share with its unit"),
	PARAM(struct all_kinds, ratio, "", 0, 0, INFINITY, "a ratio"),
	PARAM_NAME(struct all_kinds, title, "none", "a text"),
	PARAM_ONE_OF(struct all_kinds, order, orders, 1, "a choice"),
	PARAM_END,
};

struct parse_case {
	const char *key;
	const char *text;
	const char *printed; /* what param_print makes of it, NULL when the text itself */
};

static void values_print_as_what_reads_back(void **state)
{
	static const struct parse_case cases[] = {
		{ "flag", "true", NULL },
		{ "flag", "false", NULL },
		{ "threads", "1", NULL },
		{ "threads", "64", NULL },
		{ "threads", "007", "7" },
		{ "nr_any", "4294967295", NULL },
		{ "seed", "18446744073709551615", NULL },
		{ "memory", "384GiB", NULL },
		{ "memory", "64B", NULL },
		{ "memory", "1TiB", NULL },
		{ "memory", "1TB", NULL },
		{ "memory", "1GB", NULL },
		{ "memory", "1MB", NULL },
		{ "memory", "1MiB", NULL },
		{ "memory", "1kB", NULL },
		{ "memory", "4KiB", NULL },
		{ "memory", "1.5KiB", NULL },
		{ "memory", "1536B", "1.5KiB" },
		{ "memory", "0GiB", "0B" },
		{ "memory", "18446744073709551615B", "18446744073709551.615kB" },
		{ "clock", "2.6GHz", NULL },
		{ "clock", "2600MHz", "2.6GHz" },
		{ "clock", "1000kHz", "1MHz" },
		{ "clock", "1000001Hz", "1000.001kHz" },
		{ "until", "1%", NULL },
		{ "until", "0.25%", "2500ppm" },
		{ "until", "100%", NULL },
		{ "until", "7ppm", NULL },
		{ "until", "10000ppm", "1%" },
		{ "duration", "2ms", NULL },
		{ "duration", "1.5ms", NULL },
		{ "duration", "1.50ms", "1.5ms" },
		{ "duration", "200us", NULL },
		{ "duration", "10s", NULL },
		{ "duration", "1000ps", "1ns" },
		{ "duration", "1234567890123ps", "1234567890.123ns" },
		{ "duration", "1.234567890123s", "1234567890.123ns" },
		{ "offset", "-1.5ns", NULL },
		{ "offset", "-0ns", "0ps" },
		{ "offset", "9223372036854775807ps", "9223372036854775.807ns" },
		{ "latency_ns", "20", NULL },
		{ "latency_ns", "0.1", NULL },
		{ "latency_ns", ".5", "0.5" },
		{ "latency_ns", "1e3", "1000" },
		{ "latency_ns", "-0", "0" },
		{ "ratio", "1e300", "1e+300" },
		{ "title", "a \"quoted\" text", NULL },
		{ "title", "", NULL },
		{ "order", "cores-first", NULL },
	};
	struct all_kinds params;
	char why[200] = "";
	char out[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct param *entry = param_find(table, cases[i].key);

		param_defaults(table, &params);
		if (param_parse(entry, cases[i].text, &params, why, sizeof(why)))
			fail_msg("%s: %s: %s", cases[i].key, cases[i].text, why);
		assert_string_equal(param_print(entry, &params, out, sizeof(out)),
				    cases[i].printed ? cases[i].printed : cases[i].text);
	}
}

static void times_sizes_and_clocks_are_exact(void **state)
{
	struct all_kinds params;
	char why[200];

	(void)state;
	assert_int_equal(param_parse(param_find(table, "duration"), "1.000000000001s", &params, why, sizeof(why)), 0);
	assert_true(params.duration_ps == INT64_C(1000000000001));
	assert_int_equal(param_parse(param_find(table, "memory"), "754GiB", &params, why, sizeof(why)), 0);
	assert_true(params.memory == UINT64_C(754) << 30);
	assert_int_equal(param_parse(param_find(table, "clock"), "2.45GHz", &params, why, sizeof(why)), 0);
	assert_true(params.clock == UINT64_C(2450000000));
}

struct refuse_case {
	const char *key;
	const char *text;
	const char *why;
};

static void what_is_wrong_is_said(void **state)
{
	static const struct refuse_case cases[] = {
		{ "until", "1", "'1' needs a unit, e.g. 1%" },
		{ "until", "0.00001%", "'0.00001%' is not a whole number of parts per million" },
		{ "until", "101%", "must be between 1ppm and 100%" },
		{ "until", "1pct", "'pct' is no unit of share; use ppm or %" },
		{ "flag", "yes", "must be true or false, not 'yes'; write true" },
		{ "flag", "Off", "must be true or false, not 'Off'; write false" },
		{ "flag", "True", "must be true or false, not 'True'; write true" },
		{ "flag", "maybe", "must be true or false, not 'maybe'" },
		{ "flag", "", "has no value" },
		{ "threads", "0", "must be between 1 and 64" },
		{ "threads", "65", "must be between 1 and 64" },
		{ "threads", "-1", "must be between 1 and 64" },
		{ "threads", "abc", "'abc' is not a whole number" },
		{ "threads", "2.0", "'2.0' is not a whole number" },
		{ "threads", "1e1", "'1e1' is not a whole number" },
		{ "threads", "0x10", "'0x10' is not a whole number" },
		{ "threads", " 4", "' 4' is not a whole number" },
		{ "threads", "+4", "'+4' is not a whole number" },
		{ "threads", "4ns", "takes a plain number without a unit; write 4" },
		{ "threads", "", "has no value" },
		{ "nr_any", "-1", "must be at least 0" },
		{ "nr_any", "4294967296", "must be at most 4294967295" },
		{ "seed", "-1", "must be at least 0" },
		{ "seed", "18446744073709551616", "'18446744073709551616' is too large" },
		{ "memory", "5", "'5' needs a unit, e.g. 5GiB" },
		{ "memory", "5GHz", "'GHz' is no unit of memory size; use B, kB, KiB, MB, MiB, GB, GiB, TB or TiB" },
		{ "memory", "-1B", "must be at least 0B" },
		{ "memory", "0.5B", "'0.5B' is not a whole number of bytes" },
		{ "memory", "17000000TiB", "'17000000TiB' is too large" },
		{ "clock", "2.6ghz", "'ghz' is no unit of frequency; use Hz, kHz, MHz or GHz" },
		{ "clock", "1kHz", "must be between 1MHz and 10GHz" },
		{ "duration", "2", "'2' needs a unit, e.g. 2ms" },
		{ "duration", "0", "'0' needs a unit, e.g. 0ms" },
		{ "duration", "5GHz", "'GHz' is no unit of time; use ps, ns, us, ms or s" },
		{ "duration", "5 ms", "'5 ms' has a space between number and unit; leave it out" },
		{ "duration", "ms", "'ms' is not a number with a unit of time" },
		{ "duration", "5.ms", "'5.ms' is not a number with a unit of time" },
		{ "duration", "1.5ps", "'1.5ps' is not a whole number of picoseconds" },
		{ "duration", "1.0000000000001s", "'1.0000000000001s' is not a whole number of picoseconds" },
		{ "duration", "-2ms", "must be between 1ns and 10s" },
		{ "duration", "999ps", "must be between 1ns and 10s" },
		{ "duration", "10.000000000001s", "must be between 1ns and 10s" },
		{ "duration", "nan", "'nan' is not a number with a unit of time" },
		{ "offset", "9223372036854775808ps", "'9223372036854775808ps' is too large" },
		{ "latency_ns", "20ns", "the key already names the unit (ns); write 20" },
		{ "latency_ns", "1.5us", "the key already names the unit (ns); write 1.5" },
		{ "share_pct", "50%", "the key already names the unit (pct); write 50" },
		{ "share_pct", "50pct", "the key already names the unit (pct); write 50" },
		{ "share_pct", "100.1", "must be between 0 and 100" },
		{ "latency_ns", "-1", "must be between 0 and 1000000" },
		{ "latency_ns", "nan", "'nan' is not a number" },
		{ "latency_ns", "inf", "'inf' is not a number" },
		{ "latency_ns", "-inf", "'-inf' is not a number" },
		{ "latency_ns", "0x1p3", "'0x1p3' is not a number" },
		{ "latency_ns", " 1", "' 1' is not a number" },
		{ "latency_ns", "1 2", "'1 2' is not a number" },
		{ "latency_ns", "1e", "'1e' is not a number" },
		{ "latency_ns", "--1", "'--1' is not a number" },
		{ "ratio", "1e400", "'1e400' is too large" },
		{ "ratio", "-0.5", "must be at least 0" },
		{ "ratio", "3ms", "takes a plain number without a unit; write 3" },
		{ "order", "core-first", "unknown value 'core-first'; did you mean 'cores-first'?" },
		{ "order", "random", "unknown value 'random'; known: cores-first, siblings-first" },
		{ "order", "a\033b", "unknown value 'a?b'; known: cores-first, siblings-first" },
	};
	struct all_kinds params, before;
	char why[200];

	(void)state;
	memset(&params, 0, sizeof(params));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct param *entry = param_find(table, cases[i].key);

		param_defaults(table, &params);
		before = params;
		why[0] = '\0';
		if (!param_parse(entry, cases[i].text, &params, why, sizeof(why)))
			fail_msg("%s took '%s'", cases[i].key, cases[i].text);
		assert_string_equal(why, cases[i].why);
		if (entry->kind != PARAM_BOOL)
			assert_memory_equal(&params, &before, sizeof(params));
	}
}

static void long_values_are_cut_in_messages(void **state)
{
	char text[5000];
	char why[200];
	struct all_kinds params;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(param_parse(param_find(table, "threads"), text, &params, why, sizeof(why)), -1);
	assert_non_null(strstr(why, "xxx...' is not a whole number"));
}

static void defaults_fill_every_member(void **state)
{
	struct all_kinds params;

	(void)state;
	memset(&params, 0xff, sizeof(params));
	param_defaults(table, &params);
	assert_true(params.flag);
	assert_int_equal(params.threads, 2);
	assert_int_equal(params.nr_any, 0);
	assert_int_equal(params.memory, 4096);
	assert_true(params.clock == UINT64_C(2600000000));
	assert_int_equal(params.duration_ps, 2000000000);
	assert_int_equal(params.offset_ps, 0);
	assert_true(params.latency_ns == 20.5);
	assert_true(params.share_pct == 50);
	assert_string_equal(params.title, "none");
	assert_int_equal(params.order, 1);
}

static void required_members_become_zero(void **state)
{
	struct needs {
		uint32_t sockets;
	} params = { 7 };
	static const struct param needs[] = {
		PARAM_REQUIRED(struct needs, sockets, "", 1, 8, "sockets"),
		PARAM_END,
	};

	(void)state;
	param_defaults(needs, &params);
	assert_int_equal(params.sockets, 0);
}

static void keys_are_found_whole_or_not_at_all(void **state)
{
	(void)state;
	assert_ptr_equal(param_find(table, "flag"), &table[0]);
	assert_string_equal(param_find(table, "duration")->key, "duration");
	assert_null(param_find(table, "duration_ps"));
	assert_null(param_find(table, "fla"));
	assert_null(param_find(table, ""));
}

struct rule_case {
	struct param entry;
	const char *broken;
};

static void rules_tell_a_sound_table_from_broken_ones(void **state)
{
	static const struct rule_case cases[] = {
		{ { .key = "pause", .unit = "ns", .help = "h", .kind = PARAM_F64, .max = 1 },
		  "'pause' does not end in its unit" },
		{ { .key = "share", .unit = "pct", .help = "h", .kind = PARAM_F64, .max = 1 },
		  "'share' does not end in its unit" },
		{ { .key = "pause_ns", .unit = "", .help = "h", .kind = PARAM_F64, .max = 1 },
		  "'pause_ns' ends in a unit that its entry does not have" },
		{ { .key = "Pause", .unit = "", .help = "h", .kind = PARAM_F64, .max = 1 },
		  "'Pause' is not written in lower case letters, digits and underscores" },
		{ { .key = "x", .unit = "", .help = "", .kind = PARAM_F64, .max = 1 },
		  "'x' has no unit or no help text" },
		{ { .key = "x", .unit = "", .help = "h", .kind = PARAM_F64, .min = 2, .max = 1 },
		  "'x' has an empty range" },
		{ { .key = "x", .unit = "", .help = "h", .kind = PARAM_F64, .def = 3, .max = 1 },
		  "'x' has a default outside its range" },
		{ { .key = "x", .unit = "time", .help = "h", .kind = PARAM_F64, .max = 1 },
		  "'x' has a unit that does not fit its type" },
		{ { .key = "x", .unit = "", .help = "h", .kind = PARAM_PS, .max = 1 },
		  "'x' has a unit that does not fit its type" },
		{ { .key = "x", .unit = "", .help = "h", .kind = PARAM_CHOICE }, "'x' has no choices" },
		{ { .key = "x", .unit = "", .help = "h", .kind = PARAM_CHOICE, .choices = orders, .def = 2 },
		  "'x' has a default outside its range" },
	};
	char out[200];

	(void)state;
	assert_null(param_rules_broken(table, out, sizeof(out)));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct param broken[] = { cases[i].entry, PARAM_END };

		assert_non_null(param_rules_broken(broken, out, sizeof(out)));
		assert_string_equal(out, cases[i].broken);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_print_as_what_reads_back),
		cmocka_unit_test(times_sizes_and_clocks_are_exact),
		cmocka_unit_test(what_is_wrong_is_said),
		cmocka_unit_test(long_values_are_cut_in_messages),
		cmocka_unit_test(defaults_fill_every_member),
		cmocka_unit_test(required_members_become_zero),
		cmocka_unit_test(keys_are_found_whole_or_not_at_all),
		cmocka_unit_test(rules_tell_a_sound_table_from_broken_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
