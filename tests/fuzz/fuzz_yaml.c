/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a YAML file: parsed, copied, overlaid, set into, bound to a
 * table of all kinds. Beyond not crashing, what must hold is asserted.
 *
 *	clang -std=c11 -D_GNU_SOURCE -g -O1 -I. -fsanitize=fuzzer,address,undefined tests/fuzz/fuzz_yaml.c \
 *		sim/io/yaml*.c sim/io/bind.c sim/util/[a-z]*.c -lyaml -lm -o build/fuzz_yaml
 *	build/fuzz_yaml -max_total_time=180 build/corpus tests/fuzz/corpus/yaml
 */
#include "tests/fuzz/fuzz.h"

#include "sim/io/bind.h"
#include "sim/io/yaml.h"

#include <stdlib.h>
#include <string.h>

#define MUST(condition) \
	do { \
		if (!(condition)) \
			abort(); \
	} while (0)

struct all_kinds {
	bool flag;
	uint32_t count;
	uint64_t memory;
	uint64_t clock;
	uint64_t seed;
	int64_t duration_ps;
	double latency_ns;
	double ratio;
	const char *title;
	int order;
};

static const char *const orders[] = { "cores-first", "siblings-first", NULL };

static const struct param table[] = {
	PARAM(struct all_kinds, flag, "", 1, 0, 1, "a flag"),
	PARAM(struct all_kinds, count, "", 1, 1, 64, "a number"),
	PARAM(struct all_kinds, memory, "bytes", 0, 0, 1e18, "a size"),
	PARAM(struct all_kinds, clock, "Hz", 1e9, 1, 1e19, "a frequency"),
	PARAM(struct all_kinds, seed, "", 1, 0, 1.9e19, "any number"),
	PARAM_AS("duration", struct all_kinds, duration_ps, "time", 1e9, -1e19, 1e19, "a time"),
	PARAM(struct all_kinds, latency_ns, "ns", 0, 0, 1e6, "a latency"),
	PARAM(struct all_kinds, ratio, "", 0, -1e300, 1e300, "a ratio"),
	PARAM_NAME(struct all_kinds, title, "none", "a text"),
	PARAM_ONE_OF(struct all_kinds, order, orders, 1, "a choice"),
	PARAM_END,
};

/* Of the same shape, keys and texts. */
static bool same(const struct yaml_node *a, const struct yaml_node *b)
{
	if (a->kind != b->kind || a->nr_children != b->nr_children)
		return false;
	if (a->kind == YAML_SCALAR)
		return !strcmp(a->text, b->text) && a->quoted == b->quoted;
	a = a->children;
	b = b->children;
	for (; a && b; a = a->next, b = b->next)
		if (!a->key != !b->key || (a->key && strcmp(a->key, b->key)) || !same(a, b))
			return false;
	return !a && !b;
}

static int depth_of(const struct yaml_node *node)
{
	int deepest = 0;

	if (node->kind == YAML_SCALAR)
		return 0;
	for (const struct yaml_node *child = node->children; child; child = child->next) {
		int depth = depth_of(child);

		deepest = depth > deepest ? depth : deepest;
	}
	return deepest + 1;
}

static bool is_complete(const struct error *err)
{
	return err->text[0] && err->pos.file && (err->pos.line > 0) == (err->pos.column > 0);
}

/* What was read prints as something that reads back as the same value. */
static void check_round_trip(const struct all_kinds *params)
{
	struct all_kinds again;
	char text[64];
	char back[64];
	char why[256];

	for (const struct param *entry = table; entry->key; entry++) {
		if (entry->kind == PARAM_TEXT)
			continue;
		param_print(entry, params, text, sizeof(text));
		MUST(!param_parse(entry, text, &again, why, sizeof(why)));
		MUST(!strcmp(param_print(entry, &again, back, sizeof(back)), text));
	}
}

static void check_binding(struct arena *arena, const struct yaml_node *tree)
{
	static const char *const others[] = { "machine", "workload", NULL };
	struct all_kinds params;
	struct error err = { 0 };

	if (bind_params(arena, tree, table, others, "it", &params, &err))
		MUST(is_complete(&err));
	else
		check_round_trip(&params);
}

/* Every scalar as every kind. */
static void check_scalars(struct arena *arena, const struct yaml_node *node)
{
	struct all_kinds params;
	struct error err;

	param_defaults(table, &params);
	for (const struct yaml_node *child = node->children; child; child = child->next) {
		if (child->kind != YAML_SCALAR)
			continue;
		for (const struct param *entry = table; entry->key; entry++)
			bind_scalar(arena, child, entry, &params, &err);
	}
	check_round_trip(&params);
}

static void check_tree(struct arena *arena, const struct yaml_node *tree)
{
	struct arena *other = arena_create();
	struct yaml_node *copy = yaml_copy(other, tree);
	struct error err = { 0 };

	MUST(same(tree, copy));
	MUST(same(tree, yaml_overlay(other, tree, copy)));
	MUST(depth_of(tree) <= YAML_MAX_DEPTH);
	if (tree->kind == YAML_MAPPING && tree->children) {
		const char *key = tree->children->key;

		if (!yaml_set(other, copy, key, "1", tree->pos, &err))
			MUST(!strcmp(yaml_at(copy, key)->text, "1"));
		MUST(same(yaml_overlay(other, tree, copy), copy));
		MUST(yaml_take(copy, key));
		MUST(!yaml_get(copy, key));
	}
	check_binding(arena, tree);
	check_scalars(arena, tree);
	arena_destroy(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_create();
	struct error err = { 0 };
	struct yaml_node *tree = yaml_parse(arena, "fuzz.yaml", (const char *)data, size, &err);

	if (tree)
		check_tree(arena, tree);
	else
		MUST(is_complete(&err));
	arena_destroy(arena);
	return 0;
}
