/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engine on SimGrid 3.32: its actors, its clock. The reference for every
 * other engine.
 *
 * Time. SimGrid's clock is a double that adds durations exactly as long as
 * they are whole numbers below 2^53, and its order of equal dates is an
 * accident. So it gets one whole number per (date, CPU), the key
 *
 *	date_ps * 2^cpu_bits + cpu
 *
 * and what shares a key goes by the agenda of its CPU: who comes too early
 * suspends itself, and is resumed by who runs before it.
 *
 * Runners. Each SimGrid actor is a runner: it runs one of our actors, or, as a
 * helper out of a pool, calls. A step runs between two SimGrid calls and makes
 * none itself, so nothing runs in between. What the step asks for is put on the
 * agenda at once, and suspended or new runners that it concerns into the outbox,
 * which the runner empties when its step is over:
 *
 *	suspended -> (scheduled, outbox) -> asleep in SimGrid -> its turn: a step
 *	             ^ skipped by the runner whose own step schedules it
 *
 * A helper returns to the pool before it runs its call and the pool is a stack,
 * so the first call requested in a call is taken by the very helper: a call
 * that re-arms itself costs one sleep.
 */
#include "sim/engine/engine_ops.h"

#include "sim/engine/agenda.h"

#include <assert.h>
#include <errno.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xbt/config.h>
#include <xbt/log.h>

#define EXACT_BITS 53 /* whole numbers of a double */
#define HOST_NAME "machine"
#define STACK_KIB 256

/* No call of the C interface makes a host. */
static const char platform_xml[] = "<?xml version='1.0'?>\n"
				   "<!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>\n"
				   "<platform version='4.1'><zone id='zone' routing='None'>\n"
				   "<host id='" HOST_NAME "' speed='1f'/></zone></platform>\n";

struct runner {
	struct actor actor; /* a helper's has no origin */
	struct event event; /* its next step */
	sg_actor_t handle; /* NULL: not started */
	struct runner *next; /* in the outbox or the pool */
	bool suspended;
	engine_fn *fn; /* a helper's call */
	void *arg;
};

struct simgrid {
	struct engine engine;
	struct agenda agenda;
	sg_host_t host;
	xbt_main_func_t body; /* of every runner */
	double origin; /* SimGrid's clock at our date 0: an earlier engine of this process has moved it */
	int64_t now_key;
	unsigned int cpu_bits;
	struct runner *outbox;
	struct runner *pool;
};

static struct simgrid *simgrid_of(struct engine *engine)
{
	return (struct simgrid *)engine;
}

static struct runner *runner_of(struct event *event)
{
	return (struct runner *)(void *)((char *)event - offsetof(struct runner, event));
}

static void push(struct runner **list, struct runner *runner)
{
	runner->next = *list;
	*list = runner;
}

static struct runner *pop(struct runner **list)
{
	struct runner *runner = *list;

	if (runner)
		*list = runner->next;
	return runner;
}

static void runner_suspend(struct runner *runner)
{
	runner->suspended = true;
	sg_actor_suspend(runner->handle);
}

/* Let a suspended runner look again, once the running step is over. */
static void runner_release(struct simgrid *simgrid, struct runner *runner)
{
	runner->suspended = false;
	push(&simgrid->outbox, runner);
}

/* Sleep until the runner's event is due and first of its CPU; then begin its step. */
static void begin_step(struct simgrid *simgrid, struct runner *runner)
{
	struct event *event = &runner->event;

	while (!event_is_pending(event))
		runner_suspend(runner);
	sg_actor_sleep_for((double)(event->key - simgrid->now_key));
	while (agenda_first(&simgrid->agenda, runner->actor.cpu) != event || engine_is_over(&simgrid->engine))
		runner_suspend(runner);
	assert(simgrid_get_clock() == simgrid->origin + (double)event->key);
	agenda_remove(&simgrid->agenda, event);
	actor_begin_step(&runner->actor, event->request);
	simgrid->now_key = event->key;
	simgrid->engine.now = event->key >> simgrid->cpu_bits;
	simgrid->engine.self = runner->actor.origin ? &runner->actor : NULL;
}

static void outbox_empty(struct simgrid *simgrid)
{
	struct runner *runner;

	while ((runner = pop(&simgrid->outbox))) {
		if (runner->handle) {
			sg_actor_resume(runner->handle);
			continue;
		}
		runner->handle = sg_actor_init("runner", simgrid->host);
		sg_actor_set_data(runner->handle, runner);
		sg_actor_start_(runner->handle, simgrid->body, 0, NULL);
		if (!runner->actor.origin)
			sg_actor_daemonize(runner->handle);
	}
}

static void end_step(struct simgrid *simgrid)
{
	/* not the runner's CPU: a helper may already be meant for another */
	int cpu = (int)(simgrid->now_key & ((INT64_C(1) << simgrid->cpu_bits) - 1));
	struct event *next = agenda_first(&simgrid->agenda, cpu);

	simgrid->engine.self = NULL;
	if (engine_is_over(&simgrid->engine))
		return;
	if (!simgrid->agenda.nr_pending)
		engine_deadlock(&simgrid->engine);
	if (next && next->key == simgrid->now_key && runner_of(next)->suspended)
		runner_release(simgrid, runner_of(next));
	outbox_empty(simgrid);
}

static void simgrid_block(struct actor *actor)
{
	struct simgrid *simgrid = simgrid_of(actor->engine);

	end_step(simgrid);
	begin_step(simgrid, (struct runner *)actor);
}

static void runner_serve_calls(struct simgrid *simgrid, struct runner *runner)
{
	for (;;) {
		push(&simgrid->pool, runner);
		runner->fn(runner->arg);
		simgrid_block(&runner->actor);
	}
}

static void runner_main(int argc, char **argv)
{
	struct runner *runner = sg_actor_self_get_data();
	struct simgrid *simgrid = simgrid_of(runner->actor.engine);

	(void)argc;
	(void)argv;
	begin_step(simgrid, runner);
	if (!runner->actor.origin)
		runner_serve_calls(simgrid, runner);
	actor_execute(&runner->actor);
	end_step(simgrid);
}

static void simgrid_schedule(struct actor *actor, struct due due)
{
	struct simgrid *simgrid = simgrid_of(actor->engine);
	struct runner *runner = (struct runner *)actor;

	runner->event.key = (due.date << simgrid->cpu_bits) + actor->cpu;
	runner->event.request = due.request;
	agenda_add(&simgrid->agenda, actor->cpu, &runner->event);
	if (runner->suspended || !runner->handle)
		runner_release(simgrid, runner);
}

static void simgrid_sleep(struct actor *actor, struct due due)
{
	simgrid_schedule(actor, due);
	simgrid_block(actor);
}

static void simgrid_call(struct engine *engine, int cpu, struct due due, engine_fn *fn, void *arg)
{
	struct runner *helper = pop(&simgrid_of(engine)->pool);

	if (!helper) {
		helper = arena_alloc(engine->arena, sizeof(*helper));
		helper->actor.engine = engine;
	}
	helper->actor.cpu = cpu;
	helper->fn = fn;
	helper->arg = arg;
	simgrid_schedule(&helper->actor, due);
}

/* SimGrid reads its platform from a file only, and ends the process when it cannot. */
static int load_platform(struct error *err)
{
	const size_t bytes = sizeof(platform_xml) - 1;
	char path[32];
	int fd = memfd_create("platform", MFD_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return error_plain(err, "cannot make a file in memory: %s", strerror(errno));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, platform_xml, bytes) != (ssize_t)bytes || access(path, R_OK))
		ret = error_plain(err, "cannot give SimGrid its platform as %s: %s", path, strerror(errno));
	else
		simgrid_load_platform(path);
	close(fd);
	return ret;
}

/*
 * SimGrid starts by itself at the first question, without a command line; simgrid_init would want one. An engine before
 * this one has left its host.
 */
static sg_host_t find_host(struct error *err)
{
	sg_host_t host;

	xbt_log_control_set("root.thresh:critical");
#ifdef __SANITIZE_ADDRESS__
	sg_cfg_set_string("contexts/factory", "thread"); /* AddressSanitizer cannot follow SimGrid's own stacks */
#endif
	host = sg_host_by_name(HOST_NAME);
	if (host)
		return host;
	sg_cfg_set_int("contexts/stack-size", STACK_KIB);
	if (load_platform(err))
		return NULL;
	return sg_host_by_name(HOST_NAME);
}

static int simgrid_open(struct engine *engine, struct error *err)
{
	struct simgrid *simgrid = simgrid_of(engine);
	int64_t exact_keys;

	simgrid->host = find_host(err);
	if (!simgrid->host)
		return -1;
	while ((1 << simgrid->cpu_bits) <= engine->nr_cpus)
		simgrid->cpu_bits++;
	simgrid->origin = simgrid_get_clock();
	exact_keys = (INT64_C(1) << EXACT_BITS) - (int64_t)simgrid->origin;
	engine->date_max_ps = (exact_keys >> simgrid->cpu_bits) - 1;
	if (engine->date_max_ps < 1)
		return error_plain(err, "earlier runs of this process have used up SimGrid's exact dates");
	simgrid->body = runner_main;
	agenda_init(&simgrid->agenda, engine->arena, engine->nr_cpus);
	return 0;
}

static void simgrid_close(struct engine *engine)
{
	/* SimGrid has freed its actors when the run ended; itself it frees when the process exits */
	(void)engine;
}

static void simgrid_run_steps(struct engine *engine)
{
	outbox_empty(simgrid_of(engine));
	simgrid_run();
}

static void simgrid_stop(struct engine *engine)
{
	(void)engine;
	sg_actor_kill_all(); /* all but the one that runs */
	sg_actor_exit();
}

const struct engine_ops engine_simgrid_ops = {
	.engine_bytes = sizeof(struct simgrid),
	.actor_bytes = sizeof(struct runner),
	.open = simgrid_open,
	.close = simgrid_close,
	.run = simgrid_run_steps,
	.schedule = simgrid_schedule,
	.block = simgrid_block,
	.sleep = simgrid_sleep,
	.call = simgrid_call,
	.stop = simgrid_stop,
};
