/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/request_log.h"

#include <stdio.h>
#include <stdlib.h>

struct replay {
	const struct request *next;
	struct engine *engine;
	struct actor *actors[REQUEST_LOG_MAX_ACTORS];
	int nr_actors;
};

static void allocate(struct request_log *log, uint64_t nr_requests)
{
	log->nr_allocated = nr_requests;
	log->requests = realloc(log->requests, nr_requests * sizeof(*log->requests));
	if (log->requests)
		return;
	fprintf(stderr, "out of memory\n");
	exit(1);
}

void request_log_add(struct request_log *log, enum request_kind kind, int who, sim_ps delay_ps)
{
	if (log->nr_requests == log->nr_allocated)
		allocate(log, log->nr_allocated ? 2 * log->nr_allocated : 1 << 16);
	log->requests[log->nr_requests++] = (struct request){
		.kind = kind,
		.who = (unsigned int)who & (REQUEST_LOG_MAX_ACTORS - 1),
		.delay_ps = delay_ps > 0 ? (uint64_t)delay_ps & ((UINT64_C(1) << 48) - 1) : 0,
	};
}

int request_log_write(const struct request_log *log, struct error *err)
{
	if (fwrite(log, sizeof(*log), 1, stdout) != 1 ||
	    fwrite(log->requests, sizeof(*log->requests), log->nr_requests, stdout) != log->nr_requests ||
	    fflush(stdout))
		return error_plain(err, "cannot write the requests");
	return 0;
}

int request_log_read(struct request_log *log, struct error *err)
{
	size_t nr_logs = fread(log, sizeof(*log), 1, stdin);

	log->requests = NULL;
	if (nr_logs != 1)
		return error_plain(err, "standard input has no requests");
	allocate(log, log->nr_requests);
	if (fread(log->requests, sizeof(*log->requests), log->nr_requests, stdin) != log->nr_requests)
		return error_plain(err, "standard input has too few requests");
	return 0;
}

static void replay_body(void *arg)
{
	struct replay *replay = arg;
	struct engine *engine = replay->engine;

	for (;;) {
		const struct request request = *replay->next++;
		const sim_ps date = engine_now(engine) + (sim_ps)request.delay_ps;

		switch ((enum request_kind)request.kind) {
		case REQUEST_SPAWN:
			replay->actors[replay->nr_actors++] =
				engine_spawn(engine, (int)request.who, "recorded", date, replay_body, replay);
			break;
		case REQUEST_SLEEP:
			actor_sleep_until(engine, date);
			break;
		case REQUEST_PARK:
			actor_park(engine, "its recorded wake");
			break;
		case REQUEST_WAKE:
			actor_wake(engine, replay->actors[request.who], date);
			break;
		case REQUEST_CALL:
			engine_call(engine, (int)request.who, date, replay_body, replay);
			break;
		case REQUEST_END:
			return;
		}
	}
}

int request_log_replay(const struct request_log *log, enum engine_kind kind, struct error *err)
{
	struct replay replay = { .next = log->requests };
	int status;

	replay.engine = engine_create(kind, log->nr_cpus, err);
	if (!replay.engine)
		return -1;
	replay_body(&replay);
	status = engine_run(replay.engine, err);
	if (!status && (replay.next != log->requests + log->nr_requests || engine_now(replay.engine) != log->end))
		status = error_plain(err, "the engine alone did not end as it did with the model");
	engine_destroy(replay.engine);
	return status;
}
