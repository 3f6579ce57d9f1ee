/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `run`, `compare` and `plot` do alike with a result set: choose metrics, print tables, find its published table. */
#ifndef CONTEND_CLI_OUTPUT_H
#define CONTEND_CLI_OUTPUT_H

#include "sim/io/table.h"
#include "sim/stats/published.h"
#include "sim/stats/results.h"

/* The index of a metric by name, or -1 with the nearest known name. */
int output_find_metric(const struct results *results, const char *name, struct error *err);

/* Likewise of a variant and of a machine. */
int output_find_variant(const struct results *results, const char *name, struct error *err);
int output_find_machine(const struct results *results, const char *name, struct error *err);

/* Metric number `index` of a result set as tables want it. */
struct table_metric output_table_metric(const struct results *results, int index);

/* Write a table to a file, which appears whole or not at all, or to stdout when path is NULL. */
int output_table(const struct results *results, const struct table_options *options, const char *path,
		 struct error *err);

/* The published table of a result set, or NULL when it names none; a table that cannot be read is a warning. */
const struct published *output_published(struct arena *arena, const struct results *results);

#endif
