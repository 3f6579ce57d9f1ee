/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is done with trees once they are read. Recursion is bounded: no tree is
 * deeper than YAML_MAX_DEPTH.
 */
#include "sim/io/yaml.h"

#include "sim/io/yaml_index.h"
#include "sim/util/text.h"

#include <string.h>

/* Copies into one arena. Nodes of one file stand together, so the last file name is kept instead of one per node. */
struct copier {
	struct arena *arena;
	const char *file, *file_copy;
};

static void copy_pos(struct copier *copier, struct source_pos *pos)
{
	if (!pos->file)
		return;
	if (pos->file != copier->file) {
		copier->file = pos->file;
		copier->file_copy = arena_strdup(copier->arena, pos->file);
	}
	pos->file = copier->file_copy;
}

static struct yaml_node *copy_alone(struct copier *copier, const struct yaml_node *node)
{
	struct yaml_node *copy = arena_alloc(copier->arena, sizeof(*copy));

	*copy = *node;
	copy_pos(copier, &copy->pos);
	copy_pos(copier, &copy->key_pos);
	if (node->key)
		copy->key = arena_strdup(copier->arena, node->key);
	if (node->text)
		copy->text = arena_strdup(copier->arena, node->text);
	copy->next = NULL;
	copy->children = NULL;
	copy->nr_children = 0;
	return copy;
}

/* *tail is where the parent's list ends; returns where it ends now. */
static struct yaml_node **append(struct yaml_node *parent, struct yaml_node **tail, struct yaml_node *child)
{
	*tail = child;
	parent->nr_children++;
	return &child->next;
}

static struct yaml_node *copy_tree(struct copier *copier, const struct yaml_node *node)
{
	struct yaml_node *copy = copy_alone(copier, node);
	struct yaml_node **tail = &copy->children;

	for (const struct yaml_node *child = node->children; child; child = child->next)
		tail = append(copy, tail, copy_tree(copier, child));
	return copy;
}

static struct yaml_node *without_key(struct yaml_node *node)
{
	node->key = NULL;
	node->key_pos = (struct source_pos){ 0 };
	return node;
}

static struct yaml_node *overlay(struct copier *copier, const struct yaml_node *base, const struct yaml_node *over)
{
	struct yaml_index in_base, in_over;
	struct yaml_node *merged;
	struct yaml_node **tail;

	if (base->kind != YAML_MAPPING || over->kind != YAML_MAPPING)
		return copy_tree(copier, over);
	in_base = yaml_index_of(copier->arena, base);
	in_over = yaml_index_of(copier->arena, over);
	merged = copy_alone(copier, base);
	tail = &merged->children;
	for (const struct yaml_node *child = base->children; child; child = child->next) {
		const struct yaml_node *other = yaml_index_get(&in_over, child->key);
		struct yaml_node *copy = other ? overlay(copier, child, other) : copy_tree(copier, child);

		tail = append(merged, tail, copy);
	}
	for (const struct yaml_node *child = over->children; child; child = child->next)
		if (!yaml_index_get(&in_base, child->key))
			tail = append(merged, tail, copy_tree(copier, child));
	return merged;
}

struct yaml_node *yaml_copy(struct arena *arena, const struct yaml_node *node)
{
	return without_key(copy_tree(&(struct copier){ .arena = arena }, node));
}

struct yaml_node *yaml_overlay(struct arena *arena, const struct yaml_node *base, const struct yaml_node *over)
{
	return without_key(overlay(&(struct copier){ .arena = arena }, base, over));
}

/* The member whose key is the first `bytes` of key. */
static struct yaml_node *get_part(const struct yaml_node *node, const char *key, size_t bytes)
{
	if (!node || node->kind != YAML_MAPPING)
		return NULL;
	for (struct yaml_node *child = node->children; child; child = child->next)
		if (!strncmp(child->key, key, bytes) && !child->key[bytes])
			return child;
	return NULL;
}

struct yaml_node *yaml_get(const struct yaml_node *node, const char *key)
{
	return get_part(node, key, strlen(key));
}

struct yaml_node *yaml_at(struct yaml_node *root, const char *path)
{
	size_t bytes = strcspn(path, ".");

	while (root && path[bytes]) {
		root = get_part(root, path, bytes);
		path += bytes + 1;
		bytes = strcspn(path, ".");
	}
	return yaml_get(root, path);
}

struct yaml_node *yaml_take(struct yaml_node *mapping, const char *key)
{
	struct yaml_node *taken = yaml_get(mapping, key);
	struct yaml_node **link;

	if (!taken)
		return NULL;
	for (link = &mapping->children; *link != taken; link = &(*link)->next)
		;
	*link = taken->next;
	taken->next = NULL;
	mapping->nr_children--;
	return taken;
}

/* A path must be "a.b.c": no empty step, no more steps than a tree is deep. */
static int check_path(const char *path, struct source_pos pos, struct error *err)
{
	int steps = 1;

	for (const char *at = path; *at; at++) {
		bool is_dot = *at == '.';

		steps += is_dot;
		if (is_dot && (at == path || at[1] == '.' || !at[1]))
			return error_set(err, pos, "'%s' has an empty step", TEXT_SHOWN(path));
	}
	if (!*path)
		return error_set(err, pos, "a key is empty");
	if (steps > YAML_MAX_DEPTH)
		return error_set(err, pos, "'%s' has more than %d steps", TEXT_SHOWN(path), YAML_MAX_DEPTH);
	return 0;
}

static void add_member(struct yaml_node *mapping, struct yaml_node *member)
{
	struct yaml_node **tail = &mapping->children;

	while (*tail)
		tail = &(*tail)->next;
	append(mapping, tail, member);
}

static struct yaml_node *new_member(struct arena *arena, struct yaml_node *mapping, const char *key, size_t bytes,
				    struct source_pos pos)
{
	struct yaml_node *node = arena_alloc(arena, sizeof(*node));

	node->kind = YAML_MAPPING;
	node->pos = pos;
	node->key_pos = pos;
	node->key = arena_strndup(arena, key, bytes);
	add_member(mapping, node);
	return node;
}

void yaml_put(struct arena *arena, struct yaml_node *mapping, const char *key, struct yaml_node *tree)
{
	tree->key = arena_strdup(arena, key);
	tree->key_pos = tree->pos;
	add_member(mapping, tree);
}

static void make_scalar(struct yaml_node *node, const char *text, struct source_pos pos)
{
	node->kind = YAML_SCALAR;
	node->pos = pos;
	node->text = text;
	node->quoted = false;
	node->children = NULL;
	node->nr_children = 0;
}

int yaml_set(struct arena *arena, struct yaml_node *root, const char *path, const char *text, struct source_pos pos,
	     struct error *err)
{
	struct yaml_node *node = root;

	if (check_path(path, pos, err))
		return -1;
	if (pos.file)
		pos.file = arena_strdup(arena, pos.file);
	for (const char *step = path; step;) {
		size_t bytes = strcspn(step, ".");
		struct yaml_node *child = get_part(node, step, bytes);

		if (node->kind != YAML_MAPPING)
			return error_set(err, pos, "'%s' cannot be set: %s is not a mapping", TEXT_SHOWN(path),
					 node->key ? TEXT_SHOWN(node->key) : "the whole");
		node = child ? child : new_member(arena, node, step, bytes, pos);
		step = step[bytes] ? step + bytes + 1 : NULL;
	}
	make_scalar(node, arena_strdup(arena, text), pos);
	return 0;
}

int yaml_set_all(struct arena *arena, struct yaml_node *root, const struct yaml_setting *settings, struct error *err)
{
	for (; settings->path; settings++)
		if (settings->text && yaml_set(arena, root, settings->path, settings->text, root->pos, err))
			return -1;
	return 0;
}
