/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * YAML as a tree of nodes that remember where they were written.
 *
 * Read by libyaml's event interface. Limits, all errors with a position: file
 * 4 MiB, depth 64, 200 000 nodes and 8 MiB of text after aliases are expanded,
 * 256 anchors, an alias inside its own anchor, a duplicate key, a key that is
 * not a scalar or has an anchor, tags, NUL characters, more than one document,
 * bytes that are not UTF-8. Merge keys (<<) are not supported and say so.
 *
 * A tree and everything in it belong to the arena it was read into. Nodes are
 * never shared between places of the tree, so a tree can be changed in place.
 */
#ifndef CONTEND_IO_YAML_H
#define CONTEND_IO_YAML_H

#include <stdbool.h>

#include "sim/util/arena.h"
#include "sim/util/error.h"

#define YAML_MAX_FILE_BYTES ((size_t)4 << 20)
#define YAML_MAX_DEPTH 64
#define YAML_MAX_NODES 200000
#define YAML_MAX_TEXT_BYTES ((size_t)8 << 20)
#define YAML_MAX_ANCHORS 256

enum yaml_kind {
	YAML_SCALAR,
	YAML_SEQUENCE,
	YAML_MAPPING,
};

struct yaml_node {
	enum yaml_kind kind;
	struct source_pos pos; /* where the node itself starts: after the key when it is a mapping's member */
	struct source_pos key_pos; /* where its key starts; mapping members only */
	const char *key; /* mapping members only, else NULL */
	const char *text; /* YAML_SCALAR only: the plain or quoted text */
	bool quoted; /* YAML_SCALAR only */
	struct yaml_node *next; /* in the parent's order */
	struct yaml_node *children; /* first member or item */
	int nr_children;
};

/* Read a file. `path` is what errors show. NULL on failure. An empty document is an error. */
struct yaml_node *yaml_load(struct arena *arena, const char *path, struct error *err);

/* The same from memory; `name` is what errors show as the file. */
struct yaml_node *yaml_parse(struct arena *arena, const char *name, const char *bytes, size_t nr_bytes,
			     struct error *err);

/* The member of a mapping, or NULL when absent or when node is NULL or no mapping. */
struct yaml_node *yaml_get(const struct yaml_node *node, const char *key);

/* A deep copy into arena that shares nothing with node's arena (positions are kept). It is no member of anything. */
struct yaml_node *yaml_copy(struct arena *arena, const struct yaml_node *node);

/*
 * base overlaid with over: mappings merge member by member, anything else is replaced whole. Returns a new tree in
 * arena; neither input changes. Positions are those of the side each node came from; a merged mapping has base's.
 * Members keep base's order, new ones follow in over's.
 */
struct yaml_node *yaml_overlay(struct arena *arena, const struct yaml_node *base, const struct yaml_node *over);

/*
 * Set the scalar at a dotted path ("machine.transfer.socket_ns") of a mapping to text, making mappings on the way where
 * they are missing. `pos` becomes the position of what is new. Whatever stood at the path is replaced. Fails when a
 * step on the way is no mapping, is empty, or lies deeper than YAML_MAX_DEPTH.
 */
int yaml_set(struct arena *arena, struct yaml_node *root, const char *path, const char *text, struct source_pos pos,
	     struct error *err);

struct yaml_setting {
	const char *path; /* NULL ends a list */
	const char *text; /* NULL: not to be set */
};

/* The same for each of a list, at the position of the root. */
int yaml_set_all(struct arena *arena, struct yaml_node *root, const struct yaml_setting *settings, struct error *err);

/* Make a tree, which is nobody's member, the last member of a mapping that has none of this key. */
void yaml_put(struct arena *arena, struct yaml_node *mapping, const char *key, struct yaml_node *tree);

/* The node at a dotted path, or NULL. */
struct yaml_node *yaml_at(struct yaml_node *root, const char *path);

/* Remove a member of a mapping; nothing happens when it is absent. Returns the removed node or NULL. */
struct yaml_node *yaml_take(struct yaml_node *mapping, const char *key);

#endif
