/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What decides the first refills and flushes of a CPU, and /proc/zoneinfo does not show, made known when a recording begins.
 *
 * Each page that is freed halves pcp->alloc_factor, which is 5 at most, and each that is allocated halves pcp->free_count, which
 * is below 4,096. So some pages freed and then some allocated on every CPU leave 0 in both, whatever was there. Inside
 * the recording, so that a replay has the same pages on the lists. Source: mm/page_alloc.c, rmqueue_pcplist,
 * free_frozen_page_commit.
 */
#ifndef CONTEND_CLI_PCP_SETTLE_H
#define CONTEND_CLI_PCP_SETTLE_H

#include "sim/util/arena.h"
#include "sim/util/error.h"

struct pcp_settle;

/* Memory for all CPUs this process may run on; before zoneinfo is read. The mapping lasts until pcp_settle_end. */
struct pcp_settle *pcp_settle_begin(struct arena *arena, struct error *err);

/* In the recording, before anything of interest. Runs on each of the CPUs in turn. */
void pcp_settle_run(struct pcp_settle *settle);

void pcp_settle_end(struct pcp_settle *settle); /* NULL is fine */

#endif
