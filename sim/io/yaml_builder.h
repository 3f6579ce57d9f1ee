/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A tree grows, one libyaml event at a time.
 *
 * A stack of the open sequences and mappings stands in for recursion. Every
 * limit is checked before memory is taken, so hostile input ends early. An
 * alias becomes a copy of its anchor's nodes; the texts of copies are shared,
 * since nobody changes one in place.
 */
#ifndef CONTEND_IO_YAML_BUILDER_H
#define CONTEND_IO_YAML_BUILDER_H

#include "sim/io/yaml.h"

#include <yaml.h>

/* A sequence or mapping that has not ended yet. */
struct level {
	struct yaml_node *node;
	struct yaml_node **tail;
	const char *key; /* a key that waits for its value, or NULL */
	struct source_pos key_pos;
};

struct anchor {
	const char *name;
	struct yaml_node *node;
};

struct yaml_builder {
	struct arena *arena; /* of the tree */
	struct arena *scratch; /* gone when the tree is done */
	struct error *err;
	const char *name; /* the file in every position */
	struct yaml_node *root; /* NULL until the document starts */
	struct level levels[YAML_MAX_DEPTH];
	int depth;
	struct anchor anchors[YAML_MAX_ANCHORS];
	int nr_anchors;
	int nr_nodes;
	size_t text_bytes;
};

static inline struct source_pos yaml_pos(const char *name, yaml_mark_t mark)
{
	return (struct source_pos){ name, (int)mark.line + 1, (int)mark.column + 1 };
}

/* Take one event. Returns 0, or -1 with builder->err set. The event stays the caller's. */
int yaml_builder_event(struct yaml_builder *builder, const yaml_event_t *event);

#endif
