/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How fast the engine is, in CPU time of the host: sleeps, pairs of a park and
 * a wake, and calls that re-arm themselves, by number of actors. Each row is
 * one process, as a run is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/engine/engine.h"
#include "sim/util/rng.h"

#define OPERATIONS 1000000

struct worker {
	struct engine *engine;
	struct actor *actor;
	struct worker *partner;
	struct rng rng;
	int cpu;
	int left;
};

struct benchmark {
	const char *name;
	const char *unit;
	engine_fn *body;
};

static sim_ps some_time(struct worker *worker)
{
	return engine_now(worker->engine) + rng_between(&worker->rng, 1, 100 * PS_PER_NS);
}

static void sleeper(void *arg)
{
	struct worker *worker = arg;

	while (worker->left-- > 0)
		actor_sleep_until(worker->engine, some_time(worker));
}

/* Even workers wake their partner and park; odd ones do it the other way round. */
static void ping_pong(void *arg)
{
	struct worker *worker = arg;
	struct engine *engine = worker->engine;

	if (worker->cpu % 2)
		actor_park(engine, "ping");
	while (worker->left-- > 0) {
		actor_wake(engine, worker->partner->actor, some_time(worker));
		if (worker->left || !(worker->cpu % 2))
			actor_park(engine, "pong");
	}
}

static void rearm(void *arg)
{
	struct worker *worker = arg;

	if (worker->left-- > 0)
		engine_call(worker->engine, worker->cpu, some_time(worker), rearm, worker);
	else
		actor_wake(worker->engine, worker->actor, some_time(worker));
}

static void caller(void *arg)
{
	struct worker *worker = arg;

	rearm(worker);
	actor_park(worker->engine, "calls");
}

/* Not elapsed time: a busy host would show. */
static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void row_run(const struct benchmark *benchmark, int nr_actors)
{
	struct worker *workers = calloc((size_t)nr_actors, sizeof(*workers));
	struct engine *engine;
	struct error err;
	double started = seconds();
	double set_up;

	engine = engine_create(ENGINE_SIMGRID, nr_actors, &err);
	if (!workers || !engine)
		exit(1);
	set_up = seconds();
	for (int i = 0; i < nr_actors; i++) {
		workers[i] = (struct worker){ .engine = engine, .partner = &workers[i ^ 1], .cpu = i };
		workers[i].rng = rng_stream(1, (uint64_t)i);
		workers[i].left = OPERATIONS / nr_actors;
		workers[i].actor = engine_spawn(engine, i, "worker", 1, benchmark->body, &workers[i]);
	}
	if (engine_run(engine, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	printf("%-8s %6d  %6.2f M %s/s  start-up %.1f ms\n", benchmark->name, nr_actors,
	       OPERATIONS / (seconds() - set_up) / 1e6, benchmark->unit, (set_up - started) * 1e3);
	engine_destroy(engine);
	free(workers);
}

int main(void)
{
	static const struct benchmark benchmarks[] = {
		{ "sleep", "sleeps", sleeper },
		{ "wake", "park-wake pairs", ping_pong },
		{ "call", "calls", caller },
	};
	static const int sizes[] = { 2, 64, 384, 768 };

	for (size_t b = 0; b < sizeof(benchmarks) / sizeof(benchmarks[0]); b++) {
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
			fflush(stdout);
			if (!fork()) {
				row_run(&benchmarks[b], sizes[s]);
				exit(0);
			}
			wait(NULL);
		}
	}
	return 0;
}
