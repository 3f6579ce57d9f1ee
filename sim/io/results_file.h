/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A result set on disk.
 *
 *	samples.csv	machine,variant,<axis keys>,replication,metric,value,unit: one line per number that a run gave
 *	summary.csv	machine,variant,<axis keys>,metric,unit,mean,ci95_low,ci95_high,n: one line per point and metric
 *	result.json	everything else: names, axes, baseline, boundaries, seed, version, configuration and its hash;
 *			"adaptive" and "shard" only where a sweep is that
 *
 * Numbers have nine digits. What is read back is written again byte by byte; the summary is therefore computed from the
 * numbers as samples.csv has them.
 */
#ifndef CONTEND_IO_RESULTS_FILE_H
#define CONTEND_IO_RESULTS_FILE_H

#include "sim/stats/results.h"
#include "sim/util/arena.h"
#include "sim/util/error.h"

#define RESULTS_FORMAT 1 /* of result.json; another number is refused */
#define RESULTS_MAX_JSON_BYTES ((size_t)64 << 20)
#define RESULTS_MAX_SAMPLES_BYTES ((size_t)1 << 30)
#define RESULTS_MAX_VALUES (1 << 24)
#define RESULTS_MAX_NAMES 10000 /* of each kind */
#define RESULTS_MAX_SHARDS 100000
#define RESULTS_MAX_ADAPTIVE 10000 /* replications of a point, if their number is adaptive */

/*
 * Write the three files into a directory, which is made when missing. Each file appears whole or not at all. A shard
 * has no summary: its points may be incomplete.
 */
int results_save(const struct results *results, const char *dir, struct error *err);

/*
 * Read a directory that results_save wrote, or the result.json in it. Files may come from anybody: every name, index,
 * size and number is checked. NULL on failure, with file:line:column where the format has one.
 */
struct results *results_load(struct arena *arena, const char *path, struct error *err);

/* The same for one shard of a sweep too, which results_load refuses. */
struct results *results_load_any(struct arena *arena, const char *path, struct error *err);

#endif
