/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/deal.h"

#include "sim/cli/shard.h"

/* The runs of a cell that another shard makes; `rank` is that of the first one in the deal. */
static void leave_to_others(struct schedule *schedule, const struct results *results, int cell, int rank)
{
	int step = results->until_ppm ? 0 : 1; /* of the rank from one replication to the next */
	int replication;

	for (replication = 0; replication < results->nr_replications; replication++) {
		if (shard_of_rank(rank + step * replication, results->nr_shards) != results->shard)
			schedule_set(schedule, cell, replication, RUN_ELSEWHERE);
	}
}

/* What is dealt out: a cell's runs one by one... */
static int list_cells(const struct schedule *schedule, int part, struct by_work *cards)
{
	int nr = 0;
	int i;

	for (i = 0; i < schedule->nr_cells; i++) {
		if (schedule->points[schedule->cells[i].point].part == part)
			cards[nr++] = (struct by_work){ .work = schedule->cells[i].work, .index = i };
	}
	return nr;
}

/* ... or, adaptive, a point as a whole. */
static int list_points(const struct schedule *schedule, int part, struct by_work *cards)
{
	int nr = 0;
	int i, j;

	for (i = 0; i < schedule->nr_points; i++) {
		const struct schedule_point *point = &schedule->points[i];

		if (point->part != part)
			continue;
		cards[nr] = (struct by_work){ .index = i };
		for (j = 0; j < point->nr_cells; j++)
			cards[nr].work += schedule->cells[point->first_cell + j].work;
		nr++;
	}
	return nr;
}

void deal(struct arena *arena, struct schedule *schedule, int part, const struct results *results)
{
	struct by_work *cards = arena_calloc(arena, (size_t)schedule->nr_cells + 1, sizeof(*cards));
	const bool by_point = results->until_ppm != 0;
	const int nr = by_point ? list_points(schedule, part, cards) : list_cells(schedule, part, cards);

	schedule_sort(cards, nr);
	for (int i = 0; i < nr; i++) {
		const int first = by_point ? schedule->points[cards[i].index].first_cell : cards[i].index;

		for (int j = 0; j < (by_point ? results->nr_variants : 1); j++)
			leave_to_others(schedule, results, first + j, by_point ? i : i * results->nr_replications);
	}
}
