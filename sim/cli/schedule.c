/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/schedule.h"

#include "sim/cli/workers.h"
#include "sim/stats/replications.h"

#include <stdlib.h>
#include <string.h>

struct schedule *schedule_create(struct arena *arena)
{
	struct schedule *schedule = arena_alloc(arena, sizeof(*schedule));

	schedule->arena = arena;
	return schedule;
}

/* --- building --- */

static struct schedule_cell *add_cell(struct schedule *schedule)
{
	schedule->cells = arena_grow(schedule->arena, schedule->cells, schedule->nr_cells, &schedule->max_cells,
				     sizeof(*schedule->cells));
	return &schedule->cells[schedule->nr_cells++];
}

int schedule_add_point(struct schedule *schedule, const struct schedule_point *said)
{
	int nr_variants = said->results->nr_variants;
	struct schedule_point *point;
	int variant;

	schedule->points = arena_grow(schedule->arena, schedule->points, schedule->nr_points, &schedule->max_points,
				      sizeof(*schedule->points));
	point = &schedule->points[schedule->nr_points];
	*point = *said;
	point->first_cell = schedule->nr_cells;
	point->nr_cells = nr_variants;
	point->wanted = point->least;
	point->decided = point->least == point->most;
	for (variant = 0; variant < nr_variants; variant++) {
		*add_cell(schedule) = (struct schedule_cell){
			.point = schedule->nr_points,
			.variant = variant,
			.first_run = schedule->nr_runs,
		};
		schedule->nr_runs += point->most;
		schedule->nr_open += point->least;
	}
	schedule->nr_points++;
	return point->first_cell;
}

void schedule_make_runs(struct schedule *schedule)
{
	/* all RUN_WAITING */
	schedule->states = arena_calloc(schedule->arena, (size_t)schedule->nr_runs + 1, sizeof(*schedule->states));
}

static bool is_over(unsigned char state)
{
	return state == RUN_DONE || state == RUN_FAILED || state == RUN_ELSEWHERE;
}

void schedule_set(struct schedule *schedule, int cell, int replication, enum run_state state)
{
	struct schedule_point *point = &schedule->points[schedule->cells[cell].point];

	schedule->states[schedule->cells[cell].first_run + replication] = (unsigned char)state;
	if (replication < point->wanted)
		schedule->nr_open--;
	if (state == RUN_ELSEWHERE)
		point->decided = true;
}

/* --- a cell's runs --- */

const struct schedule_cell *schedule_cell_of(const struct schedule *schedule, int run, int *replication)
{
	int low = 0;
	int high = schedule->nr_cells - 1;

	while (low < high) {
		int middle = low + (high - low + 1) / 2;

		if (schedule->cells[middle].first_run <= run)
			low = middle;
		else
			high = middle - 1;
	}
	*replication = run - schedule->cells[low].first_run;
	return &schedule->cells[low];
}

/* The first replication below limit that waits, or limit. */
static int first_waiting(const struct schedule *schedule, struct schedule_cell *cell, int limit)
{
	const unsigned char *states = schedule->states + cell->first_run;

	while (cell->next < limit && states[cell->next] != RUN_WAITING)
		cell->next++;
	return cell->next < limit ? cell->next : limit;
}

/* A run that is known to be needed, or WORKERS_NONE. */
static int needed_run(const struct schedule *schedule, struct schedule_cell *cell)
{
	int wanted = schedule->points[cell->point].wanted;
	int replication = first_waiting(schedule, cell, wanted);

	return replication < wanted ? cell->first_run + replication : WORKERS_NONE;
}

/* How long a run of the cell takes, from its own runs or else from how long others took for their work. */
static double estimate_s(const struct schedule *schedule, const struct schedule_cell *cell)
{
	if (cell->nr_measured)
		return cell->measured_s / cell->nr_measured;
	return schedule->measured_work > 0 ? cell->work * schedule->measured_s / schedule->measured_work : cell->work;
}

/* --- the queue: a binary heap of cells, longest first; of equal ones the first --- */

static bool goes_before(const struct schedule *schedule, int a, int b)
{
	const struct schedule_cell *cells = schedule->cells;

	if (cells[a].queued_s > cells[b].queued_s)
		return true;
	return !(cells[a].queued_s < cells[b].queued_s) && a < b;
}

static void swap(int *queue, int i, int j)
{
	int cell = queue[i];

	queue[i] = queue[j];
	queue[j] = cell;
}

static void queue_add(struct schedule *schedule, int index)
{
	struct schedule_cell *cell = &schedule->cells[index];
	int *queue = schedule->queue;
	int i = schedule->nr_queued;

	if (cell->queued)
		return;
	cell->queued = true;
	cell->queued_s = estimate_s(schedule, cell);
	queue[schedule->nr_queued++] = index;
	for (; i > 0 && goes_before(schedule, queue[i], queue[(i - 1) / 2]); i = (i - 1) / 2)
		swap(queue, i, (i - 1) / 2);
}

static int queue_take(struct schedule *schedule)
{
	int *queue = schedule->queue;
	int taken = queue[0];
	int i = 0;

	queue[0] = queue[--schedule->nr_queued];
	for (;;) {
		int first = i;
		int child;

		for (child = 2 * i + 1; child <= 2 * i + 2 && child < schedule->nr_queued; child++) {
			if (goes_before(schedule, queue[child], queue[first]))
				first = child;
		}
		if (first == i)
			break;
		swap(queue, i, first);
		i = first;
	}
	schedule->cells[taken].queued = false;
	return taken;
}

/* --- adaptive replications --- */

/* All of a point's runs of the replications from .. to - 1. */
static bool are_over(const struct schedule *schedule, const struct schedule_point *point, int from, int to)
{
	int i, replication;

	for (i = 0; i < point->nr_cells; i++) {
		const unsigned char *states = schedule->states + schedule->cells[point->first_cell + i].first_run;

		for (replication = from; replication < to; replication++) {
			if (!is_over(states[replication]))
				return false;
		}
	}
	return true;
}

/* No replication from nr on is needed. */
static void decide(struct schedule *schedule, struct schedule_point *point, int nr)
{
	int i, replication;

	for (i = 0; i < point->nr_cells; i++) {
		const unsigned char *states = schedule->states + schedule->cells[point->first_cell + i].first_run;

		for (replication = nr; replication < point->wanted; replication++)
			schedule->nr_open -= !is_over(states[replication]);
	}
	point->wanted = nr;
	point->decided = true;
}

/* More replications are needed; some may have been made already, as a guess. */
static void want_more(struct schedule *schedule, struct schedule_point *point, int wanted)
{
	int i, replication;

	for (i = 0; i < point->nr_cells; i++) {
		struct schedule_cell *cell = &schedule->cells[point->first_cell + i];
		unsigned char *states = schedule->states + cell->first_run;

		for (replication = point->wanted; replication < wanted; replication++) {
			if (states[replication] == RUN_FAILED_EARLY)
				states[replication] = RUN_WAITING;
			schedule->nr_open += !is_over(states[replication]);
		}
		cell->next = cell->next < point->wanted ? cell->next : point->wanted;
		if (schedule->queue)
			queue_add(schedule, point->first_cell + i);
	}
	point->wanted = wanted;
}

/* Look at the replications that are over, one more at a time; when none of them are enough, more are needed. */
static void judge(struct schedule *schedule, struct schedule_point *point)
{
	while (!point->decided) {
		int nr = point->judged < point->least ? point->least : point->judged + 1;

		if (!are_over(schedule, point, point->judged, nr))
			return;
		if (replications_enough(point->results, point->machine, point->point, nr)) {
			decide(schedule, point, nr);
			return;
		}
		point->judged = nr;
		if (nr >= point->wanted)
			want_more(schedule, point,
				  replications_guess(point->results, point->machine, point->point, nr));
	}
}

/* A run that a point may come to need, of the point that has the fewest such; or WORKERS_NONE. */
static int guessed_run(struct schedule *schedule)
{
	int best = WORKERS_NONE;
	int best_ahead = 0;
	int i, j;

	for (i = 0; i < schedule->nr_points; i++) {
		const struct schedule_point *point = &schedule->points[i];

		for (j = 0; !point->decided && j < point->nr_cells; j++) {
			struct schedule_cell *cell = &schedule->cells[point->first_cell + j];
			int replication = first_waiting(schedule, cell, point->most);
			int ahead = replication - point->wanted;

			if (replication < point->most && (best < 0 || ahead < best_ahead)) {
				best = cell->first_run + replication;
				best_ahead = ahead;
			}
		}
	}
	return best;
}

/* --- which is next --- */

static int compare_work(const void *a, const void *b)
{
	const struct by_work *x = a;
	const struct by_work *y = b;

	if (x->work > y->work || x->work < y->work)
		return x->work > y->work ? -1 : 1;
	return x->index - y->index;
}

void schedule_sort(struct by_work *items, int nr)
{
	qsort(items, (size_t)nr, sizeof(*items), compare_work);
}

static void order_cells(struct schedule *schedule)
{
	struct by_work *all = arena_calloc(schedule->arena, (size_t)schedule->nr_cells + 1, sizeof(*all));
	int i;

	schedule->order = arena_calloc(schedule->arena, (size_t)schedule->nr_cells + 1, sizeof(*schedule->order));
	for (i = 0; i < schedule->nr_cells; i++)
		all[i] = (struct by_work){ .work = schedule->cells[i].work, .index = i };
	schedule_sort(all, schedule->nr_cells);
	for (i = 0; i < schedule->nr_cells; i++)
		schedule->order[i] = all[i].index;
}

void schedule_start(struct schedule *schedule)
{
	int i;

	order_cells(schedule);
	for (i = 0; i < schedule->nr_points; i++)
		judge(schedule, &schedule->points[i]);
}

/* The first run of the next cell in order, or WORKERS_NONE when all had theirs. */
static int ordered_run(struct schedule *schedule)
{
	while (schedule->nr_ordered < schedule->nr_cells) {
		int run = needed_run(schedule, &schedule->cells[schedule->order[schedule->nr_ordered++]]);

		if (run >= 0)
			return run;
	}
	return WORKERS_NONE;
}

static void queue_all(struct schedule *schedule)
{
	int i;

	schedule->queue = arena_calloc(schedule->arena, (size_t)schedule->nr_cells + 1, sizeof(*schedule->queue));
	for (i = 0; i < schedule->nr_cells; i++)
		queue_add(schedule, i);
}

static int queued_run(struct schedule *schedule)
{
	if (!schedule->queue)
		queue_all(schedule);
	while (schedule->nr_queued > 0) {
		int cell = queue_take(schedule);
		int run = needed_run(schedule, &schedule->cells[cell]);

		if (run >= 0) {
			queue_add(schedule, cell);
			return run;
		}
	}
	return WORKERS_NONE;
}

int schedule_next(struct schedule *schedule)
{
	int run = ordered_run(schedule);

	if (schedule->nr_open == 0)
		return WORKERS_END;
	if (run < 0)
		run = queued_run(schedule);
	if (run < 0)
		run = guessed_run(schedule);
	if (run >= 0)
		schedule->states[run] = RUN_STARTED;
	return run;
}

bool schedule_over(struct schedule *schedule, int run, bool failed, double seconds)
{
	int replication;
	int index = (int)(schedule_cell_of(schedule, run, &replication) - schedule->cells);
	struct schedule_cell *cell = &schedule->cells[index];
	struct schedule_point *point = &schedule->points[cell->point];
	bool needed = replication < point->wanted;

	schedule->states[run] = !failed ? RUN_DONE : needed ? RUN_FAILED : RUN_FAILED_EARLY;
	schedule->nr_open -= needed;
	if (!failed) {
		cell->measured_s += seconds;
		cell->nr_measured++;
		schedule->measured_s += seconds;
		schedule->measured_work += cell->work;
	}
	judge(schedule, point);
	return needed;
}

struct schedule_count schedule_count(const struct schedule *schedule, int part)
{
	struct schedule_count count = { 0 };
	int i, replication;

	for (i = 0; i < schedule->nr_cells; i++) {
		const struct schedule_cell *cell = &schedule->cells[i];
		const struct schedule_point *point = &schedule->points[cell->point];

		for (replication = 0; replication < point->wanted; replication++) {
			unsigned char state = schedule->states[cell->first_run + replication];

			if ((part >= 0 && point->part != part) || state == RUN_ELSEWHERE)
				continue;
			count.needed++;
			count.done += state == RUN_DONE;
			count.failed += state == RUN_FAILED;
		}
	}
	return count;
}

double schedule_left_s(const struct schedule *schedule)
{
	double left_s = 0;
	int i, replication;

	for (i = 0; schedule->measured_s > 0 && i < schedule->nr_cells; i++) {
		const struct schedule_cell *cell = &schedule->cells[i];

		for (replication = 0; replication < schedule->points[cell->point].wanted; replication++) {
			if (!is_over(schedule->states[cell->first_run + replication]))
				left_s += estimate_s(schedule, cell);
		}
	}
	return left_s;
}
