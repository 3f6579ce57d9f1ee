/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How fast the full line model runs, in one process:
 *
 *	line_record EXPERIMENT VARIANT [KEY=VALUE]... | line_rate EXPERIMENT VARIANT [KEY=VALUE]...
 *
 * prints "transactions seconds engine_seconds steps peak_kib", the seconds being
 * the least of a few runs that take turns:
 *
 *	transactions    of lines that a run measures: all but those of its first microsecond and its last operations
 *	seconds         CPU time of a whole run with its set-up
 *	engine_seconds  CPU time of an engine that is asked the same again without the model (request_log.h)
 *	steps           of that engine: ends of sleeps and parks, and calls
 *	peak_kib        most memory that the process had for one run
 */
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "tests/bench/line_setup.h"
#include "tests/bench/request_log.h"

#define NR_TURNS 2

struct outcome {
	double transactions;
	double seconds;
	double engine_seconds;
	uint64_t nr_steps;
	long peak_kib;
};

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static long peak_kib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

static int measure(const struct run_config *config, struct outcome *outcome, struct error *err)
{
	double metrics[NR_METRICS];

	if (run_execute(config, 0, metrics, err))
		return -1;
	outcome->transactions =
		metrics[METRIC_TRANSACTIONS] * metrics[METRIC_THROUGHPUT] * ps_to_s(config->length.duration_ps);
	outcome->peak_kib = peak_kib();
	return 0;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* One run of the model, then the engine alone. */
static int take_turns(const struct run_config *config, const struct request_log *log, struct outcome *outcome,
		      struct error *err)
{
	double metrics[NR_METRICS];
	double started = seconds();
	double between;

	if (run_execute(config, 0, metrics, err))
		return -1;
	between = seconds();
	if (request_log_replay(log, config->engine, err))
		return -1;
	outcome->seconds = least(outcome->seconds, between - started);
	outcome->engine_seconds = least(outcome->engine_seconds, seconds() - between);
	return 0;
}

static int measure_costs(const struct run_config *config, struct outcome *outcome, struct error *err)
{
	struct request_log log = { 0 };
	int status = request_log_read(&log, err);

	for (int turn = 0; !status && turn < NR_TURNS; turn++)
		status = take_turns(config, &log, outcome, err);
	outcome->nr_steps = log.nr_steps;
	free(log.requests);
	return status;
}

int main(int argc, char **argv)
{
	struct arena *arena = arena_create();
	struct run_config config;
	struct outcome outcome = { .seconds = DBL_MAX, .engine_seconds = DBL_MAX };
	struct error err;
	char text[1024];

	if (argc < 3) {
		fprintf(stderr, "usage: line_record ... | %s EXPERIMENT VARIANT [KEY=VALUE]...\n", argv[0]);
		return 2;
	}
	/* memory first: the requests take more */
	if (line_setup(arena, argv + 1, argc - 1, &config, &err) || measure(&config, &outcome, &err) ||
	    measure_costs(&config, &outcome, &err)) {
		fprintf(stderr, "%s\n", error_format(&err, text, sizeof(text)));
		return 1;
	}
	printf("%.0f %.6f %.6f %" PRIu64 " %ld\n", outcome.transactions, outcome.seconds, outcome.engine_seconds,
	       outcome.nr_steps, outcome.peak_kib);
	arena_destroy(arena);
	return 0;
}
