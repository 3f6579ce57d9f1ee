/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How fast the full line model runs, in one process:
 *
 *	line_rate ENGINE EXPERIMENT VARIANT [KEY=VALUE]...
 *
 * runs the first point of a variant, warm-up off, and prints
 * "transactions seconds engine_seconds steps peak_kib", the seconds being the
 * least of a few runs that take turns:
 *
 *	transactions    of lines that the run measured: all but those of its first microsecond and its last operations
 *	seconds         CPU time of the whole run with its set-up
 *	engine_seconds  CPU time of an engine that is asked the same again without the model (request_log.h)
 *	steps           of that engine: ends of sleeps and parks, and calls
 *	peak_kib        most memory that the process had, before the requests were recorded
 */
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "models/config.h"
#include "tests/bench/engine_kind.h"
#include "tests/bench/request_log.h"

#define NR_TURNS 3

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

static int find_variant(const struct experiment *experiment, const char *name, struct error *err)
{
	for (int i = 0; i < experiment->nr_variants; i++) {
		if (!strcmp(experiment->variant_names[i], name))
			return i;
	}
	return error_plain(err, "%s has no variant '%s'", experiment->path, name);
}

/* The first point, without a warm-up, of the length that the experiment says. */
static int configure(struct arena *arena, char **argv, int argc, struct run_config *config, struct error *err)
{
	const char *path = config_find(arena, CONFIG_EXPERIMENT, argv[2], (struct source_pos){ 0 }, err);
	const struct experiment *experiment =
		path ? experiment_load(arena, path, (const char *const *)argv + 4, argc - 4, err) : NULL;
	int variant = experiment ? find_variant(experiment, argv[3], err) : -1;

	if (variant < 0 || experiment_resolve(experiment, arena, 0, variant, 0, NULL, config, err))
		return -1;
	config->engine = engine_kind(argv[1]);
	config->length.warmup_ps = 0;
	config->length.min_operations = 0;
	return 0;
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
	struct request_log *log = request_log_create();
	double metrics[NR_METRICS];
	int status;

	request_log_record(log);
	status = run_execute(config, 0, metrics, err);
	request_log_record(NULL);
	for (int turn = 0; !status && turn < NR_TURNS; turn++)
		status = take_turns(config, log, outcome, err);
	outcome->nr_steps = request_log_nr_steps(log);
	request_log_destroy(log);
	return status;
}

int main(int argc, char **argv)
{
	struct arena *arena = arena_create();
	struct run_config config;
	struct outcome outcome = { .seconds = DBL_MAX, .engine_seconds = DBL_MAX };
	struct error err;
	char text[1024];

	if (argc < 4) {
		fprintf(stderr, "usage: %s ENGINE EXPERIMENT VARIANT [KEY=VALUE]...\n", argv[0]);
		return 2;
	}
	if (configure(arena, argv, argc, &config, &err) || measure(&config, &outcome, &err) ||
	    measure_costs(&config, &outcome, &err)) {
		fprintf(stderr, "%s\n", error_format(&err, text, sizeof(text)));
		return 1;
	}
	printf("%.0f %.6f %.6f %" PRIu64 " %ld\n", outcome.transactions, outcome.seconds, outcome.engine_seconds,
	       outcome.nr_steps, outcome.peak_kib);
	arena_destroy(arena);
	return 0;
}
