/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/unit.h"

#include "sim/io/bind.h"
#include "tests/support/scratch.h"

#include <string.h>

struct machine {
	uint32_t sockets;
	double latency_ns;
	int64_t duration_ps;
	const char *title;
};

static const struct param table[] = {
	PARAM_REQUIRED(struct machine, sockets, "", 1, 8, "number of sockets"),
	PARAM(struct machine, latency_ns, "ns", 60, 0, 1e6, "a latency"),
	PARAM_AS("duration", struct machine, duration_ps, "time", 1e9, 0, 1e13, "a time"),
	PARAM_NAME(struct machine, title, "none", "a title"),
	PARAM_END,
};

static const char *const others[] = { "transfer", "topology", NULL };

/* Parse and bind; the message ("" when all is well) into message. */
static int bind_text(struct arena *arena, const char *text, struct machine *machine, char *message, size_t bytes)
{
	struct error err = { 0 };
	struct yaml_node *tree = yaml_parse(arena, "a.yaml", text, strlen(text), &err);
	int failed = tree ? bind_params(arena, tree, table, others, "machine", machine, &err) : -1;

	error_format(&err, message, bytes);
	return failed;
}

static void members_come_from_the_file_or_from_defaults(void **state)
{
	static const char text[] = "duration: 1.5ms\nsockets: 2\ntitle: x\ntransfer: {any: [thing]}\n";
	struct arena *arena = arena_create();
	struct machine machine;
	char message[300];

	(void)state;
	assert_int_equal(bind_text(arena, text, &machine, message, sizeof(message)), 0);
	assert_int_equal(machine.sockets, 2);
	assert_true(machine.latency_ns == 60);
	assert_int_equal(machine.duration_ps, 1500000000);
	assert_string_equal(machine.title, "x");
	arena_destroy(arena);
}

struct message_case {
	const char *text;
	const char *message;
};

static void messages_have_the_position_and_a_hint(void **state)
{
	static const struct message_case cases[] = {
		{ "sockets: 1\nlatencyns: 3\n", "a.yaml:2:1: unknown key 'latencyns'; did you mean 'latency_ns'?" },
		{ "sockets: 1\ntransefr: {}\n", "a.yaml:2:1: unknown key 'transefr'; did you mean 'transfer'?" },
		{ "{sockets: 1, quux: 3}",
		  "a.yaml:1:14: unknown key 'quux'; known: sockets, latency_ns, duration, title, transfer, topology" },
		{ "latency_ns: 3\n", "a.yaml:1:1: machine has no 'sockets' (number of sockets)" },
		{ "sockets: 0\n", "a.yaml:1:10: sockets: must be between 1 and 8" },
		{ "sockets: 1\nlatency_ns:  -1\n", "a.yaml:2:14: latency_ns: must be between 0 and 1000000" },
		{ "sockets: [1]\n", "a.yaml:1:10: sockets must be a single value, not a list" },
		{ "sockets: {a: 1}\n", "a.yaml:1:10: sockets must be a single value, not a mapping" },
		{ "sockets:\n", "a.yaml:1:9: sockets: has no value" },
		{ "[sockets]\n", "a.yaml:1:1: machine must be a mapping, not a list" },
		{ "sockets\n", "a.yaml:1:1: machine must be a mapping, not a single value" },
	};
	struct machine machine;
	char message[300];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *arena = arena_create();

		assert_int_equal(bind_text(arena, cases[i].text, &machine, message, sizeof(message)), -1);
		assert_string_equal(message, cases[i].message);
		arena_destroy(arena);
	}
}

static void no_mapping_gives_defaults_unless_a_key_is_required(void **state)
{
	struct arena *arena = arena_create();
	struct machine machine;
	struct error err;

	(void)state;
	assert_int_equal(bind_params(arena, NULL, table + 1, NULL, "run", &machine, &err), 0);
	assert_true(machine.latency_ns == 60);
	assert_string_equal(machine.title, "none");
	assert_int_equal(bind_params(arena, NULL, table, NULL, "machine", &machine, &err), -1);
	assert_string_equal(err.text, "machine has no 'sockets' (number of sockets)");
	assert_int_equal(err.pos.line, 0);
	arena_destroy(arena);
}

static void texts_outlive_the_tree(void **state)
{
	struct arena *of_tree = arena_create();
	struct arena *arena = arena_create();
	struct yaml_node *tree = yaml_parse(of_tree, "a.yaml", "{sockets: 1, title: kept}", 25, NULL);
	struct machine machine;

	(void)state;
	assert_int_equal(bind_params(arena, tree, table, NULL, "machine", &machine, NULL), 0);
	arena_destroy(of_tree);
	assert_string_equal(machine.title, "kept");
	arena_destroy(arena);
}

static void a_path_is_meant_from_the_file_that_has_it_where_there_is_one(void **state)
{
	struct files {
		const char *trace;
	};
	static const struct param paths[] = {
		PARAM_PATH(struct files, trace, false, "a file"),
		PARAM_END,
	};
	const struct scratch *scratch = *state;
	const char *beside = scratch_write(scratch, "trace.txt", "");
	const struct {
		const char *yaml, *expected;
	} cases[] = {
		{ "trace: trace.txt", beside },
		{ "trace: no-such-file.txt", "no-such-file.txt" }, /* left to the working directory */
		{ "trace: /trace.txt", "/trace.txt" },
		{ "trace: ''", "" },
		{ "{}", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err;
		struct yaml_node *tree = yaml_parse(scratch->arena, scratch_path(scratch, "a.yaml"), cases[i].yaml,
						    strlen(cases[i].yaml), &err);
		struct files files;

		assert_non_null(tree);
		assert_int_equal(bind_params(scratch->arena, tree, paths, NULL, "files", &files, &err), 0);
		assert_string_equal(files.trace, cases[i].expected);
	}
}

static void a_missing_node_is_no_node_of_any_kind(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(bind_expect(NULL, YAML_MAPPING, "run", &err), -1);
	assert_string_equal(err.text, "run is missing");
}

static void an_empty_value_is_named_so(void **state)
{
	struct arena *arena = arena_create();
	struct yaml_node *tree = yaml_parse(arena, "a.yaml", "run:\n", 5, NULL);
	struct error err;

	(void)state;
	assert_int_equal(bind_expect(yaml_get(tree, "run"), YAML_MAPPING, "run", &err), -1);
	assert_string_equal(err.text, "run must be a mapping, but is empty");
	arena_destroy(arena);
}

static void long_lists_of_names_are_not_shown(void **state)
{
	static const char *const many[] = { "a1", "b2", "c3", "d4", "e5", "f6", "g7",
					    "h8", "i9", "j0", "k1", "l2", "m3", NULL };
	struct error err;

	(void)state;
	bind_unknown((struct source_pos){ "a", 1, 1 }, "unknown policy", "quux", many, &err);
	assert_string_equal(err.text, "unknown policy 'quux'");
	bind_unknown((struct source_pos){ "a", 1, 1 }, "unknown policy", "quux", many + 1, &err);
	assert_non_null(strstr(err.text, "'quux'; known: b2, c3"));
	bind_unknown((struct source_pos){ "a", 1, 1 }, "unknown policy", "quux", NULL, &err);
	assert_string_equal(err.text, "unknown policy 'quux'");
}

static void messages_do_not_pass_control_characters_on(void **state)
{
	struct error err;

	(void)state;
	bind_unknown((struct source_pos){ "a", 1, 1 }, "unknown key", "\033[2J\xc2\x9b\x7f\xc3\xa9", NULL, &err);
	assert_string_equal(err.text, "unknown key '?[2J??\xc3\xa9'");
}

static void long_names_are_cut_between_characters(void **state)
{
	char text[201];
	struct error err;

	(void)state;
	for (size_t i = 0; i < 100; i++)
		memcpy(text + 2 * i, "\xc3\xa9", 3);
	bind_unknown((struct source_pos){ "a", 1, 1 }, "unknown key", text, NULL, &err);
	assert_int_equal(strlen(err.text), strlen("unknown key ''") + 60 + 3);
	assert_non_null(strstr(err.text, "\xc3\xa9...'"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_come_from_the_file_or_from_defaults),
		cmocka_unit_test(messages_have_the_position_and_a_hint),
		cmocka_unit_test(no_mapping_gives_defaults_unless_a_key_is_required),
		cmocka_unit_test(texts_outlive_the_tree),
		cmocka_unit_test_setup_teardown(a_path_is_meant_from_the_file_that_has_it_where_there_is_one,
						scratch_setup, scratch_teardown),
		cmocka_unit_test(a_missing_node_is_no_node_of_any_kind),
		cmocka_unit_test(an_empty_value_is_named_so),
		cmocka_unit_test(long_lists_of_names_are_not_shown),
		cmocka_unit_test(messages_do_not_pass_control_characters_on),
		cmocka_unit_test(long_names_are_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
