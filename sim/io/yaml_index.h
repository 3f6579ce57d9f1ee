/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The members of a mapping by key in less than linear time: for what looks at
 * every member of a mapping that may have 200 000 of them.
 */
#ifndef CONTEND_IO_YAML_INDEX_H
#define CONTEND_IO_YAML_INDEX_H

#include "sim/io/yaml.h"
#include "sim/util/arena.h"

struct yaml_index {
	const struct yaml_node **members; /* by key; equal keys in the order of the file */
	size_t nr;
};

/* The index of a mapping as it is now, in arena. */
struct yaml_index yaml_index_of(struct arena *arena, const struct yaml_node *mapping);

/* The member of that key, or NULL. */
const struct yaml_node *yaml_index_get(const struct yaml_index *index, const char *key);

/* The first member in the order of the file whose key was there before, or NULL; *first becomes the earlier one. */
const struct yaml_node *yaml_index_duplicate(const struct yaml_index *index, const struct yaml_node **first);

#endif
