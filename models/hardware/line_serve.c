/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Transactions: one request after the other is picked when the ordering point
 * is free, and changes the line's state for dates in the future.
 */
#include "models/hardware/line_state.h"

static void grant(struct line *line, struct line_request *request, sim_ps date)
{
	line_queue_remove(&line->queue, request);
	if (request->posted)
		engine_call(line->engine, request->cpu->id, date, line_complete_store, request->cpu);
	else
		actor_wake(line->engine, request->cpu->actor, date);
}

/* Requests of the same core that wait too: the line is in their cache when it arrives. */
static sim_ps grant_siblings(struct line *line, const struct cpu *cpu, sim_ps arrive)
{
	struct line_request *request = line_queue_oldest(&line->queue, cpu->place->cluster);

	while (request) {
		struct line_request *next = request->next;

		if (request->cpu->place->core == cpu->place->core) {
			arrive += line->machine->core_cost.latency_ps;
			request->cpu->counters.transactions[DISTANCE_CORE]++;
			if (request->write)
				line->last_writer = request->cpu->id;
			grant(line, request, arrive);
		}
		request = next;
	}
	return arrive;
}

static void serve_write(struct line *line, struct line_request *request, const struct transfer_cost *cost)
{
	struct cpu *cpu = request->cpu;
	const sim_ps now = engine_now(line->engine);
	const int others = line->nr_copies - (line->copies[cpu->place->core].epoch == line->epoch);
	const sim_ps invalidate_ps = others > 1 ? (others - 1) * line->machine->invalidate_ps : 0;
	const sim_ps lose = ps_max(now + cost->snoop_ps, line->hold_until);
	const sim_ps start = lose - cost->snoop_ps + invalidate_ps;
	const sim_ps arrive = ps_max(lose + 1, start + cost->latency_ps - line->machine->atomic_hit_ps);

	cpu->counters.transactions[cost->distance]++;
	cpu->counters.invalidations += (uint64_t)others;
	line_new_epoch(line, cpu->place->core, lose, arrive);
	line->last_writer = cpu->id;
	line->written = request->write;
	grant(line, request, arrive);
	line->hold_until = request->write && cpu->core_shared ? grant_siblings(line, cpu, arrive) : arrive;
	line->hold_until += line->machine->atomic_hit_ps;
	line->busy_until = ps_max(start + cost->occupancy_ps, now + 1);
}

/* All waiting reads of the cluster, together. */
static void serve_reads(struct line *line, struct line_request *request, const struct transfer_cost *cost)
{
	struct cpu *cpu = request->cpu;
	const int cluster = cpu->place->cluster;
	const sim_ps now = engine_now(line->engine);
	const sim_ps lose = ps_max(now + cost->snoop_ps, line->hold_until);
	const sim_ps start = lose - cost->snoop_ps;
	const sim_ps arrive = ps_max(lose + 1, start + cost->latency_ps - line->machine->atomic_hit_ps);
	struct line_request *each = line_queue_oldest(&line->queue, cluster);

	cpu->counters.transactions[cost->distance]++;
	line->written = false;
	if (line->nr_copies == 0)
		line_new_epoch(line, NOBODY, lose, arrive);
	else if (line->owner.core != NOBODY)
		line_end_tenure(line, lose);
	while (each) {
		struct line_request *next = each->next;

		if (!each->write) {
			line_add_copy(line, each->cpu->place->core, arrive);
			grant(line, each, arrive);
		}
		each = next;
	}
	if (line->nr_copies == 1) { /* came from home: exclusive, clean */
		line->owner = (struct tenure){ .core = cpu->place->core, .from = arrive, .until = SIM_PS_MAX };
		line->last_writer = cpu->id;
	}
	line->hold_until = ps_max(line->hold_until, arrive);
	line->busy_until = ps_max(start + cost->read_occupancy_ps, now + 1);
}

/* An atomic at the home (Arm): the line goes nowhere, holders lose it. */
static void serve_far_atomic(struct line *line, struct line_request *request)
{
	struct cpu *cpu = request->cpu;
	const sim_ps now = engine_now(line->engine);
	const struct transfer_cost *cost = line_routed_cost(line, cpu->place->node);
	const bool held = line->nr_copies > 0;
	const sim_ps start = held ? ps_max(now, line->hold_until) + cost->snoop_ps : now;
	const sim_ps arrive = ps_max(now + 1, start + cost->latency_ps - line->machine->atomic_hit_ps);

	cpu->counters.transactions[cost->distance]++;
	cpu->counters.invalidations += (uint64_t)line->nr_copies;
	if (held)
		line_new_epoch(line, NOBODY, start, start);
	line->hold_until = start;
	line->busy_until = start + line->machine->far_atomic_ps;
	line->far_until = ps_max(line->far_until, arrive);
	grant(line, request, arrive);
}

/* A line that this request's core holds already, or will when a sibling's request arrives. */
static bool core_has_it(const struct line *line, const struct line_request *request)
{
	const int core = request->cpu->place->core;

	return request->write ? line->owner.core == core : line->copies[core].epoch == line->epoch;
}

static void serve_held(struct line *line, struct line_request *request)
{
	struct cpu *cpu = request->cpu;
	const struct transfer_cost *cost = &line->machine->core_cost;
	const sim_ps here = ps_max(engine_now(line->engine), line->copies[cpu->place->core].from);
	const sim_ps arrive = here + ps_max(1, cost->latency_ps - line->machine->atomic_hit_ps);

	cpu->counters.transactions[DISTANCE_CORE]++;
	if (request->write) {
		line->last_writer = cpu->id;
		line->written = true;
	}
	line->hold_until = ps_max(line->hold_until, arrive + line->machine->atomic_hit_ps);
	line->busy_until = ps_max(line->busy_until, engine_now(line->engine) + 1);
	grant(line, request, arrive);
}

static void call_when_free(struct line *line, const struct cpu *cpu, engine_fn *serve)
{
	line->serve_called = true;
	engine_call(line->engine, cpu->id, line->busy_until, serve, line);
}

/* A read that takes the line over, because the owner has written it and is likely done (migratory sharing). */
static bool migrates(const struct line *line, const struct transfer_cost *cost)
{
	const int where = line->machine->config.line.migratory_reads;

	if (!line->written || line->owner.core == NOBODY || where == MIGRATORY_NONE)
		return false;
	return where == MIGRATORY_ANY || cost->distance <= DISTANCE_CLUSTER;
}

static void serve_request(struct line *line, struct line_request *request)
{
	struct transfer_cost cost;

	if (request->far) {
		serve_far_atomic(line, request);
	} else if (core_has_it(line, request)) {
		serve_held(line, request);
	} else {
		cost = line_cost(line, request);
		if (request->write || migrates(line, &cost))
			serve_write(line, request, &cost);
		else
			serve_reads(line, request, &cost);
	}
}

static void serve(void *arg)
{
	struct line *line = arg;
	struct line_request *request = line_queue_pick(&line->queue, line->copies_cluster);
	const struct cpu *cpu;

	line->serve_called = false;
	if (!request)
		return;
	cpu = request->cpu;
	serve_request(line, request);
	if (line->queue.nr_clusters_waiting)
		call_when_free(line, cpu, serve);
}

/* A request was queued: it may be served now, or at the end of the transaction in progress. */
static void begin_serving(struct line *line, const struct cpu *cpu)
{
	if (line->serve_called)
		return;
	if (line->busy_until <= cpu->date)
		serve(line);
	else
		call_when_free(line, cpu, serve);
}

void line_wait(struct cpu *cpu, struct line *line, enum line_want want)
{
	const sim_ps asked = cpu->date;

	line_queue_add(&line->queue, cpu, line, want != WANT_COPY);
	cpu->request.far = want == WANT_ATOMIC && line->machine->config.line.far_atomics;
	begin_serving(line, cpu);
	cpu_park(cpu, line->name);
	cpu->counters.line_wait_ps += cpu->date - asked;
}

void line_post_request(struct cpu *cpu, struct line *line)
{
	struct line_request *request = &cpu->store.request;

	*request = (struct line_request){ .cpu = cpu, .line = line, .write = true, .posted = true };
	line_queue_append(&line->queue, request);
	begin_serving(line, cpu);
}
