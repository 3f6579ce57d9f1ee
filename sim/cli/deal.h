/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which runs of a sweep this shard makes, when it is one of several (shard.h). */
#ifndef CONTEND_CLI_DEAL_H
#define CONTEND_CLI_DEAL_H

#include "sim/cli/schedule.h"
#include "sim/util/arena.h"

/*
 * Mark the runs of a part that others make as RUN_ELSEWHERE. results says which shard this is;
 * the cells have their work.
 */
void deal(struct arena *arena, struct schedule *schedule, int part, const struct results *results);

#endif
