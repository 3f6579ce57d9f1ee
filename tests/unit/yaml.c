/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/unit.h"

#include "sim/io/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct source_pos command_line = { "--set", 1, 3 };

static struct yaml_node *parse(struct arena *arena, const char *text)
{
	struct error err;
	struct yaml_node *root = yaml_parse(arena, "a.yaml", text, strlen(text), &err);

	if (!root)
		fail_msg("%s", err.text);
	return root;
}

/* The tree in one line of flow style, for comparing. */
static const char *flow(struct arena *arena, const struct yaml_node *node)
{
	const char *open = node->kind == YAML_MAPPING ? "{" : "[";
	const char *out = "";

	if (node->kind == YAML_SCALAR)
		return node->text;
	for (const struct yaml_node *child = node->children; child; child = child->next)
		out = arena_printf(arena, "%s%s%s%s%s", out, *out ? ", " : "", child->key ? child->key : "",
				   child->key ? ": " : "", flow(arena, child));
	return arena_printf(arena, "%s%s%s", open, out, node->kind == YAML_MAPPING ? "}" : "]");
}

struct tree_case {
	const char *text;
	const char *tree;
};

static void documents_become_trees(void **state)
{
	static const struct tree_case cases[] = {
		{ "a: 1\nb: [x, {c: d}]\ne:\n  - f\n", "{a: 1, b: [x, {c: d}], e: [f]}" },
		{ "- a\n- - b\n", "[a, [b]]" },
		{ "word", "word" },
		{ "{}", "{}" },
		{ "[]", "[]" },
		{ "a:\n", "{a: }" },
		{ "%YAML 1.1\n---\na: 1\n...\n", "{a: 1}" },
		{ "\xef\xbb\xbf"
		  "a: 1\n",
		  "{a: 1}" },
		{ "a: 1\r\nb: 2\r\n", "{a: 1, b: 2}" },
		{ "a: \"x\\ty\"\n", "{a: x\ty}" },
		{ "a: |\n  x\n  y\n", "{a: x\ny\n}" },
		{ "a: &x [1, 2]\nb: *x\nc: [*x, *x]\n", "{a: [1, 2], b: [1, 2], c: [[1, 2], [1, 2]]}" },
		{ "a: &x {k: 1}\nb: &x 2\nc: *x\n", "{a: {k: 1}, b: 2, c: 2}" },
		{ "\"<<\": 1\n", "{<<: 1}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *arena = arena_create();

		assert_string_equal(flow(arena, parse(arena, cases[i].text)), cases[i].tree);
		arena_destroy(arena);
	}
}

static void nodes_remember_where_they_were_written(void **state)
{
	struct arena *arena = arena_create();
	struct yaml_node *root = parse(arena, "a:\n  \xc3\xa9: [x, 'y']\n");
	const struct yaml_node *list = yaml_get(yaml_get(root, "a"), "\xc3\xa9");
	const struct yaml_node *last = list->children->next;

	(void)state;
	assert_string_equal(root->pos.file, "a.yaml");
	assert_int_equal(root->nr_children, 1);
	assert_int_equal(list->key_pos.line, 2);
	assert_int_equal(list->key_pos.column, 3);
	assert_int_equal(list->pos.column, 6);
	assert_int_equal(list->nr_children, 2);
	assert_int_equal(last->pos.line, 2);
	assert_int_equal(last->pos.column, 10);
	assert_null(last->key);
	assert_true(last->quoted);
	assert_false(list->children->quoted);
	arena_destroy(arena);
}

struct refuse_case {
	const char *text;
	size_t bytes; /* 0: all of text */
	const char *message;
};

static void what_is_refused_is_said_with_its_position(void **state)
{
	static const struct refuse_case cases[] = {
		{ "", 0, "a.yaml:1:1: is empty" },
		{ "# nothing\n", 0, "a.yaml:1:1: is empty" },
		{ "---\n...\n", 0, "a.yaml:1:1: is empty" },
		{ "a: 1\nb: 2\na: 3\nb: 4\n", 0, "a.yaml:3:1: duplicate key 'a'; it is already at line 1, column 1" },
		{ "{a: {b: 1, b: 2}}", 0, "a.yaml:1:12: duplicate key 'b'; it is already at line 1, column 6" },
		{ "[a]: 1\n", 0, "a.yaml:1:1: a key must be a single value, not a list" },
		{ "? {a: 1}\n: 1\n", 0, "a.yaml:1:3: a key must be a single value, not a mapping" },
		{ "a: &x 1\n*x : 2\n", 0, "a.yaml:2:1: an alias cannot be a key" },
		{ "&x a: 1\n", 0, "a.yaml:1:1: a key cannot have an anchor" },
		{ "a: *x\n", 0, "a.yaml:1:4: alias 'x' has no anchor before it" },
		{ "a: &x\n  b: *x\n", 0, "a.yaml:2:6: alias 'x' is inside its own anchor" },
		{ "&x [[*x]]\n", 0, "a.yaml:1:6: alias 'x' is inside its own anchor" },
		{ "a: !!int 1\n", 0, "a.yaml:1:4: tags such as !!int are not supported; leave it out" },
		{ "a: !t [1]\n", 0, "a.yaml:1:4: tags such as !!int are not supported; leave it out" },
		{ "a: !t {b: 1}\n", 0, "a.yaml:1:4: tags such as !!int are not supported; leave it out" },
		{ "a: &x {b: 1}\nc:\n  <<: *x\n", 0,
		  "a.yaml:3:3: merge keys (<<) are not supported; write the members out" },
		{ "a: 1\n---\nb: 2\n", 0, "a.yaml:2:1: more than one document in a file" },
		{ "a: \"x\\0y\"\n", 0, "a.yaml:1:4: a NUL character in a text" },
		{ "a: 1\nb: x\0y\n", 11, "a.yaml:2:5: not a YAML text: control characters are not allowed" },
		{ "a: \xed\xa0\x80\n", 0, "a.yaml:1:4: not a YAML text: invalid Unicode character" },
		{ "a: \xff\n", 0, "a.yaml:1:4: not a YAML text: invalid leading UTF-8 octet" },
		{ "\xff\xfe"
		  "a\0",
		  4, "a.yaml:1:1: not a YAML text: invalid leading UTF-8 octet" },
		{ "a:\n\tb: 1\n", 0,
		  "a.yaml:2:1: found character that cannot start any token (while scanning for the next token at "
		  "line 2); indent with spaces, not with tabs" },
		{ "a: 1\nb\nc: 2\n", 0,
		  "a.yaml:3:1: could not find expected ':' (while scanning a simple key at line 2)" },
	};
	struct error err;
	char message[400];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *arena = arena_create();
		size_t bytes = cases[i].bytes ? cases[i].bytes : strlen(cases[i].text);

		if (yaml_parse(arena, "a.yaml", cases[i].text, bytes, &err))
			fail_msg("taken: %s", cases[i].text);
		assert_string_equal(error_format(&err, message, sizeof(message)), cases[i].message);
		arena_destroy(arena);
	}
}

/* A document of one piece repeated, with something before and after. */
struct large_case {
	const char *before, *piece, *after;
	int times;
	const char *message; /* NULL: it is read */
};

static char *repeat(const struct large_case *large)
{
	size_t piece = strlen(large->piece);
	size_t before = strlen(large->before);
	char *text = malloc(before + piece * (size_t)large->times + strlen(large->after) + 1);

	assert_non_null(text);
	memcpy(text, large->before, before);
	for (int i = 0; i < large->times; i++)
		memcpy(text + before + (size_t)i * piece, large->piece, piece);
	memcpy(text + before + (size_t)large->times * piece, large->after, strlen(large->after) + 1);
	return text;
}

#define TEN(x) x "," x "," x "," x "," x "," x "," x "," x "," x "," x
#define FIFTY_DEEP \
	"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"

static void hostile_sizes_end_at_a_limit(void **state)
{
	static const char bomb[] = "a: &a [" TEN("x") "]\nb: &b [" TEN("*a") "]\nc: &c [" TEN("*b") "]\nd: &d [" TEN(
		"*c") "]\ne: &e [" TEN("*d") "]\nf: &f [" TEN("*e") "]\n";
	static const struct large_case cases[] = {
		{ "", "[", "", 200000, "a.yaml:1:65: nested deeper than 64 levels" },
		{ "", "- ", "", 1000, "a.yaml:1:129: nested deeper than 64 levels" },
		{ "[", "1,", "]", 199999, NULL },
		{ "[", "1,", "]", 200000, "a.yaml:1:400000: more than 200000 values" },
		{ bomb, "", "", 1, "a.yaml:6:8: more than 200000 values after aliases are expanded" },
		{ "a: &a '", "x", "'\nb: [*a, *a, *a]\n", 3 << 20,
		  "a.yaml:2:9: more than 8 MiB of text after aliases are expanded" },
		{ "a: &a " FIFTY_DEEP "\nb: [[[[[[[[[[[[[*a]]]]]]]]]]]]]\n", "", "", 1, NULL },
		{ "a: &a " FIFTY_DEEP "\nb: [[[[[[[[[[[[[[*a]]]]]]]]]]]]]]\n", "", "", 1,
		  "a.yaml:2:18: nested deeper than 64 levels after aliases are expanded" },
		{ "[", "&x 1,", "]", 256, NULL },
		{ "[", "&x 1,", "]", 257, "a.yaml:1:1282: more than 256 anchors" },
		{ "#", "x", "\na: 1", (4 << 20) - 6, NULL },
		{ "#", "x", "\na: 1\n", (4 << 20) - 6, "a.yaml: is larger than 4 MiB" },
	};
	struct error err;
	char message[400];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *arena = arena_create();
		char *text = repeat(&cases[i]);
		const struct yaml_node *root = yaml_parse(arena, "a.yaml", text, strlen(text), &err);

		assert_string_equal(root ? "" : error_format(&err, message, sizeof(message)),
				    cases[i].message ? cases[i].message : "");
		free(text);
		arena_destroy(arena);
	}
}

static void a_mapping_may_be_as_large_as_the_limit(void **state)
{
	enum { NR_KEYS = 190000 };
	struct arena *arena = arena_create();
	size_t room = (size_t)NR_KEYS * 20;
	char *text = arena_alloc(arena, room);
	struct yaml_node *root;
	size_t used = 0;

	(void)state;
	for (int i = 0; i < NR_KEYS; i++)
		used += (size_t)snprintf(text + used, room - used, "key%d: %d\n", i, i);
	root = parse(arena, text);
	assert_int_equal(root->nr_children, NR_KEYS);
	assert_string_equal(yaml_get(yaml_overlay(arena, root, root), "key189999")->text, "189999");
	arena_destroy(arena);
}

static void loading_says_what_cannot_be_read(void **state)
{
	struct arena *arena = arena_create();
	char folder[] = "/tmp/contend-yaml-XXXXXX";
	struct error err;
	char path[100];
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_null(yaml_load(arena, folder, &err));
	assert_string_equal(err.text, "is a directory, not a YAML file");
	snprintf(path, sizeof(path), "%s/a.yaml", folder);
	assert_null(yaml_load(arena, path, &err));
	assert_string_equal(err.text, "cannot be read: No such file or directory");
	assert_string_equal(err.pos.file, path);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("a: 1\n", file);
	fclose(file);
	assert_string_equal(yaml_get(yaml_load(arena, path, &err), "a")->text, "1");
	/* sparse: it takes no room, and the size is seen before anything is read */
	assert_int_equal(truncate(path, (off_t)1 << 40), 0);
	assert_null(yaml_load(arena, path, &err));
	assert_string_equal(err.text, "is larger than 4 MiB");
	unlink(path);
	rmdir(folder);
	assert_null(yaml_load(arena, "/dev/zero", &err));
	assert_string_equal(err.text, "is larger than 4 MiB");
	assert_null(yaml_load(arena, "/dev/null", &err));
	assert_string_equal(err.text, "is empty");
	arena_destroy(arena);
}

struct overlay_case {
	const char *base, *over, *merged;
};

static void overlays_merge_mappings_and_replace_the_rest(void **state)
{
	static const struct overlay_case cases[] = {
		{ "{a: 1, b: 2}", "{b: 3}", "{a: 1, b: 3}" },
		{ "{a: 1}", "{c: 3, b: 2}", "{a: 1, c: 3, b: 2}" },
		{ "{a: {x: 1, y: 2}, b: 1}", "{a: {y: 3, z: 4}}", "{a: {x: 1, y: 3, z: 4}, b: 1}" },
		{ "{a: [1, 2]}", "{a: [3]}", "{a: [3]}" },
		{ "{a: {x: 1}}", "{a: 2}", "{a: 2}" },
		{ "{a: 2}", "{a: {x: 1}}", "{a: {x: 1}}" },
		{ "{a: 1}", "{}", "{a: 1}" },
		{ "{}", "{a: 1}", "{a: 1}" },
		{ "{a: 1}", "[b]", "[b]" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *arena = arena_create();
		struct yaml_node *base = parse(arena, cases[i].base);
		struct yaml_node *over = parse(arena, cases[i].over);

		assert_string_equal(flow(arena, yaml_overlay(arena, base, over)), cases[i].merged);
		assert_string_equal(flow(arena, base), cases[i].base);
		assert_string_equal(flow(arena, over), cases[i].over);
		arena_destroy(arena);
	}
}

static void overlays_keep_the_position_of_each_side(void **state)
{
	struct arena *arena = arena_create();
	struct yaml_node *base = parse(arena, "a:\n  x: 1\n  y: 2\n");
	struct yaml_node *over = yaml_parse(arena, "b.yaml", "\n\n\na: {y: 3}\n", 13, NULL);
	struct yaml_node *merged = yaml_overlay(arena, base, over);

	(void)state;
	assert_string_equal(yaml_at(merged, "a")->pos.file, "a.yaml");
	assert_string_equal(yaml_at(merged, "a.x")->pos.file, "a.yaml");
	assert_string_equal(yaml_at(merged, "a.y")->pos.file, "b.yaml");
	assert_int_equal(yaml_at(merged, "a.y")->pos.line, 4);
	arena_destroy(arena);
}

static void copies_share_nothing(void **state)
{
	struct arena *source = arena_create();
	struct arena *arena = arena_create();
	struct yaml_node *root = parse(source, "a: &x {b: [1, 'two']}\nc: *x\n");
	struct yaml_node *copy = yaml_copy(arena, root);
	struct yaml_node *member = yaml_copy(arena, yaml_get(root, "c"));

	(void)state;
	arena_destroy(source);
	assert_string_equal(flow(arena, copy), "{a: {b: [1, two]}, c: {b: [1, two]}}");
	assert_string_equal(yaml_at(copy, "a.b")->pos.file, "a.yaml");
	assert_true(yaml_at(copy, "a.b")->children->next->quoted);
	assert_null(member->key);
	assert_null(member->next);
	arena_destroy(arena);
}

static void a_changed_alias_leaves_its_anchor_alone(void **state)
{
	struct arena *arena = arena_create();
	struct yaml_node *root = parse(arena, "a: &x {b: 1}\nc: *x\n");

	(void)state;
	assert_int_equal(yaml_set(arena, root, "c.b", "2", command_line, NULL), 0);
	assert_string_equal(flow(arena, root), "{a: {b: 1}, c: {b: 2}}");
	arena_destroy(arena);
}

struct set_case {
	const char *path;
	const char *result; /* the tree, or the message */
};

static void setting_makes_what_is_missing_and_replaces_what_is_there(void **state)
{
	static const struct set_case cases[] = {
		{ "a.b", "{a: {b: 7, c: [x]}, d: 2}" },
		{ "a.c", "{a: {b: 1, c: 7}, d: 2}" },
		{ "a", "{a: 7, d: 2}" },
		{ "e", "{a: {b: 1, c: [x]}, d: 2, e: 7}" },
		{ "a.e.f.g", "{a: {b: 1, c: [x], e: {f: {g: 7}}}, d: 2}" },
		{ "d.e", "--set:1:3: 'd.e' cannot be set: d is not a mapping" },
		{ "a.c.e.f", "--set:1:3: 'a.c.e.f' cannot be set: c is not a mapping" },
		{ "", "--set:1:3: a key is empty" },
		{ ".a", "--set:1:3: '.a' has an empty step" },
		{ "a.", "--set:1:3: 'a.' has an empty step" },
		{ "a..b", "--set:1:3: 'a..b' has an empty step" },
		{ "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a."
		  "a.a.a."
		  "a.a.a.a.a.a.a.a.a.a.a.a",
		  "--set:1:3: 'a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a....' has more than 64 "
		  "steps" },
	};
	static const char before[] = "{a: {b: 1, c: [x]}, d: 2}";
	struct error err;
	char message[400];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *arena = arena_create();
		struct yaml_node *root = parse(arena, before);
		int failed = yaml_set(arena, root, cases[i].path, "7", command_line, &err);

		if (failed)
			assert_string_equal(flow(arena, root), before);
		assert_string_equal(failed ? error_format(&err, message, sizeof(message)) : flow(arena, root),
				    cases[i].result);
		if (!failed) {
			assert_string_equal(yaml_at(root, cases[i].path)->text, "7");
			assert_string_equal(yaml_at(root, cases[i].path)->pos.file, "--set");
		}
		arena_destroy(arena);
	}
}

static void what_is_not_there_is_not_found(void **state)
{
	struct arena *arena = arena_create();
	struct yaml_node *root = parse(arena, "{a: {b: 1}, list: [x]}");

	(void)state;
	assert_null(yaml_get(root, "b"));
	assert_null(yaml_get(NULL, "a"));
	assert_null(yaml_get(yaml_get(root, "list"), "x"));
	assert_null(yaml_at(root, "a.c"));
	assert_null(yaml_at(root, "a.b.c"));
	assert_null(yaml_at(root, "x.y.z"));
	assert_null(yaml_at(root, ""));
	assert_null(yaml_at(NULL, "a"));
	arena_destroy(arena);
}

static void taking_removes_one_member(void **state)
{
	static const struct tree_case cases[] = {
		{ "a", "{b: 2, c: 3}" },
		{ "b", "{a: 1, c: 3}" },
		{ "c", "{a: 1, b: 2}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *arena = arena_create();
		struct yaml_node *root = parse(arena, "{a: 1, b: 2, c: 3}");
		const struct yaml_node *taken = yaml_take(root, cases[i].text);

		assert_string_equal(taken->key, cases[i].text);
		assert_null(taken->next);
		assert_string_equal(flow(arena, root), cases[i].tree);
		assert_int_equal(root->nr_children, 2);
		assert_null(yaml_take(root, cases[i].text));
		assert_int_equal(root->nr_children, 2);
		arena_destroy(arena);
	}
}

static void a_list_of_settings_is_set_less_what_has_no_text(void **state)
{
	static const struct yaml_setting good[] = { { "a.b", "1" }, { "c", NULL }, { "a.d", "two" }, { NULL, NULL } };
	static const struct yaml_setting bad[] = { { "a..b", "1" }, { NULL, NULL } };
	struct arena *arena = arena_create();
	struct yaml_node *root = parse(arena, "{a: {b: 0}}");
	struct error err;

	(void)state;
	assert_int_equal(yaml_set_all(arena, root, good, &err), 0);
	assert_string_equal(flow(arena, root), "{a: {b: 1, d: two}}");
	assert_int_equal(yaml_set_all(arena, root, bad, &err), -1);
	arena_destroy(arena);
}

static void a_tree_is_put_behind_all_members(void **state)
{
	static const struct tree_case cases[] = {
		{ "{}", "{new: {x: 1}}" },
		{ "{a: 1, b: [2]}", "{a: 1, b: [2], new: {x: 1}}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *arena = arena_create();
		struct yaml_node *root = parse(arena, cases[i].text);

		yaml_put(arena, root, "new", parse(arena, "{x: 1}"));
		assert_string_equal(flow(arena, root), cases[i].tree);
		assert_non_null(yaml_at(root, "new.x"));
		arena_destroy(arena);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(documents_become_trees),
		cmocka_unit_test(nodes_remember_where_they_were_written),
		cmocka_unit_test(what_is_refused_is_said_with_its_position),
		cmocka_unit_test(hostile_sizes_end_at_a_limit),
		cmocka_unit_test(a_mapping_may_be_as_large_as_the_limit),
		cmocka_unit_test(loading_says_what_cannot_be_read),
		cmocka_unit_test(overlays_merge_mappings_and_replace_the_rest),
		cmocka_unit_test(overlays_keep_the_position_of_each_side),
		cmocka_unit_test(copies_share_nothing),
		cmocka_unit_test(a_changed_alias_leaves_its_anchor_alone),
		cmocka_unit_test(setting_makes_what_is_missing_and_replaces_what_is_there),
		cmocka_unit_test(what_is_not_there_is_not_found),
		cmocka_unit_test(taking_removes_one_member),
		cmocka_unit_test(a_list_of_settings_is_set_less_what_has_no_text),
		cmocka_unit_test(a_tree_is_put_behind_all_members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
