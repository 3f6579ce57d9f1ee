/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points of a result set as Arm's fastpath would name them: benchmark, and result class less its unit. */
#ifndef CONTEND_CLI_POINT_NAMES_H
#define CONTEND_CLI_POINT_NAMES_H

#include "sim/io/table.h"
#include "sim/stats/results.h"
#include "sim/util/arena.h"

/*
 * One per point, in arena: the workload by its pattern (workload.h) or, without one, by the parameters that are not at
 * their defaults everywhere, then those swept keys that the points would not be told apart without. NULL when the
 * configuration in the result set is none that this version reads.
 */
const struct table_point *point_names(struct arena *arena, const struct results *results);

#endif
