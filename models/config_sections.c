/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A mapping of sections, each bound by its parameter table: a machine, and
 * what an experiment says about the kernel.
 */
#include "models/config_parts.h"

#include <string.h>

#include "sim/io/bind.h"

const char *const *config_section_names(struct arena *arena, const struct param_section *sections)
{
	size_t nr = 0;
	const char **names;

	while (sections[nr].name)
		nr++;
	names = arena_calloc(arena, nr + 1, sizeof(*names));
	for (size_t i = 0; i < nr; i++)
		names[i] = sections[i].name;
	return names;
}

static int bind_section(struct arena *arena, const struct yaml_node *tree, const struct config_sections *sections,
			const struct param_section *section, void *out, struct error *err)
{
	const struct yaml_node *node = yaml_get(tree, section->name);
	const bool has_others = sections->other_section && !strcmp(section->name, sections->other_section);
	const char *what = arena_printf(arena, "%s's %s", sections->whole, section->name);

	if (!node)
		node = config_mapping(arena, tree->pos);
	if (bind_expect(node, YAML_MAPPING, what, err))
		return -1;
	return bind_params(arena, node, section->table, has_others ? sections->other_keys : NULL, what,
			   (char *)out + section->offset, err);
}

int config_bind_sections(struct arena *arena, const struct yaml_node *tree, const struct config_sections *sections,
			 void *out, struct error *err)
{
	for (const struct param_section *section = sections->sections; section->name; section++)
		if (bind_section(arena, tree, sections, section, out, err))
			return -1;
	return 0;
}
