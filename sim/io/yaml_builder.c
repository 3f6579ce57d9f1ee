/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/io/yaml_builder.h"

#include "sim/io/yaml_index.h"
#include "sim/util/text.h"

#include <string.h>

/* What copying a subtree takes. */
struct extent {
	int nodes;
	int depth; /* 0 for a scalar */
	size_t text_bytes;
};

static struct level *top(struct yaml_builder *builder)
{
	return builder->depth ? &builder->levels[builder->depth - 1] : NULL;
}

static bool expects_key(struct yaml_builder *builder)
{
	const struct level *level = top(builder);

	return level && level->node->kind == YAML_MAPPING && !level->key;
}

/* Hang a node into the innermost open collection, or make it the root. */
static void attach(struct yaml_builder *builder, struct yaml_node *node)
{
	struct level *level = top(builder);

	if (!level) {
		builder->root = node;
		return;
	}
	node->key = level->key;
	node->key_pos = level->key_pos;
	*level->tail = node;
	level->tail = &node->next;
	level->node->nr_children++;
	level->key = NULL;
	level->key_pos = (struct source_pos){ 0 };
}

static struct yaml_node *new_node(struct yaml_builder *builder, enum yaml_kind kind, struct source_pos pos)
{
	struct yaml_node *node;

	if (builder->nr_nodes == YAML_MAX_NODES) {
		error_set(builder->err, pos, "more than %d values", YAML_MAX_NODES);
		return NULL;
	}
	builder->nr_nodes++;
	node = arena_alloc(builder->arena, sizeof(*node));
	node->kind = kind;
	node->pos = pos;
	return node;
}

static int refuse_tag(struct yaml_builder *builder, const yaml_char_t *tag, struct source_pos pos)
{
	if (!tag)
		return 0;
	return error_set(builder->err, pos, "tags such as !!int are not supported; leave it out");
}

static int set_anchor(struct yaml_builder *builder, const yaml_char_t *name, struct yaml_node *node)
{
	struct anchor *anchor;

	if (!name)
		return 0;
	if (builder->nr_anchors == YAML_MAX_ANCHORS)
		return error_set(builder->err, node->pos, "more than %d anchors", YAML_MAX_ANCHORS);
	anchor = &builder->anchors[builder->nr_anchors++];
	anchor->name = arena_strdup(builder->scratch, (const char *)name);
	anchor->node = node;
	return 0;
}

/* The latest anchor of that name: a later one replaces an earlier one. */
static struct yaml_node *find_anchor(const struct yaml_builder *builder, const char *name)
{
	for (int i = builder->nr_anchors - 1; i >= 0; i--)
		if (!strcmp(builder->anchors[i].name, name))
			return builder->anchors[i].node;
	return NULL;
}

static bool is_open(const struct yaml_builder *builder, const struct yaml_node *node)
{
	for (int i = 0; i < builder->depth; i++)
		if (builder->levels[i].node == node)
			return true;
	return false;
}

static void measure(const struct yaml_node *node, int depth, struct extent *extent)
{
	extent->nodes++;
	extent->text_bytes += node->text ? strlen(node->text) : 0;
	extent->text_bytes += node->key ? strlen(node->key) : 0;
	if (node->kind == YAML_SCALAR)
		return;
	if (depth + 1 > extent->depth)
		extent->depth = depth + 1;
	for (const struct yaml_node *child = node->children; child; child = child->next)
		measure(child, depth + 1, extent);
}

static struct yaml_node *expand(struct arena *arena, const struct yaml_node *node)
{
	struct yaml_node *copy = arena_alloc(arena, sizeof(*copy));
	struct yaml_node **tail = &copy->children;

	*copy = *node;
	copy->next = NULL;
	copy->children = NULL;
	for (const struct yaml_node *child = node->children; child; child = child->next) {
		*tail = expand(arena, child);
		tail = &(*tail)->next;
	}
	return copy;
}

static int count_extent(struct yaml_builder *builder, const struct yaml_node *node, struct source_pos pos)
{
	struct extent extent = { 0 };

	measure(node, 0, &extent);
	if (builder->depth + extent.depth > YAML_MAX_DEPTH)
		return error_set(builder->err, pos, "nested deeper than %d levels after aliases are expanded",
				 YAML_MAX_DEPTH);
	if (extent.nodes > YAML_MAX_NODES - builder->nr_nodes)
		return error_set(builder->err, pos, "more than %d values after aliases are expanded", YAML_MAX_NODES);
	if (extent.text_bytes > YAML_MAX_TEXT_BYTES - builder->text_bytes)
		return error_set(builder->err, pos, "more than %zu MiB of text after aliases are expanded",
				 YAML_MAX_TEXT_BYTES >> 20);
	builder->nr_nodes += extent.nodes;
	builder->text_bytes += extent.text_bytes;
	return 0;
}

static int read_alias(struct yaml_builder *builder, const yaml_event_t *event)
{
	const char *name = (const char *)event->data.alias.anchor;
	struct source_pos pos = yaml_pos(builder->name, event->start_mark);
	struct yaml_node *node = find_anchor(builder, name);

	if (expects_key(builder))
		return error_set(builder->err, pos, "an alias cannot be a key");
	if (!node)
		return error_set(builder->err, pos, "alias '%s' has no anchor before it", TEXT_SHOWN(name));
	if (is_open(builder, node))
		return error_set(builder->err, pos, "alias '%s' is inside its own anchor", TEXT_SHOWN(name));
	if (count_extent(builder, node, pos))
		return -1;
	attach(builder, expand(builder->arena, node));
	return 0;
}

/* The text of a scalar, in the arena; NULL with an error when C cannot hold it. */
static const char *scalar_text(struct yaml_builder *builder, const yaml_event_t *event)
{
	const char *value = (const char *)event->data.scalar.value;
	size_t bytes = event->data.scalar.length;
	struct source_pos pos = yaml_pos(builder->name, event->start_mark);

	if (memchr(value, '\0', bytes)) {
		error_set(builder->err, pos, "a NUL character in a text");
		return NULL;
	}
	if (bytes > YAML_MAX_TEXT_BYTES - builder->text_bytes) {
		error_set(builder->err, pos, "more than %zu MiB of text", YAML_MAX_TEXT_BYTES >> 20);
		return NULL;
	}
	builder->text_bytes += bytes;
	return arena_strndup(builder->arena, value, bytes);
}

static int read_key(struct yaml_builder *builder, const yaml_event_t *event)
{
	struct source_pos pos = yaml_pos(builder->name, event->start_mark);
	struct level *level = top(builder);

	if (event->data.scalar.anchor)
		return error_set(builder->err, pos, "a key cannot have an anchor");
	level->key = scalar_text(builder, event);
	level->key_pos = pos;
	if (!level->key)
		return -1;
	if (!strcmp(level->key, "<<") && event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
		return error_set(builder->err, pos, "merge keys (<<) are not supported; write the members out");
	return 0;
}

static int read_scalar(struct yaml_builder *builder, const yaml_event_t *event)
{
	struct source_pos pos = yaml_pos(builder->name, event->start_mark);
	struct yaml_node *node;

	if (refuse_tag(builder, event->data.scalar.tag, pos))
		return -1;
	if (expects_key(builder))
		return read_key(builder, event);
	node = new_node(builder, YAML_SCALAR, pos);
	if (!node)
		return -1;
	node->text = scalar_text(builder, event);
	if (!node->text)
		return -1;
	node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	attach(builder, node);
	return set_anchor(builder, event->data.scalar.anchor, node);
}

static int open_level(struct yaml_builder *builder, const yaml_event_t *event, enum yaml_kind kind,
		      const yaml_char_t *anchor)
{
	struct source_pos pos = yaml_pos(builder->name, event->start_mark);
	struct yaml_node *node;

	if (expects_key(builder))
		return error_set(builder->err, pos, "a key must be a single value, not a %s",
				 kind == YAML_MAPPING ? "mapping" : "list");
	if (builder->depth == YAML_MAX_DEPTH)
		return error_set(builder->err, pos, "nested deeper than %d levels", YAML_MAX_DEPTH);
	node = new_node(builder, kind, pos);
	if (!node)
		return -1;
	attach(builder, node);
	builder->levels[builder->depth++] = (struct level){ .node = node, .tail = &node->children };
	return set_anchor(builder, anchor, node);
}

static int open_sequence(struct yaml_builder *builder, const yaml_event_t *event)
{
	if (refuse_tag(builder, event->data.sequence_start.tag, yaml_pos(builder->name, event->start_mark)))
		return -1;
	return open_level(builder, event, YAML_SEQUENCE, event->data.sequence_start.anchor);
}

static int open_mapping(struct yaml_builder *builder, const yaml_event_t *event)
{
	if (refuse_tag(builder, event->data.mapping_start.tag, yaml_pos(builder->name, event->start_mark)))
		return -1;
	return open_level(builder, event, YAML_MAPPING, event->data.mapping_start.anchor);
}

static int close_level(struct yaml_builder *builder)
{
	const struct yaml_node *node = builder->levels[--builder->depth].node;
	const struct yaml_node *first;
	const struct yaml_node *duplicate;
	struct yaml_index index;

	if (node->kind != YAML_MAPPING || node->nr_children < 2)
		return 0;
	index = yaml_index_of(builder->scratch, node);
	duplicate = yaml_index_duplicate(&index, &first);
	if (!duplicate)
		return 0;
	return error_set(builder->err, duplicate->key_pos, "duplicate key '%s'; it is already at line %d, column %d",
			 TEXT_SHOWN(duplicate->key), first->key_pos.line, first->key_pos.column);
}

int yaml_builder_event(struct yaml_builder *builder, const yaml_event_t *event)
{
	struct source_pos pos = yaml_pos(builder->name, event->start_mark);

	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		return builder->root ? error_set(builder->err, pos, "more than one document in a file") : 0;
	case YAML_ALIAS_EVENT:
		return read_alias(builder, event);
	case YAML_SCALAR_EVENT:
		return read_scalar(builder, event);
	case YAML_SEQUENCE_START_EVENT:
		return open_sequence(builder, event);
	case YAML_MAPPING_START_EVENT:
		return open_mapping(builder, event);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return close_level(builder);
	default:
		return 0;
	}
}
