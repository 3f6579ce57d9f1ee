/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The metrics of a run. One that means nothing to a workload is NAN.
 */
#ifndef CONTEND_KERNEL_METRIC_H
#define CONTEND_KERNEL_METRIC_H

#include <stdbool.h>

enum run_metric {
	METRIC_THROUGHPUT, /* operations per second, all workers */
	METRIC_LATENCY, /* ns per operation and worker */
	/* what a whole piece of work takes */
	METRIC_REAL,
	METRIC_USER,
	METRIC_SYS,
	METRIC_BANDWIDTH, /* Gbit/s of payload */
	/* lines */
	METRIC_CAS_FAILURES, /* failed compare-and-swaps per operation */
	METRIC_GET_FAILURES, /* try_get refused (frozen or dead folio) per operation */
	METRIC_TRANSACTIONS, /* line transactions per operation */
	METRIC_TRANSACTIONS_CORE, /* ... by distance of the transfer */
	METRIC_TRANSACTIONS_CLUSTER,
	METRIC_TRANSACTIONS_SOCKET,
	METRIC_TRANSACTIONS_REMOTE,
	METRIC_INVALIDATIONS, /* copies invalidated per operation */
	METRIC_LINE_WAIT_PCT, /* share of the workers' time spent waiting for a line */
	METRIC_SLEEPS, /* sleeps on the folio lock per operation */
	METRIC_SLOWEST_THREAD, /* operations per second of the slowest worker */
	METRIC_FASTEST_THREAD,
	/* the page allocator */
	METRIC_PAGES_ALLOCATED, /* blocks per second, all CPUs */
	METRIC_ZONE_LOCKS, /* zone lock acquisitions per second, all zones */
	METRIC_ZONE_LOCK_USE_PCT, /* share of the time that a zone lock is held, mean of the zones */
	METRIC_ZONE_WAIT_MEAN,
	METRIC_ZONE_WAIT_P99,
	METRIC_ZONE_WAIT_MAX,
	METRIC_SPIN_PCT, /* share of all CPUs' time spent waiting for zone locks */
	METRIC_FREE_HOLD_MEAN, /* free_pcppages_bulk() */
	METRIC_FREE_HOLD_P99,
	METRIC_FREE_HOLD_MAX,
	METRIC_FREE_HOLD_PAGES, /* pages moved per hold */
	METRIC_FREE_HOLD_PAGES_MAX,
	METRIC_REFILL_HOLD_MEAN, /* rmqueue_bulk() */
	METRIC_REFILL_HOLD_P99,
	METRIC_REFILL_HOLD_MAX,
	METRIC_REFILL_HOLD_PAGES,
	METRIC_REFILL_HOLD_PAGES_MAX,
	METRIC_IRQS_OFF_MAX, /* longest time with interrupts off, any CPU */
	METRIC_REFILLS, /* per second */
	METRIC_FLUSHES, /* per second, all reasons but the next */
	METRIC_FLUSHES_HIGH, /* per second, by the free_high rule */
	METRIC_DIRECT, /* blocks past the pcp lists, per second */
	METRIC_FREED_ELSEWHERE_PCT, /* of the blocks freed: on another CPU than allocated on */
	METRIC_PCP_LOST, /* batched freeing gave up, per second */
	METRIC_PCP_PAGES, /* parked on pcp lists at the end */
	METRIC_PCP_HIGH, /* mean pcp->high at the end */
	METRIC_PCP_HIGH_DRIFT_PCT, /* how much that changed while measuring: far from 0 when the state was not stationary */
	/* the scheduler */
	METRIC_IDLE_PCT, /* share of all CPUs' time */
	METRIC_MIGRATIONS, /* per second */
	METRIC_PREEMPTIONS, /* per second */
	NR_METRICS,
};

struct metric_info {
	const char *name; /* "throughput", "cas_failures", ... */
	const char *unit; /* "ops/s", "per op", "%", "ns" */
	const char *help;
	bool lower_is_better;
};

extern const struct metric_info metric_infos[NR_METRICS];

#endif
