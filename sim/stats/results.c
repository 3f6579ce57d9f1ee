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

size_t results_nr_values(const struct results *results)
{
	return (size_t)results->nr_machines * (size_t)results->nr_variants * (size_t)results_nr_points(results) *
	       (size_t)results->nr_replications * (size_t)results->nr_metrics;
}

void results_allocate(struct results *results)
{
	size_t nr = results_nr_values(results);

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

bool results_has_run(const struct results *results, int machine, int variant, int point, int replication)
{
	const double *values = results_at(results, machine, variant, point, replication, 0);
	int metric = 0;

	while (metric < results->nr_metrics && isnan(values[metric]))
		metric++;
	return metric < results->nr_metrics;
}

int results_nr_done(const struct results *results, int machine, int variant, int point)
{
	int nr = 0;

	for (int i = 0; i < results->nr_replications; i++)
		nr += results_has_run(results, machine, variant, point, i);
	return nr;
}

static bool same_names(const char *const *a, int nr_a, const char *const *b, int nr_b)
{
	int i = 0;

	while (i < nr_a && i < nr_b && strcmp(a[i], b[i]) == 0)
		i++;
	return i == nr_a && i == nr_b;
}

static bool same_axes(const struct results *a, const struct results *b)
{
	int i = 0;

	while (i < a->nr_axes && i < b->nr_axes && strcmp(a->axes[i].key, b->axes[i].key) == 0 &&
	       same_names(a->axes[i].values, a->axes[i].nr_values, b->axes[i].values, b->axes[i].nr_values))
		i++;
	return i == a->nr_axes && i == b->nr_axes;
}

static bool same_metrics(const struct results *a, const struct results *b)
{
	int i = 0;

	while (i < a->nr_metrics && i < b->nr_metrics && strcmp(a->metrics[i].name, b->metrics[i].name) == 0)
		i++;
	return i == a->nr_metrics && i == b->nr_metrics;
}

const char *results_difference(const struct results *a, const struct results *b)
{
	if (strcmp(a->experiment, b->experiment) != 0)
		return "experiment";
	if (strcmp(a->version, b->version) != 0)
		return "version of contend";
	/* the hash covers the rest, but a file may say anything */
	if (strcmp(a->config_hash, b->config_hash) != 0 || a->seed != b->seed || a->baseline != b->baseline ||
	    a->nr_replications != b->nr_replications || a->min_replications != b->min_replications ||
	    a->until_ppm != b->until_ppm || !same_names(a->machines, a->nr_machines, b->machines, b->nr_machines) ||
	    !same_names(a->variants, a->nr_variants, b->variants, b->nr_variants) || !same_axes(a, b))
		return "configuration";
	return same_metrics(a, b) ? NULL : "set of metrics";
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
