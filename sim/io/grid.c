/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells of text in aligned columns. */
#include "sim/io/grid.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

struct column {
	const char *title;
	enum grid_align align;
};

struct mark {
	const char *text; /* NULL: a line */
	int row; /* that it stands before */
	struct mark *next;
};

struct grid {
	struct arena *arena;
	struct column *columns;
	int nr_columns, max_columns;
	const char **cells; /* row after row */
	int nr_cells, max_cells;
	struct mark *first_mark;
	struct mark **last_mark;
};

struct style {
	const char *before, *between, *after; /* of a row's cells */
	const char *escaped; /* characters that get a backslash */
	char line, title_line; /* what lines around all, and below the titles, are made of; 0: none */
};

static const struct style styles[] = {
	[GRID_SPACED] = { "", "  ", "", "", 0, 0 },
	[GRID_MAIL] = { "", " | ", "", "", 0, 0 },
	[GRID_MARKDOWN] = { "| ", " | ", " |", "\\|*`<", 0, 0 },
	[GRID_BOXED] = { "| ", " | ", " |", "", '-', '-' },
	[GRID_OUTLINED] = { "| ", " | ", " |", "", '-', '=' },
};

struct grid *grid_create(struct arena *arena)
{
	struct grid *grid = arena_alloc(arena, sizeof(*grid));

	grid->arena = arena;
	grid->last_mark = &grid->first_mark;
	return grid;
}

/* Room for one more item: the array itself, or a copy of twice the size. */
static void *room(struct arena *arena, void *items, int nr, int *max, size_t item_bytes)
{
	void *more;

	if (nr < *max)
		return items;
	*max = nr ? 2 * nr : 16;
	more = arena_calloc(arena, (size_t)*max, item_bytes);
	if (nr)
		memcpy(more, items, (size_t)nr * item_bytes);
	return more;
}

void grid_column(struct grid *grid, enum grid_align align, const char *title)
{
	assert(!grid->nr_cells);
	grid->columns = room(grid->arena, grid->columns, grid->nr_columns, &grid->max_columns, sizeof(*grid->columns));
	grid->columns[grid->nr_columns++] = (struct column){ .title = title, .align = align };
}

void grid_cell(struct grid *grid, const char *text)
{
	grid->cells = room(grid->arena, grid->cells, grid->nr_cells, &grid->max_cells, sizeof(*grid->cells));
	grid->cells[grid->nr_cells++] = text;
}

void grid_mark(struct grid *grid, const char *text)
{
	struct mark *mark = arena_alloc(grid->arena, sizeof(*mark));

	*mark = (struct mark){ .text = text, .row = grid->nr_cells / grid->nr_columns };
	*grid->last_mark = mark;
	grid->last_mark = &mark->next;
}

void grid_rule(struct grid *grid)
{
	grid_mark(grid, NULL);
}

/* In characters, as written. */
static int text_width(const char *text, const struct style *style)
{
	int width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80 ? 1 + (strchr(style->escaped, *text) != NULL) : 0;
	return width;
}

static void write_text(const char *text, const struct style *style, FILE *out)
{
	for (; *text; text++) {
		if (strchr(style->escaped, *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void write_blanks(int nr, FILE *out)
{
	for (int i = 0; i < nr; i++)
		fputc(' ', out);
}

/* What a row of cells or titles is written by. */
struct writing {
	const struct grid *grid;
	const struct style *style;
	const int *widths;
	FILE *out;
};

/* The last column to write: in styles without right border, empty cells at the end are left out. */
static int row_end(const struct writing *writing, const char *const *cells)
{
	int last = writing->grid->nr_columns - 1;

	while (!*writing->style->after && last > 0 && !*cells[last])
		last--;
	return last;
}

/* cells has nr_columns texts. No line ends in blanks. */
static void write_row(const struct writing *writing, const char *const *cells)
{
	const struct style *style = writing->style;
	int last = row_end(writing, cells);

	fputs(style->before, writing->out);
	for (int i = 0; i <= last; i++) {
		int missing = writing->widths[i] - text_width(cells[i], style);
		bool is_left = writing->grid->columns[i].align == GRID_LEFT;

		write_blanks(is_left ? 0 : missing, writing->out);
		write_text(cells[i], style, writing->out);
		if (is_left && (i < last || *style->after))
			write_blanks(missing, writing->out);
		fputs(i < last ? style->between : style->after, writing->out);
	}
	fputc('\n', writing->out);
}

static void write_titles(const struct writing *writing)
{
	const struct grid *grid = writing->grid;
	const char **titles = arena_calloc(grid->arena, (size_t)grid->nr_columns, sizeof(*titles));

	for (int i = 0; i < grid->nr_columns; i++)
		titles[i] = grid->columns[i].title;
	write_row(writing, titles);
}

/* Markdown's line under the titles: a colon at the aligned side. */
static void write_rule(const struct writing *writing)
{
	for (int i = 0; i < writing->grid->nr_columns; i++) {
		bool is_left = writing->grid->columns[i].align == GRID_LEFT;

		fputs(is_left ? "|:" : "|-", writing->out);
		for (int k = 0; k < writing->widths[i]; k++)
			fputc('-', writing->out);
		fputs(is_left ? "-" : ":", writing->out);
	}
	fputs("|\n", writing->out);
}

/* A line of a box, nothing in styles without. */
static void write_border(const struct writing *writing, char line)
{
	if (!line)
		return;
	for (int i = 0; i < writing->grid->nr_columns; i++) {
		fputc('+', writing->out);
		for (int k = 0; k < writing->widths[i] + 2; k++)
			fputc(line, writing->out);
	}
	fputs("+\n", writing->out);
}

static void write_mark(const struct writing *writing, const char *text)
{
	const struct grid *grid = writing->grid;
	int spare = -text_width(text, writing->style) - (int)strlen("/*  */");

	if (*writing->style->before) { /* no lines between the rows of a Markdown table: a row of its own */
		fputs("| *", writing->out);
		write_text(text, writing->style, writing->out);
		fputs("*", writing->out);
		for (int i = 0; i < grid->nr_columns; i++)
			fputs(" |", writing->out);
		fputc('\n', writing->out);
		return;
	}
	for (int i = 0; i < grid->nr_columns; i++) {
		int title = text_width(grid->columns[i].title, writing->style);

		spare += writing->widths[i] > title ? writing->widths[i] : title;
		spare += i ? (int)strlen(writing->style->between) : 0;
	}
	/* in the middle, rounded as the tables on linux-mm have it: "Cross socket NUMA" at 9, "SMT" at 15 */
	write_blanks(spare > 0 ? (spare / 2) | 1 : 0, writing->out);
	fprintf(writing->out, "/* %s */\n", text);
}

static int *column_widths(const struct grid *grid, const struct style *style)
{
	int *widths = arena_calloc(grid->arena, (size_t)grid->nr_columns, sizeof(*widths));

	for (int i = 0; i < grid->nr_columns; i++) {
		if (grid->columns[i].align != GRID_RIGHT_LOOSE)
			widths[i] = text_width(grid->columns[i].title, style);
	}
	for (int i = 0; i < grid->nr_cells; i++) {
		int width = text_width(grid->cells[i], style);
		int *widest = &widths[i % grid->nr_columns];

		*widest = width > *widest ? width : *widest;
	}
	return widths;
}

void grid_write(const struct grid *grid, enum grid_style style, FILE *out)
{
	const struct writing writing = {
		.grid = grid,
		.style = &styles[style],
		.widths = column_widths(grid, &styles[style]),
		.out = out,
	};
	const struct mark *mark = grid->first_mark;

	assert(grid->nr_cells % grid->nr_columns == 0);
	write_border(&writing, writing.style->line);
	write_titles(&writing);
	if (style == GRID_MARKDOWN)
		write_rule(&writing);
	write_border(&writing, writing.style->title_line);
	for (int row = 0; row < grid->nr_cells / grid->nr_columns; row++) {
		for (; mark && mark->row == row; mark = mark->next) {
			if (mark->text)
				write_mark(&writing, mark->text);
			else
				write_border(&writing, writing.style->line);
		}
		write_row(&writing, &grid->cells[row * grid->nr_columns]);
	}
	write_border(&writing, writing.style->line);
}
