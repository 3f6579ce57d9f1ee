/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/io/yaml_index.h"

#include <stdlib.h>
#include <string.h>

static int compare_pos(const struct yaml_node *a, const struct yaml_node *b)
{
	if (a->key_pos.line != b->key_pos.line)
		return a->key_pos.line < b->key_pos.line ? -1 : 1;
	return a->key_pos.column - b->key_pos.column;
}

static int compare_members(const void *a, const void *b)
{
	const struct yaml_node *left = *(const struct yaml_node *const *)a;
	const struct yaml_node *right = *(const struct yaml_node *const *)b;
	int order = strcmp(left->key, right->key);

	return order ? order : compare_pos(left, right);
}

static int compare_key(const void *key, const void *member)
{
	return strcmp(key, (*(const struct yaml_node *const *)member)->key);
}

struct yaml_index yaml_index_of(struct arena *arena, const struct yaml_node *mapping)
{
	struct yaml_index index = { 0 };

	index.members = arena_calloc(arena, (size_t)mapping->nr_children, sizeof(struct yaml_node *));
	for (const struct yaml_node *child = mapping->children; child; child = child->next)
		index.members[index.nr++] = child;
	if (index.nr > 1)
		qsort(index.members, index.nr, sizeof(struct yaml_node *), compare_members);
	return index;
}

const struct yaml_node *yaml_index_get(const struct yaml_index *index, const char *key)
{
	const struct yaml_node *const *found =
		index->nr ? bsearch(key, index->members, index->nr, sizeof(struct yaml_node *), compare_key) : NULL;

	return found ? *found : NULL;
}

const struct yaml_node *yaml_index_duplicate(const struct yaml_index *index, const struct yaml_node **first)
{
	const struct yaml_node *found = NULL;

	for (size_t i = 1; i < index->nr; i++) {
		const struct yaml_node *before = index->members[i - 1];
		const struct yaml_node *member = index->members[i];

		if (strcmp(before->key, member->key) || (found && compare_pos(found, member) < 0))
			continue;
		found = member;
		*first = before;
	}
	return found;
}
