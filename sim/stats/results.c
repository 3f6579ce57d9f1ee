/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The results of one experiment in memory: one dense array and the arithmetic of its indices. */
#include "sim/stats/results.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int results_nr_points(const struct results *results)
{
	int nr = 1;

	for (int i = 0; i < results->nr_axes; i++)
		nr *= results->axes[i].nr_values;
	return nr;
}

int results_axis_index(const struct results *results, int point, int axis)
{
	for (int i = results->nr_axes - 1; i > axis; i--)
		point /= results->axes[i].nr_values;
	return point % results->axes[axis].nr_values;
}

int results_find_axis(const struct results *results, const char *key)
{
	for (int i = 0; i < results->nr_axes; i++) {
		if (strcmp(results->axes[i].key, key) == 0)
			return i;
	}
	return -1;
}

int results_find_metric(const struct results *results, const char *name)
{
	for (int i = 0; i < results->nr_metrics; i++) {
		if (strcmp(results->metrics[i].name, name) == 0)
			return i;
	}
	return -1;
}

void results_allocate(struct results *results)
{
	size_t nr = (size_t)results->nr_machines * (size_t)results->nr_variants * (size_t)results_nr_points(results) *
		    (size_t)results->nr_replications * (size_t)results->nr_metrics;

	results->values = arena_calloc(results->arena, nr, sizeof(*results->values));
	for (size_t i = 0; i < nr; i++)
		results->values[i] = NAN;
}

double *results_at(const struct results *results, int machine, int variant, int point, int replication, int metric)
{
	size_t place = (size_t)machine;

	assert(machine < results->nr_machines && variant < results->nr_variants && metric < results->nr_metrics);
	assert(point < results_nr_points(results) && replication < results->nr_replications);
	place = place * (size_t)results->nr_variants + (size_t)variant;
	place = place * (size_t)results_nr_points(results) + (size_t)point;
	place = place * (size_t)results->nr_replications + (size_t)replication;
	return &results->values[place * (size_t)results->nr_metrics + (size_t)metric];
}

int results_nr_done(const struct results *results, int machine, int variant, int point)
{
	int nr = 0;

	for (int i = 0; i < results->nr_replications; i++) {
		const double *values = results_at(results, machine, variant, point, i, 0);
		int metric = 0;

		while (metric < results->nr_metrics && isnan(values[metric]))
			metric++;
		nr += metric < results->nr_metrics;
	}
	return nr;
}

double results_number(const char *text)
{
	const char *sign_skipped = text + (*text == '-' || *text == '+');
	char *end;
	double number;

	/* strtod would also take blanks, "nan", "inf" and hexadecimal */
	if (!isdigit((unsigned char)*sign_skipped) && *sign_skipped != '.')
		return NAN;
	if (strpbrk(text, "xX"))
		return NAN;
	number = strtod(text, &end);
	return *end || !isfinite(number) ? NAN : number;
}
