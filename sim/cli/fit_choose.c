/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which cells of the published tables a fit may see. */
#include "sim/cli/fit.h"

#include <string.h>

#include "sim/io/bind.h"
#include "sim/util/text.h"

/* The next name of a comma-separated list, in arena; *list moves behind it. NULL at the end. */
static const char *next_name(struct arena *arena, const char **list)
{
	size_t length;
	const char *name;

	if (!*list)
		return NULL;
	length = strcspn(*list, ",");
	name = arena_strndup(arena, *list, length);
	*list = (*list)[length] ? *list + length + 1 : NULL;
	return name;
}

static bool in_list(struct arena *arena, const char *list, const char *name)
{
	const char *item;

	while ((item = next_name(arena, &list))) {
		if (strcmp(item, name) == 0)
			return true;
	}
	return false;
}

static const char *row_of(const struct fit *fit, const struct fit_cell *cell)
{
	return fit->members[cell->member].published->rows[cell->row];
}

static const char *column_of(const struct fit *fit, const struct fit_cell *cell)
{
	return fit->members[cell->member].published->columns[cell->column];
}

static bool row_is_chosen(const struct fit *fit, const struct fit_cell *cell, const char *rows)
{
	if (!rows)
		return true;
	if (strcmp(rows, "odd") == 0)
		return cell->row % 2 == 0;
	if (strcmp(rows, "even") == 0)
		return cell->row % 2 == 1;
	return in_list(fit->arena, rows, row_of(fit, cell));
}

/* Every name of a list is a row (or column) of some cell. */
static int check_names(const struct fit *fit, const char *what, const char *list,
		       const char *(*name_of)(const struct fit *fit, const struct fit_cell *cell), struct error *err)
{
	const struct source_pos pos = { .file = arena_printf(fit->arena, "--%ss %s", what, list) };
	const char **known = arena_calloc(fit->arena, (size_t)fit->nr_cells + 1, sizeof(*known));
	const char *name;
	int nr_known = 0;
	int i;

	for (i = 0; i < fit->nr_cells; i++) {
		const char *cell_name = name_of(fit, &fit->cells[i]);
		int k = 0;

		while (k < nr_known && strcmp(known[k], cell_name) != 0)
			k++;
		known[k] = cell_name;
		nr_known += k == nr_known;
	}
	while ((name = next_name(fit->arena, &list))) {
		for (i = 0; i < nr_known && strcmp(known[i], name) != 0; i++)
			;
		if (i == nr_known)
			return bind_unknown(pos,
					    arena_printf(fit->arena,
							 "no %s of a published table that is simulated is called",
							 what),
					    name, known, err);
	}
	return 0;
}

int fit_choose(struct fit *fit, const char *rows, const char *columns, struct error *err)
{
	bool by_position = rows && (strcmp(rows, "odd") == 0 || strcmp(rows, "even") == 0);
	int i;

	if ((rows && !by_position && check_names(fit, "row", rows, row_of, err)) ||
	    (columns && check_names(fit, "column", columns, column_of, err)))
		return -1;
	fit->nr_chosen = 0;
	for (i = 0; i < fit->nr_cells; i++) {
		struct fit_cell *cell = &fit->cells[i];

		cell->chosen = row_is_chosen(fit, cell, rows) &&
			       (!columns || in_list(fit->arena, columns, column_of(fit, cell)));
		fit->nr_chosen += cell->chosen;
	}
	return fit->nr_chosen > 0
		       ? 0
		       : error_plain(err, "no cell is left to fit to: the rows and columns chosen are empty");
}

static bool is_listed_as_used(const struct fit *fit, const struct fit_cell *cell)
{
	const struct experiment *experiment = fit->members[cell->member].experiment;
	const char *name = arena_printf(fit->arena, "%s/%s", row_of(fit, cell), column_of(fit, cell));
	int i;

	for (i = 0; i < experiment->nr_published_used; i++) {
		if (strcmp(experiment->published_used[i], name) == 0)
			return true;
	}
	return false;
}

int fit_choose_used(struct fit *fit, struct error *err)
{
	int i;

	fit->nr_chosen = 0;
	for (i = 0; i < fit->nr_cells; i++) {
		fit->cells[i].chosen = is_listed_as_used(fit, &fit->cells[i]);
		fit->nr_chosen += fit->cells[i].chosen;
	}
	return fit->nr_chosen > 0 ? 0 : error_plain(err, "no cell is listed under published_used");
}

bool fit_is_chosen(const struct fit *fit, int member, int row, int column)
{
	int i;

	for (i = 0; i < fit->nr_cells; i++) {
		const struct fit_cell *cell = &fit->cells[i];

		if (cell->member == member && cell->row == row && cell->column == column)
			return cell->chosen;
	}
	return false;
}
