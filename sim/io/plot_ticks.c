/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Room along the x axis, and which of the values along it find some for their label. */
#include "sim/io/plot_draft.h"

#include "sim/io/plot_text.h"

#include <math.h>

/* As in plots/common.gp and plots/lines.gp. */
#define PICTURE_PIXELS 800
#define WIDE_PICTURE_PIXELS 1100 /* three panels side by side */
#define SINGLE_MARGIN_PIXELS 100 /* both sides */
#define PANEL_MARGIN_PIXELS 98
#define TEXT_MARGIN_COLUMNS 12

struct ruler ruler_of(const struct figure *figure)
{
	struct ruler ruler = { .character = 6.8, .gap = 8, .line_gap = 12 };
	const int columns = figure->panel_columns;

	if (figure->format == PLOT_TEXT)
		return (struct ruler){
			.plot = figure->text_columns - TEXT_MARGIN_COLUMNS, .character = 1, .gap = 2, .line_gap = 6
		};
	ruler.plot = PICTURE_PIXELS - SINGLE_MARGIN_PIXELS;
	if (figure->nr_panels > 1)
		ruler.plot =
			(double)(columns > 2 ? WIDE_PICTURE_PIXELS : PICTURE_PIXELS) / columns - PANEL_MARGIN_PIXELS;
	return ruler;
}

double figure_fraction(const struct figure *figure, double x)
{
	if (figure->x_log)
		return log(x / figure->x_min) / log(figure->x_max / figure->x_min);
	return (x - figure->x_min) / (figure->x_max - figure->x_min);
}

static bool names_fit(const struct figure *figure, const struct ruler *ruler, const char *const *texts)
{
	const double room = ruler->plot / (figure->x_max - figure->x_min);

	for (int i = 0; i < figure->nr_x; i++) {
		if (plot_text_columns(texts[i]) * ruler->character + ruler->gap > room)
			return false;
	}
	return true;
}

static void add_tick(struct figure *figure, double x, const char *text)
{
	figure->tick_x[figure->nr_ticks] = x;
	figure->tick_texts[figure->nr_ticks++] = text;
}

static bool collide(const struct figure *figure, const struct ruler *ruler, int tick, double x, const char *text)
{
	const double columns = plot_text_columns(figure->tick_texts[tick]) + plot_text_columns(text);
	const double apart = figure_fraction(figure, x) - figure_fraction(figure, figure->tick_x[tick]);

	return apart * ruler->plot < columns * ruler->character / 2 + ruler->gap;
}

/* From left to right, who finds room; the last one always does, at the cost of those before it. */
static void choose(struct figure *figure, const struct ruler *ruler, const char *const *texts)
{
	for (int i = 0; i < figure->nr_x; i++) {
		const bool is_last = i == figure->nr_x - 1;

		while (is_last && figure->nr_ticks > 1 &&
		       collide(figure, ruler, figure->nr_ticks - 1, figure->x[i], texts[i]))
			figure->nr_ticks--;
		if (!figure->nr_ticks || !collide(figure, ruler, figure->nr_ticks - 1, figure->x[i], texts[i]))
			add_tick(figure, figure->x[i], texts[i]);
	}
}

void figure_set_ticks(struct arena *arena, struct figure *figure, const char *const *texts)
{
	const struct ruler ruler = ruler_of(figure);

	figure->tick_x = arena_calloc(arena, (size_t)figure->nr_x, sizeof(*figure->tick_x));
	figure->tick_texts = arena_calloc(arena, (size_t)figure->nr_x, sizeof(*figure->tick_texts));
	figure->ticks_slanted = figure->x_named && figure->format != PLOT_TEXT && !names_fit(figure, &ruler, texts);
	if (!figure->ticks_slanted) {
		choose(figure, &ruler, texts);
		return;
	}
	for (int i = 0; i < figure->nr_x; i++)
		add_tick(figure, figure->x[i], texts[i]);
}
