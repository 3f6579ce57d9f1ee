/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The work that every simulator does in `make bench`, so that their speeds can
 * be set side by side. One program per peer, C, C++ or Python, each
 *
 *	peer lock|hold CPUS ROUNDS [VARIANT]
 *
 * which prints "operations end_ps seconds": rounds of all CPUs, the date of the
 * last event, CPU time of the event loop without set-up.
 *
 * hold: each CPU thinks ROUNDS times, one event each; as many events are
 *	pending as there are CPUs. The classic hold model of event queues.
 * lock: after each thought it takes a FIFO lock, holds it 50 ns and releases
 *	it. Two events each: an arrival, and the end of the hold. Who releases
 *	knows when the next holder will be done, so a simulator that can wake
 *	somebody at a date wakes it then; the others wake it at once and let it
 *	sleep. Above three CPUs the lock is what all wait for.
 *
 * A thought lasts 40 to 140 ns, and then up to 4.1 ns until the low bits of the
 * date are the CPU's number. So no two CPUs ever arrive at one date. A release
 * may fall on an arrival's date, but their order changes nothing: if nobody
 * waits, the arriving CPU gets the lock at this date either way, else it goes
 * behind those who wait. So the end does not depend on how a simulator orders
 * equal dates, and all with exact time must reach the same.
 */
#ifndef CONTEND_BENCH_WORK_H
#define CONTEND_BENCH_WORK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HOLD_PS INT64_C(50000)
#define THINK_MIN_PS INT64_C(40000)
#define THINK_SPREAD_PS UINT64_C(100001)
#define MAX_CPUS 4096 /* as many dates differ in their low 12 bits */

struct work {
	bool lock; /* else hold */
	int nr_cpus;
	int nr_rounds; /* of each CPU */
	const char *variant; /* of the peer; "" when none was named */
};

/* Ends the process on a wrong command line. */
static inline struct work work_parse(int argc, char **argv)
{
	struct work work = { false, 0, 0, "" };

	if (argc == 4 || argc == 5) {
		work.lock = !strcmp(argv[1], "lock");
		work.nr_cpus = atoi(argv[2]);
		work.nr_rounds = atoi(argv[3]);
		work.variant = argc == 5 ? argv[4] : "";
	}
	if (work.nr_cpus < 1 || work.nr_cpus > MAX_CPUS || work.nr_rounds < 1) {
		fprintf(stderr, "usage: %s lock|hold CPUS ROUNDS [VARIANT]\n", argv[0]);
		exit(2);
	}
	return work;
}

static inline void work_print(const struct work *work, int64_t end_ps, double seconds)
{
	printf("%" PRId64 " %" PRId64 " %.6f\n", (int64_t)work->nr_cpus * work->nr_rounds, end_ps, seconds);
}

/* CPU time, not elapsed time: a busy host would show. */
static inline double work_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* What a CPU's random numbers start from. */
static inline uint64_t think_seed(int cpu)
{
	return (uint64_t)cpu * UINT64_C(0x9e3779b97f4a7c15);
}

/* When the CPU that begins to think now will be done. The generator is Knuth's MMIX: cheap in Python too. */
static inline int64_t think_until(uint64_t *state, int cpu, int64_t now_ps)
{
	int64_t date;

	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	date = now_ps + THINK_MIN_PS + (int64_t)(((*state >> 32) * THINK_SPREAD_PS) >> 32);
	return date + ((cpu - date) & (MAX_CPUS - 1));
}

#endif
