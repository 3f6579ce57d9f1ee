/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Result sets for tests: a small one with everything in it, and the tables of the folio refcount series as if simulated. */
#ifndef CONTEND_TESTS_SAMPLE_RESULTS_H
#define CONTEND_TESTS_SAMPLE_RESULTS_H

#include "sim/stats/results.h"
#include "sim/util/arena.h"

/*
 * Two machines "one", "two"; variants vanilla, patched, none; axes threads 1 2 4 and machine.transfer.remote_ns 100 200;
 * metrics throughput, cas_failures; two replications. Machine "one" crosses a socket at 2 threads. Value = 1000 * machine +
 * 100 * variant + 10 * point + replication + 0.5 for throughput and a thousandth of that for cas_failures.
 */
struct results *sample_results(struct arena *arena);

/* "Platform 1" (10 rows) or "Platform 2" (12 rows) of the cover letter, one replication. */
struct results *sample_mail(struct arena *arena, int platform);

/* Two threads, two variants, three replications of throughput around 1000, set by hand: see the .c file. */
struct results *sample_small(struct arena *arena);

#endif
