/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of the swept keys a figure is drawn over. */
#include "sim/io/plot_draft.h"

#include <math.h>
#include <string.h>

bool axis_is_numeric(const struct axis *axis)
{
	for (int i = 0; i < axis->nr_values; i++)
		if (!isfinite(axis->value_numbers[i]))
			return false;
	return true;
}

static int x_rank(const struct axis *axis)
{
	if (!strcmp(axis->key, "threads"))
		return 2;
	return axis_is_numeric(axis);
}

/* Of two keys, `later` the one that the sweep lists later. */
static bool later_is_x(const struct axis *earlier, const struct axis *later)
{
	if (x_rank(later) != x_rank(earlier))
		return x_rank(later) > x_rank(earlier);
	return later->nr_values >= earlier->nr_values;
}

int span_find(const struct results *results, struct span *span, struct error *err)
{
	int nr_swept = 0;

	*span = (struct span){ .x = -1, .second = -1 };
	for (int i = 0; i < results->nr_axes; i++) {
		if (results->axes[i].nr_values < 2)
			continue;
		nr_swept++;
		if (span->x < 0 || later_is_x(&results->axes[span->x], &results->axes[i])) {
			span->second = span->x;
			span->x = i;
		} else {
			span->second = i;
		}
	}
	if (nr_swept > 2)
		return error_plain(err, "a figure has room for one or two swept keys, and these results sweep %d",
				   nr_swept);
	if (!nr_swept && results->nr_variants < 2)
		return error_plain(err, "nothing is swept: a single point of one variant makes no figure");
	return 0;
}

/* By insertion: a sweep is short and mostly sorted. */
int *axis_order(struct arena *arena, const struct axis *axis)
{
	int *order = arena_calloc(arena, (size_t)axis->nr_values, sizeof(*order));
	bool numeric = axis_is_numeric(axis);

	for (int i = 0; i < axis->nr_values; i++) {
		int at = i;

		for (; numeric && at > 0 && axis->value_numbers[order[at - 1]] > axis->value_numbers[i]; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	return order;
}

static int stride_of(const struct results *results, int axis)
{
	int stride = 1;

	for (int i = axis + 1; i < results->nr_axes; i++)
		stride *= results->axes[i].nr_values;
	return stride;
}

int draft_point(const struct draft *draft, int x, int second)
{
	const struct span *span = &draft->span;
	int point = 0;

	if (span->x >= 0)
		point += draft->x_order[x] * stride_of(draft->results, span->x);
	if (span->second >= 0)
		point += second * stride_of(draft->results, span->second);
	return point;
}
