/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a machine's topology changes: lines across a figure and their labels,
 * which stand above the plot in as many rows as keep them apart.
 */
#include "sim/io/plot_draft.h"

#include "sim/io/plot_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROWS 3
#define LABEL_MAX_COLUMNS 24

static int compare(const void *a, const void *b)
{
	const struct figure_boundary *left = a;
	const struct figure_boundary *right = b;

	if (left->x != right->x)
		return left->x < right->x ? -1 : 1;
	return left->minor - right->minor;
}

static void collect(struct arena *arena, struct figure *figure, const struct results *results, int machine)
{
	for (int i = 0; i < results->nr_boundaries; i++) {
		const struct boundary *from = &results->boundaries[i];
		double before = from->before;

		if (from->machine != machine || before < figure->x[0] || before >= figure->x[figure->nr_x - 1])
			continue;
		figure->boundaries[figure->nr_boundaries++] = (struct figure_boundary){
			.x = figure->x_log ? sqrt(before * (before + 1)) : before + 0.5,
			.label = from->minor ? NULL : plot_clean(arena, from->label, LABEL_MAX_COLUMNS),
			.minor = from->minor,
		};
	}
	qsort(figure->boundaries, (size_t)figure->nr_boundaries, sizeof(*figure->boundaries), compare);
}

/* Repeated lines help only where they stand apart: drop those upon another line, and all when any two are too near. */
static void thin_out(struct figure *figure, const struct ruler *ruler)
{
	double nearest = ruler->plot;
	int nr_kept = 0;

	for (int i = 0; i < figure->nr_boundaries; i++) {
		const struct figure_boundary *boundary = &figure->boundaries[i];
		const struct figure_boundary *last = nr_kept ? &figure->boundaries[nr_kept - 1] : NULL;

		if (last && boundary->minor && boundary->x == last->x)
			continue;
		if (last && (boundary->minor || last->minor))
			nearest = fmin(nearest,
				       (figure_fraction(figure, boundary->x) - figure_fraction(figure, last->x)) *
					       ruler->plot);
		figure->boundaries[nr_kept++] = *boundary;
	}
	figure->nr_boundaries = nr_kept;
	if (nearest >= ruler->line_gap)
		return;
	nr_kept = 0;
	for (int i = 0; i < figure->nr_boundaries; i++)
		if (!figure->boundaries[i].minor)
			figure->boundaries[nr_kept++] = figure->boundaries[i];
	figure->nr_boundaries = nr_kept;
}

static void place_labels(struct figure *figure, const struct ruler *ruler)
{
	double row_end[MAX_ROWS] = { 0 };

	for (int i = 0; i < figure->nr_boundaries; i++) {
		struct figure_boundary *boundary = &figure->boundaries[i];
		double width, center;
		int row = 0;

		if (!boundary->label)
			continue;
		width = plot_text_columns(boundary->label) * ruler->character;
		center = figure_fraction(figure, boundary->x) * ruler->plot;
		center = fmin(fmax(center, width / 2), ruler->plot - width / 2);
		while (row < MAX_ROWS && row_end[row] > center - width / 2)
			row++;
		if (row == MAX_ROWS) {
			boundary->label = NULL;
			continue;
		}
		row_end[row] = center + width / 2 + ruler->gap;
		boundary->row = row;
		boundary->label_at = center / ruler->plot;
		figure->nr_boundary_rows = row >= figure->nr_boundary_rows ? row + 1 : figure->nr_boundary_rows;
	}
}

void figure_set_boundaries(struct arena *arena, struct figure *figure, const struct results *results, int machine)
{
	struct ruler ruler = ruler_of(figure);

	figure->boundaries = arena_calloc(arena, (size_t)results->nr_boundaries, sizeof(*figure->boundaries));
	collect(arena, figure, results, machine);
	thin_out(figure, &ruler);
	place_labels(figure, &ruler);
}
