/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cells of text in aligned columns, collected first and then written in one of the styles that tables come in. Widths
 * count characters, not bytes. Texts are not copied: they must live as long as the grid.
 */
#ifndef CONTEND_IO_GRID_H
#define CONTEND_IO_GRID_H

#include <stdio.h>

#include "sim/util/arena.h"

enum grid_align {
	GRID_RIGHT,
	GRID_LEFT,
	GRID_RIGHT_LOOSE, /* right-aligned among its cells, the title may stick out: for a last column */
};

enum grid_style {
	GRID_SPACED, /* two blanks between columns */
	GRID_MAIL, /* "#threads | vanilla | patched" */
	GRID_MARKDOWN,
	GRID_BOXED, /* lines around the titles and around all */
	GRID_OUTLINED, /* the same, the line below the titles a double one */
};

struct grid;

struct grid *grid_create(struct arena *arena);

/* Add a column; all of them before the first cell. */
void grid_column(struct grid *grid, enum grid_align align, const char *title);

/* Fill the next cell, row by row. */
void grid_cell(struct grid *grid, const char *text);

/* A remark before the next row, written as a C comment in the middle of a line of its own. */
void grid_mark(struct grid *grid, const char *text);

/* A line before the next row, in the styles with lines. */
void grid_rule(struct grid *grid);

void grid_write(const struct grid *grid, enum grid_style style, FILE *out);

#endif
