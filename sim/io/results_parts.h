/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two halves of results_load share. Private to sim/io/results_*.c. */
#ifndef CONTEND_IO_RESULTS_PARTS_H
#define CONTEND_IO_RESULTS_PARTS_H

#include "sim/stats/results.h"
#include "sim/util/error.h"

/* A list of names. The last one found is tried first: neighbouring rows repeat it. */
struct names {
	const char **names;
	int nr;
	int last;
};

/* The index of a name, or -1. */
int names_find(struct names *list, const char *name);

/* Allocate the values of a result set whose other members are set, and fill them from a samples.csv. */
int results_read_samples(struct results *results, const char *path, struct error *err);

#endif
