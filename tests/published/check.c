/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Holds what `contend reproduce --format json` printed against a table of tolerances, and prints TAP:
 *
 *	check TOLERANCES.csv REPRODUCED.json...
 *
 * Whoever scores this program reads the same JSON, so its members, its intervals and its score are checked as well: the
 * score is computed again from the cells. Quantities of the table are explained at its head.
 */
#include "sim/stats/published.h"
#include "sim/util/csv.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define PRINTED_PRECISION 1e-6 /* of a number computed from numbers of nine digits */
#define NAME_BYTES 64

struct tap {
	int nr, nr_failed;
};

__attribute__((format(printf, 3, 4))) static bool verdict(struct tap *tap, bool good, const char *format, ...)
{
	va_list args;

	tap->nr++;
	tap->nr_failed += !good;
	printf("%sok %d - ", good ? "" : "not ", tap->nr);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	return good;
}

/* The members: of design, and those that came later */

#define TYPE(type) (1U << (type))
#define TYPE_NUMBER (TYPE(JSON_REAL) | TYPE(JSON_INTEGER) | TYPE(JSON_NULL))
#define TYPE_FLAG (TYPE(JSON_TRUE) | TYPE(JSON_FALSE))

struct member {
	const char *key;
	unsigned int types; /* which it may have */
	bool optional;
};

static const struct member experiment_members[] = {
	{ "experiment", TYPE(JSON_STRING), false },
	{ "mode", TYPE(JSON_STRING), false },
	{ "split", TYPE(JSON_STRING) | TYPE(JSON_NULL), false },
	{ "score", TYPE(JSON_OBJECT), false },
	{ "cells", TYPE(JSON_ARRAY), false },
	{ "changes", TYPE(JSON_ARRAY), false },
	{ "usl", TYPE(JSON_OBJECT) | TYPE(JSON_NULL), true },
	{ "fitted_to", TYPE(JSON_STRING) | TYPE(JSON_NULL), false },
	{ "fitted_values", TYPE(JSON_OBJECT) | TYPE(JSON_NULL), false },
	{ NULL, 0, false },
};

static const struct member score_members[] = {
	{ "rms_log", TYPE_NUMBER, false },
	{ "change_mae_points", TYPE_NUMBER, false },
	{ "signs_right", TYPE(JSON_INTEGER), false },
	{ "signs_counted", TYPE(JSON_INTEGER), false },
	{ "cells", TYPE(JSON_INTEGER), false },
	{ NULL, 0, false },
};

static const struct member cell_members[] = {
	{ "row", TYPE(JSON_STRING), false },
	{ "column", TYPE(JSON_STRING), false },
	{ "unit", TYPE(JSON_STRING), false },
	{ "published", TYPE_NUMBER, false },
	{ "simulated", TYPE_NUMBER, false },
	{ "ci95", TYPE(JSON_ARRAY), false },
	{ "used", TYPE_FLAG, false },
	{ "band", TYPE(JSON_ARRAY), true },
	{ NULL, 0, false },
};

static const struct member *find_member(const struct member *members, const char *key)
{
	while (members->key && strcmp(members->key, key) != 0)
		members++;
	return members->key ? members : NULL;
}

/* What is wrong with the members of an object, or NULL. */
static const char *wrong_member(json_t *object, const struct member *members)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value)
	{
		const struct member *member = find_member(members, key);

		if (!member || !(member->types & TYPE(json_typeof(value))))
			return key;
	}
	for (; members->key; members++) {
		if (!members->optional && !json_object_get(object, members->key))
			return members->key;
	}
	return NULL;
}

static const char *wrong_member_of_any(json_t *experiment)
{
	const char *wrong = wrong_member(experiment, experiment_members);
	size_t i;
	json_t *cell;

	if (!wrong)
		wrong = wrong_member(json_object_get(experiment, "score"), score_members);
	json_array_foreach(json_object_get(experiment, "cells"), i, cell)
	{
		if (!wrong)
			wrong = wrong_member(cell, cell_members);
	}
	return wrong;
}

/* Reading them: what is null is NAN */

static const char *text_of(json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static double number(json_t *value)
{
	return json_is_number(value) ? json_number_value(value) : NAN;
}

static double number_of(json_t *object, const char *key)
{
	return number(json_object_get(object, key));
}

static json_t *find_cell(json_t *experiment, const char *row, const char *column)
{
	size_t i;
	json_t *cell;

	json_array_foreach(json_object_get(experiment, "cells"), i, cell)
	{
		if (strcmp(text_of(cell, "row"), row) == 0 && strcmp(text_of(cell, "column"), column) == 0)
			return cell;
	}
	return NULL;
}

static bool is_used(json_t *cell)
{
	return json_is_true(json_object_get(cell, "used"));
}

/* The column that the others are compared with: the first one without changes; NULL in a table of changes alone. */
static const char *baseline_column(json_t *experiment)
{
	json_t *changes = json_object_get(experiment, "changes");
	size_t i, k;
	json_t *cell, *change;

	json_array_foreach(json_object_get(experiment, "cells"), i, cell)
	{
		bool changed = false;

		json_array_foreach(changes, k, change) changed |=
			strcmp(text_of(change, "column"), text_of(cell, "column")) == 0;
		if (!changed)
			return text_of(cell, "column");
	}
	return NULL;
}

/* Whether the interval under key, if there is one, holds the simulated mean, if that was simulated. */
static bool holds_mean(json_t *cell, const char *key)
{
	json_t *interval = json_object_get(cell, key);
	double mean = number_of(cell, "simulated");

	return !interval || isnan(mean) ||
	       (json_array_size(interval) == 2 && number(json_array_get(interval, 0)) <= mean &&
		mean <= number(json_array_get(interval, 1)));
}

static bool all_hold_means(json_t *experiment)
{
	size_t i;
	json_t *cell;

	json_array_foreach(json_object_get(experiment, "cells"), i, cell)
	{
		if (!holds_mean(cell, "ci95") || !holds_mean(cell, "band"))
			return false;
	}
	return true;
}

/* The score, once more */

/* Index values and changes have units of their own, and no level to be off. */
static bool is_level(json_t *cell)
{
	return strcmp(text_of(cell, "unit"), "index") != 0 && strcmp(text_of(cell, "unit"), "%") != 0;
}

static void score_levels(json_t *experiment, struct score *score)
{
	double sum = 0;
	size_t i;
	json_t *cell;

	json_array_foreach(json_object_get(experiment, "cells"), i, cell)
	{
		double ratio_log = log(number_of(cell, "simulated") / number_of(cell, "published"));

		if (is_used(cell) || !isfinite(ratio_log) || !is_level(cell))
			continue;
		sum += ratio_log * ratio_log;
		score->nr_cells++;
	}
	score->rms_log = sqrt(sum / score->nr_cells);
}

/* A change is scored unless both cells that it comes from set a parameter. */
static bool is_scored(json_t *experiment, json_t *change)
{
	const char *row = text_of(change, "row");
	const char *baseline = baseline_column(experiment);

	return !(is_used(find_cell(experiment, row, text_of(change, "column"))) &&
		 (!baseline || is_used(find_cell(experiment, row, baseline))));
}

static void score_changes(json_t *experiment, struct score *score)
{
	double sum = 0;
	int nr = 0;
	size_t i;
	json_t *change;

	json_array_foreach(json_object_get(experiment, "changes"), i, change)
	{
		double published = number_of(change, "published");
		double simulated = number_of(change, "simulated");
		bool counts;

		if (!is_scored(experiment, change) || !isfinite(published) || !isfinite(simulated))
			continue;
		sum += fabs(simulated - published);
		nr++;
		counts = fabs(published) > PUBLISHED_SIGN_THRESHOLD_PCT &&
			 !(fabs(published) <= number_of(change, "variation"));
		score->signs_counted += counts;
		score->signs_right += counts && published * simulated > 0;
	}
	score->change_mae_points = sum / nr;
}

static bool nearly(double a, double b)
{
	return fabs(a - b) <= PRINTED_PRECISION * fmax(fabs(a), fabs(b));
}

/* A figure over no cell at all is null, not a number. */
static bool is_printed(json_t *printed, double figure)
{
	return isnan(figure) ? json_is_null(printed) : nearly(figure, number(printed));
}

static bool score_is_of_cells(json_t *experiment)
{
	json_t *printed = json_object_get(experiment, "score");
	struct score score = { 0 };

	score_levels(experiment, &score);
	score_changes(experiment, &score);
	return score.nr_cells == number_of(printed, "cells") &&
	       is_printed(json_object_get(printed, "rms_log"), score.rms_log) &&
	       is_printed(json_object_get(printed, "change_mae_points"), score.change_mae_points) &&
	       score.signs_counted == number_of(printed, "signs_counted") &&
	       score.signs_right == number_of(printed, "signs_right");
}

/* Quantities: each is NAN when it cannot be said, which is within no limit */

static double signs_wrong(json_t *experiment, const char *unused)
{
	json_t *score = json_object_get(experiment, "score");

	(void)unused;
	return number_of(score, "signs_counted") - number_of(score, "signs_right");
}

static double signs_counted(json_t *experiment, const char *unused)
{
	(void)unused;
	return number_of(json_object_get(experiment, "score"), "signs_counted");
}

static double rms_log(json_t *experiment, const char *unused)
{
	(void)unused;
	return number_of(json_object_get(experiment, "score"), "rms_log");
}

static double change_mae_points(json_t *experiment, const char *unused)
{
	(void)unused;
	return number_of(json_object_get(experiment, "score"), "change_mae_points");
}

/* Whether selection is the cell's column, its ROW/ or its ROW/COLUMN. */
static bool is_selected(json_t *cell, const char *selection)
{
	char name[NAME_BYTES];

	snprintf(name, sizeof(name), "%s/%s", text_of(cell, "row"), text_of(cell, "column"));
	if (selection[0] && selection[strlen(selection) - 1] == '/')
		return strncmp(name, selection, strlen(selection)) == 0;
	return strcmp(text_of(cell, "column"), selection) == 0 || strcmp(name, selection) == 0;
}

static double error_pct(json_t *experiment, const char *selection)
{
	double worst = NAN;
	size_t i;
	json_t *cell;

	json_array_foreach(json_object_get(experiment, "cells"), i, cell)
	{
		if (is_selected(cell, selection) && !json_is_null(json_object_get(cell, "published")))
			worst = fmax(worst,
				     100 * fabs(number_of(cell, "simulated") / number_of(cell, "published") - 1));
	}
	return worst;
}

static double ratio_error_pct(json_t *experiment, const char *column)
{
	double worst = NAN;
	size_t i;
	json_t *cell;

	json_array_foreach(json_object_get(experiment, "cells"), i, cell)
	{
		json_t *base = find_cell(experiment, text_of(cell, "row"), baseline_column(experiment));
		double published = number_of(cell, "published") / number_of(base, "published");
		double simulated = number_of(cell, "simulated") / number_of(base, "simulated");

		if (is_selected(cell, column))
			worst = fmax(worst, 100 * fabs(simulated / published - 1));
	}
	return worst;
}

static double left_pct(json_t *experiment, const char *rows)
{
	char from[NAME_BYTES], to[NAME_BYTES];
	double most = NAN;
	size_t i;
	json_t *before;

	if (sscanf(rows, "%63s %63s", from, to) != 2)
		return NAN;
	json_array_foreach(json_object_get(experiment, "cells"), i, before)
	{
		json_t *after = find_cell(experiment, to, text_of(before, "column"));

		if (after && strcmp(text_of(before, "row"), from) == 0)
			most = fmax(most, 100 * number_of(after, "simulated") / number_of(before, "simulated"));
	}
	return most;
}

/* Largest error of a change in points; of one row of it when the selection is ROW/COLUMN. */
static double change_error_points(json_t *experiment, const char *selection)
{
	double worst = NAN;
	size_t i;
	json_t *change;

	json_array_foreach(json_object_get(experiment, "changes"), i, change)
	{
		if (is_selected(change, selection))
			worst = fmax(worst, fabs(number_of(change, "simulated") - number_of(change, "published")));
	}
	return worst;
}

struct quantity {
	const char *name;
	double (*value)(json_t *experiment, const char *selection);
	bool at_least;
};

static const struct quantity quantities[] = {
	{ "signs_wrong", signs_wrong, false },
	{ "signs_counted", signs_counted, true },
	{ "rms_log", rms_log, false },
	{ "change_mae_points", change_mae_points, false },
	{ "error_pct", error_pct, false },
	{ "ratio_error_pct", ratio_error_pct, false },
	{ "change_error_points", change_error_points, false },
	{ "left_pct", left_pct, false },
	{ NULL, NULL, false },
};

/* The quantity that "NAME SELECTION" asks for, and the selection in it; NULL when there is none. */
static const struct quantity *find_quantity(const char *asked, const char **selection)
{
	size_t bytes = strcspn(asked, " ");
	const struct quantity *quantity = quantities;

	*selection = asked + bytes + strspn(asked + bytes, " ");
	while (quantity->name && (strlen(quantity->name) != bytes || strncmp(quantity->name, asked, bytes) != 0))
		quantity++;
	return quantity->name ? quantity : NULL;
}

static void check_tolerance(struct tap *tap, json_t *experiment, const struct csv_row *row)
{
	const char *selection;
	const struct quantity *quantity = find_quantity(row->fields[1], &selection);
	double limit = results_number(row->fields[2]);
	double value = quantity ? quantity->value(experiment, selection) : NAN;
	/* written so that NAN fails */
	bool good = quantity && (quantity->at_least ? value >= limit : value <= limit);

	verdict(tap, good, "%s: %s is at %s %s", row->fields[0], row->fields[1],
		quantity && quantity->at_least ? "least" : "most", row->fields[2]);
	if (!good)
		printf("# it is %.4g; %s\n", value, row->fields[3]);
}

/* Every row of the table that names the experiment; how many there were. */
static int check_tolerances(struct tap *tap, json_t *experiment, const char *path)
{
	struct arena *arena = arena_create();
	struct error err = { .text = "" };
	struct csv_reader *reader = csv_open(arena, path, CSV_MAX_FILE_BYTES, &err);
	struct csv_row row;
	int found = reader ? 1 : -1;
	int nr = 0;

	while (found > 0 && (found = csv_next(reader, &row, &err)) > 0) {
		if (row.nr_fields == 4 && strcmp(row.fields[0], text_of(experiment, "experiment")) == 0) {
			check_tolerance(tap, experiment, &row);
			nr++;
		}
	}
	if (found < 0)
		printf("# %s\n", err.text);
	csv_close(reader);
	arena_destroy(arena);
	return nr;
}

static void check_experiment(struct tap *tap, json_t *experiment, const char *tolerances)
{
	const char *wrong = wrong_member_of_any(experiment);
	const char *name = text_of(experiment, "experiment");

	if (!verdict(tap, !wrong, "%s: has the members that are promised", name ? name : "?")) {
		printf("# '%s' is missing, unknown or of another type\n", wrong);
		return;
	}
	verdict(tap,
		strcmp(text_of(experiment, "mode"), "blind") == 0 && json_is_null(json_object_get(experiment, "split")),
		"%s: is blind and has no split", name);
	verdict(tap, all_hold_means(experiment), "%s: every interval and band holds its mean", name);
	verdict(tap, score_is_of_cells(experiment), "%s: the score is that of the cells that set no parameter", name);
	verdict(tap, check_tolerances(tap, experiment, tolerances) > 0, "%s: has tolerances", name);
}

static void check_file(struct tap *tap, const char *path, const char *tolerances)
{
	json_error_t err;
	json_t *all = json_load_file(path, 0, &err);
	size_t i;
	json_t *experiment;

	if (!verdict(tap, json_is_array(all) && json_array_size(all) > 0, "%s is an array of reproductions", path))
		printf("# line %d: %s\n", err.line, err.text);
	json_array_foreach(all, i, experiment) check_experiment(tap, experiment, tolerances);
	json_decref(all);
}

int main(int argc, char **argv)
{
	struct tap tap = { 0 };
	int i;

	if (argc < 3) {
		fprintf(stderr, "usage: check TOLERANCES.csv REPRODUCED.json...\n");
		return 2;
	}
	for (i = 2; i < argc; i++)
		check_file(&tap, argv[i], argv[1]);
	printf("1..%d\n", tap.nr);
	return tap.nr_failed > 0;
}
