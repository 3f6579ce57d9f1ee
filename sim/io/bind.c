/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/io/bind.h"

#include "sim/util/text.h"

#include <string.h>
#include <unistd.h>

#define HINT_BYTES 256

static const char *const kind_names[] = {
	[YAML_SCALAR] = "a single value",
	[YAML_SEQUENCE] = "a list",
	[YAML_MAPPING] = "a mapping",
};

int bind_unknown(struct source_pos pos, const char *what, const char *text, const char *const *names, struct error *err)
{
	char hint[HINT_BYTES];

	return error_set(err, pos, "%s '%s'%s", what, TEXT_SHOWN(text), text_hint(text, names, hint, sizeof(hint)));
}

static bool is_empty(const struct yaml_node *node)
{
	return node->kind == YAML_SCALAR && !node->quoted && !node->text[0];
}

int bind_expect(const struct yaml_node *node, enum yaml_kind kind, const char *what, struct error *err)
{
	if (!node)
		return error_plain(err, "%s is missing", what);
	if (node->kind == kind)
		return 0;
	return error_set(err, node->pos, "%s must be %s, %s", TEXT_SHOWN(what), kind_names[kind],
			 is_empty(node)		       ? "but is empty"
			 : node->kind == YAML_SCALAR   ? "not a single value"
			 : node->kind == YAML_SEQUENCE ? "not a list"
						       : "not a mapping");
}

/* A relative path is meant from the folder of the file that has it; where nothing is there, from the working directory. */
static const char *find_path(struct arena *arena, const struct yaml_node *node)
{
	const char *file = node->pos.file;
	const char *slash = file ? strrchr(file, '/') : NULL;
	const char *beside;

	if (!slash || !node->text[0] || node->text[0] == '/')
		return arena_strdup(arena, node->text);
	beside = arena_printf(arena, "%.*s%s", (int)(slash + 1 - file), file, node->text);
	return access(beside, F_OK) ? arena_strdup(arena, node->text) : beside;
}

int bind_scalar(struct arena *arena, const struct yaml_node *node, const struct param *entry, void *params,
		struct error *err)
{
	const char *text;
	char why[ERROR_TEXT_BYTES / 2];

	if (bind_expect(node, YAML_SCALAR, entry->key, err))
		return -1;
	text = entry->path		   ? find_path(arena, node)
	       : entry->kind == PARAM_TEXT ? arena_strdup(arena, node->text)
					   : node->text;
	if (param_parse(entry, text, params, why, sizeof(why)))
		return error_set(err, node->pos, "%s: %s", entry->key, why);
	return 0;
}

static bool is_among(const char *text, const char *const *names)
{
	for (; names && *names; names++)
		if (!strcmp(*names, text))
			return true;
	return false;
}

/* The keys of the table and the others, for hints. */
static const char *const *known_keys(struct arena *arena, const struct param *table, const char *const *others)
{
	const char **keys;
	size_t nr = 0;

	for (const struct param *entry = table; entry->key; entry++)
		nr++;
	for (const char *const *other = others; other && *other; other++)
		nr++;
	keys = arena_calloc(arena, nr + 1, sizeof(*keys));
	nr = 0;
	for (const struct param *entry = table; entry->key; entry++)
		keys[nr++] = entry->key;
	for (const char *const *other = others; other && *other; other++)
		keys[nr++] = *other;
	return keys;
}

static int bind_members(struct arena *arena, const struct yaml_node *mapping, const struct param *table,
			const char *const *others, void *params, struct error *err)
{
	for (const struct yaml_node *child = mapping->children; child; child = child->next) {
		const struct param *entry = param_find(table, child->key);

		if (!entry && is_among(child->key, others))
			continue;
		if (!entry)
			return bind_unknown(child->key_pos, "unknown key", child->key, known_keys(arena, table, others),
					    err);
		if (bind_scalar(arena, child, entry, params, err))
			return -1;
	}
	return 0;
}

static int check_required(const struct yaml_node *mapping, const struct param *table, const char *what,
			  struct error *err)
{
	struct source_pos pos = { 0 };

	if (mapping)
		pos = mapping->pos;
	for (const struct param *entry = table; entry->key; entry++)
		if (entry->required && !yaml_get(mapping, entry->key))
			return error_set(err, pos, "%s has no '%s' (%s)", TEXT_SHOWN(what), entry->key, entry->help);
	return 0;
}

int bind_params(struct arena *arena, const struct yaml_node *mapping, const struct param *table,
		const char *const *others, const char *what, void *params, struct error *err)
{
	param_defaults(table, params);
	if (mapping && bind_expect(mapping, YAML_MAPPING, what, err))
		return -1;
	if (mapping && bind_members(arena, mapping, table, others, params, err))
		return -1;
	return check_required(mapping, table, what, err);
}
