/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Machine files: `extends` resolved into one tree, and the tree bound to a
 * struct machine_config.
 */
#include "models/config_parts.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/io/bind.h"

/* The files that are being read, from the one that the user named to the innermost base. */
struct chain {
	const struct chain *parent;
	const char *path;
	dev_t device;
	ino_t inode;
};

/* clang-format off */
static const struct param matrix_entry = {
	.key = "matrix_ns", .unit = "ns", .kind = PARAM_F64, .min = 0, .max = 1e6,
	.help = "transfer between two nodes",
};
/* clang-format on */

static const char *chain_text(struct arena *arena, const struct chain *chain)
{
	if (!chain->parent)
		return chain->path;
	return arena_printf(arena, "%s -> %s", chain_text(arena, chain->parent), chain->path);
}

/* Fill link with the file's identity; fail at pos when it is not there or already in the chain. */
static int chain_enter(struct arena *arena, struct chain *link, struct source_pos pos, struct error *err)
{
	struct stat status;

	if (stat(link->path, &status))
		return error_set(err, pos, "machine file '%s': %s", link->path, strerror(errno));
	link->device = status.st_dev;
	link->inode = status.st_ino;
	for (const struct chain *above = link->parent; above; above = above->parent) {
		if (above->device == link->device && above->inode == link->inode)
			return error_set(err, pos, "'extends' goes in a circle: %s", chain_text(arena, link));
	}
	return 0;
}

/* The path that a scalar in a file refers to; NULL with err. */
static const char *refer(struct arena *arena, const struct yaml_node *node, struct error *err)
{
	const char *path;

	if (bind_expect(node, YAML_SCALAR, "the machine's path or name", err))
		return NULL;
	if (!node->text[0]) {
		error_set(err, node->pos, "a machine's path or name is empty");
		return NULL;
	}
	path = config_find(arena, CONFIG_MACHINE, node->text, node->pos, err);
	if (!path || strcmp(path, node->text))
		return path;
	return config_path_beside(arena, node->pos.file, path);
}

/*
 * The tree that the file at the end of the chain holds, laid over the files that it extends one after the other. The
 * overlays are collected innermost last, so no recursion is needed: each step puts the base below what is there.
 */
static struct yaml_node *extend(struct arena *arena, struct yaml_node *tree, const struct chain *chain,
				struct error *err)
{
	const struct source_pos pos = tree->pos; /* what is wrong with the whole is the user's, not the base's */
	struct yaml_node *extends;

	while ((extends = yaml_take(tree, "extends"))) {
		struct chain *link = arena_alloc(arena, sizeof(*link));
		struct yaml_node *base;

		link->parent = chain;
		link->path = refer(arena, extends, err);
		if (!link->path || chain_enter(arena, link, extends->pos, err))
			return NULL;
		base = yaml_load(arena, link->path, err);
		if (!base || bind_expect(base, YAML_MAPPING, "a machine", err))
			return NULL;
		/* the base's own `extends` is in the merged tree now and is the next to be resolved */
		tree = yaml_overlay(arena, base, tree);
		tree->pos = pos;
		chain = link;
	}
	return tree;
}

static struct yaml_node *load_at(struct arena *arena, const char *path, struct source_pos pos, struct error *err)
{
	struct chain *link = arena_alloc(arena, sizeof(*link));
	struct yaml_node *tree;

	link->path = arena_strdup(arena, path);
	if (chain_enter(arena, link, pos, err))
		return NULL;
	tree = yaml_load(arena, link->path, err);
	if (!tree || bind_expect(tree, YAML_MAPPING, "a machine", err))
		return NULL;
	return extend(arena, tree, link, err);
}

struct yaml_node *machine_tree_load(struct arena *arena, const char *path, struct error *err)
{
	return load_at(arena, path, (struct source_pos){ 0 }, err);
}

static struct yaml_node *refer_mapping(struct arena *arena, const struct yaml_node *node, const char **name,
				       struct error *err)
{
	struct yaml_node *tree = yaml_copy(arena, node);
	const struct yaml_node *extends = yaml_get(tree, "extends");
	const struct yaml_node *given = yaml_take(tree, "name");

	if (given && bind_expect(given, YAML_SCALAR, "the machine's name", err))
		return NULL;
	if (extends && bind_expect(extends, YAML_SCALAR, "the machine's path or name", err))
		return NULL;
	if (given)
		*name = given->text;
	else
		*name = extends ? config_base_name(arena, extends->text) : "machine";
	return extend(arena, tree, NULL, err);
}

struct yaml_node *config_machine_refer(struct arena *arena, const struct yaml_node *node, const char **name,
				       struct error *err)
{
	const char *path;

	if (node->kind == YAML_MAPPING)
		return refer_mapping(arena, node, name, err);
	path = refer(arena, node, err);
	if (!path)
		return NULL;
	*name = config_base_name(arena, path);
	return load_at(arena, path, node->pos, err);
}

static int bind_row(struct arena *arena, const struct yaml_node *row, int nr_nodes, double *row_ns, struct error *err)
{
	if (bind_expect(row, YAML_SEQUENCE, "a row of matrix_ns", err))
		return -1;
	if (row->nr_children != nr_nodes)
		return error_set(err, row->pos, "this row of matrix_ns has %d values, but the machine has %d nodes",
				 row->nr_children, nr_nodes);
	for (const struct yaml_node *cell = row->children; cell; cell = cell->next) {
		if (bind_scalar(arena, cell, &matrix_entry, row_ns++, err))
			return -1;
	}
	return 0;
}

static int bind_matrix(struct arena *arena, const struct yaml_node *matrix, struct machine_config *out,
		       struct error *err)
{
	uint64_t nr_nodes = (uint64_t)out->topology.sockets * out->topology.nodes_per_socket;
	double *row_ns;

	if (!matrix)
		return 0;
	if (bind_expect(matrix, YAML_SEQUENCE, "matrix_ns", err))
		return -1;
	if (nr_nodes > MACHINE_MAX_NODES || (uint64_t)matrix->nr_children != nr_nodes)
		return error_set(err, matrix->pos, "matrix_ns has %d rows, but the machine has %llu nodes",
				 matrix->nr_children, (unsigned long long)nr_nodes);
	row_ns = out->matrix_ns = arena_calloc(arena, nr_nodes * nr_nodes, sizeof(*out->matrix_ns));
	for (const struct yaml_node *row = matrix->children; row; row = row->next) {
		if (bind_row(arena, row, (int)nr_nodes, row_ns, err))
			return -1;
		row_ns += nr_nodes;
	}
	return 0;
}

int machine_config_bind(struct arena *arena, const struct yaml_node *tree, const char *name, struct machine_config *out,
			struct error *err)
{
	static const char *const matrix_keys[] = { "matrix_ns", NULL };
	const struct config_sections sections = {
		.sections = machine_sections, .whole = "machine", .other_section = "transfer", .other_keys = matrix_keys
	};

	memset(out, 0, sizeof(*out));
	out->name = name;
	if (bind_expect(tree, YAML_MAPPING, "a machine", err) ||
	    bind_params(arena, tree, machine_params_table, config_section_names(arena, machine_sections), "machine",
			out, err) ||
	    config_bind_sections(arena, tree, &sections, out, err))
		return -1;
	if (bind_matrix(arena, yaml_get(yaml_get(tree, "transfer"), "matrix_ns"), out, err))
		return -1;
	return machine_config_check(out, err) ? error_at(err, tree->pos) : 0;
}
