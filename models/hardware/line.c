/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * State of a line. Copies are valid by epoch: a write request starts a new
 * epoch, which invalidates every older copy at once, whatever their number.
 *
 *	home -> exclusive        any access of a line that nobody holds
 *	exclusive -> exclusive   write request of another core: new epoch
 *	exclusive -> shared      read by another core: the owner keeps a copy
 *	shared -> shared         read by a further core
 *	shared -> exclusive      write request: all other copies invalidated, new epoch
 *
 * State changes when a transaction is served, for dates in the future: the old
 * holders' rights end at `lose`, the new holder's begin at `arrive`. Since
 * occupancy >= snoop, at most one older epoch still has rights at any date.
 */
#include "models/hardware/line.h"

#include <assert.h>
#include <string.h>

#include "models/hardware/line_queue.h"
#include "models/hardware/machine_tables.h"
#include "sim/util/rng.h"

#define NOBODY (-1)
#define SEVERAL (-2)
#define LINE_RNG_STREAM (UINT64_C(1) << 32) /* apart from the streams of the CPUs */

struct copy {
	sim_ps from; /* when it arrives */
	uint32_t epoch;
};

/* The right to write: one core, from one date until another. */
struct tenure {
	int core; /* NOBODY when the line is shared or at home */
	sim_ps from, until;
};

struct line {
	const struct machine *machine;
	struct engine *engine;
	const char *name;
	uint64_t words[LINE_WORDS];
	int home_node;

	uint32_t epoch;
	struct copy *copies; /* by core */
	struct copy *cluster_copies; /* by cluster: its first copy */
	sim_ps old_copies_until; /* until when copies of epoch - 1 may be read */
	struct tenure owner, old_owner;
	int last_writer; /* CPU: a sibling's next write costs a transfer inside the core */
	bool written; /* by the owner: an exclusive copy that was only read does not migrate */

	int nr_copies; /* of this epoch */
	int copies_cluster; /* the one cluster that has them, or SEVERAL */
	uint64_t copies_nodes; /* mask */

	sim_ps hold_until; /* an atomic in progress at the holder */
	sim_ps busy_until; /* the ordering point */
	sim_ps far_until; /* when the last far atomic so far takes effect */
	bool serve_called; /* a call to serve is pending */
	struct rng rng; /* of the jitter */
	struct line_queue queue;
};

struct line *line_create(struct arena *arena, const struct machine *machine, struct engine *engine, const char *name,
			 int home_node, uint64_t seed)
{
	struct line *line = arena_alloc(arena, sizeof(*line));

	line->machine = machine;
	line->engine = engine;
	line->name = name;
	line->home_node = home_node;
	line->rng = rng_stream(seed, LINE_RNG_STREAM);
	line->epoch = 1; /* copies start at epoch 0: none is valid */
	line->old_copies_until = -1;
	line->copies = arena_calloc(arena, (size_t)machine->nr_cores, sizeof(*line->copies));
	line->cluster_copies = arena_calloc(arena, (size_t)machine->nr_clusters, sizeof(*line->cluster_copies));
	line->owner.core = NOBODY;
	line->old_owner.core = NOBODY;
	line->last_writer = NOBODY;
	line->copies_cluster = NOBODY;
	line_queue_init(&line->queue, arena, machine, seed);
	return line;
}

/* ---- who may access now ---- */

static bool tenure_covers(const struct tenure *tenure, int core, sim_ps start, sim_ps commit)
{
	return tenure->core == core && tenure->from <= start && start + commit < tenure->until;
}

static bool may_write(const struct line *line, int core, sim_ps start)
{
	const sim_ps commit = line->machine->atomic_commit_ps;

	return tenure_covers(&line->owner, core, start, commit) || tenure_covers(&line->old_owner, core, start, commit);
}

static bool may_read(const struct line *line, int core, sim_ps start)
{
	const struct copy *copy = &line->copies[core];

	if (copy->epoch == line->epoch)
		return copy->from <= start;
	return copy->epoch == line->epoch - 1 && start < line->old_copies_until;
}

/* A copy in the same cluster serves a read without a transaction, unless the line is exclusive. */
static bool cluster_may_read(const struct line *line, int cluster, sim_ps start)
{
	const struct copy *copy = &line->cluster_copies[cluster];

	return line->owner.core == NOBODY && copy->epoch == line->epoch && copy->from <= start;
}

/*
 * Until which date the holder's accesses surely hit, whatever others do from now on: a request served later than now
 * takes the line no sooner than snoop_min from now.
 */
static sim_ps safe_until(const struct line *line, int core)
{
	const sim_ps now = engine_now(line->engine);
	const sim_ps horizon = now + line->machine->snoop_min_ps;

	if (line->far_until > now) /* an atomic at the home takes effect between */
		return now;
	if (line->owner.core == core)
		return ps_min(line->owner.until, horizon);
	if (line->old_owner.core == core)
		return line->old_owner.until;
	return horizon;
}

/* ---- bookkeeping of copies ---- */

static void add_copy(struct line *line, int core, sim_ps from)
{
	const int cluster = core / (int)line->machine->config.topology.cores_per_cluster;
	const int node = cluster / (int)line->machine->config.topology.clusters_per_node;
	struct copy *first = &line->cluster_copies[cluster];

	if (line->copies[core].epoch == line->epoch)
		return;
	line->copies[core] = (struct copy){ .epoch = line->epoch, .from = from };
	if (first->epoch != line->epoch)
		*first = (struct copy){ .epoch = line->epoch, .from = from };
	line->copies_cluster = line->nr_copies == 0 || line->copies_cluster == cluster ? cluster : SEVERAL;
	line->copies_nodes |= UINT64_C(1) << node;
	line->nr_copies++;
}

static void end_tenure(struct line *line, sim_ps lose)
{
	line->old_owner = line->owner;
	line->old_owner.until = ps_min(line->owner.until, lose);
	line->owner.core = NOBODY;
}

/* Invalidate every copy at `lose`; `core` (or NOBODY) owns the line from `arrive`. */
static void new_epoch(struct line *line, int core, sim_ps lose, sim_ps arrive)
{
	end_tenure(line, lose);
	line->old_copies_until = lose;
	line->epoch++;
	line->nr_copies = 0;
	line->copies_cluster = NOBODY;
	line->copies_nodes = 0;
	if (core == NOBODY)
		return;
	line->owner = (struct tenure){ .core = core, .from = arrive, .until = SIM_PS_MAX };
	add_copy(line, core, arrive);
}

/* ---- price of a transaction ---- */

static const struct transfer_cost *route(const struct line *line, int node_a, int node_b)
{
	return &line->machine->routes[node_a * line->machine->nr_nodes + node_b];
}

static const struct transfer_cost *longer(const struct transfer_cost *a, const struct transfer_cost *b)
{
	return b->latency_ps > a->latency_ps ? b : a;
}

/* The longest leg of a transaction that goes through the home node. */
static const struct transfer_cost *routed_cost(const struct line *line, int node)
{
	const bool via_home = line->machine->config.line.home_routed || line->nr_copies == 0;
	const struct transfer_cost *cost = route(line, node, via_home ? line->home_node : node);

	for (uint64_t nodes = line->copies_nodes; nodes; nodes &= nodes - 1) {
		const int holder = __builtin_ctzll(nodes);

		cost = longer(cost, route(line, node, holder));
		if (via_home)
			cost = longer(cost, route(line, line->home_node, holder));
	}
	return cost;
}

static const struct transfer_cost *class_of(const struct line *line, const struct line_request *request)
{
	const struct cpu_place *place = request->cpu->place;
	const bool alone = line->nr_copies > 0 && line->copies_cluster == place->cluster &&
			   !line_queue_other_cluster_waits(&line->queue, place->cluster);

	if (alone)
		return &line->machine->cluster_cost;
	return routed_cost(line, place->node);
}

/* value +- pct percent, uniform. */
static sim_ps jittered(struct line *line, sim_ps value, uint32_t pct)
{
	const sim_ps spread = value * (sim_ps)pct / 100;

	return value + rng_between(&line->rng, -spread, spread);
}

/* The cost of one transaction: its class, with jitter. */
static struct transfer_cost cost_of(struct line *line, const struct line_request *request)
{
	const struct machine_line *config = &line->machine->config.line;
	struct transfer_cost cost = *class_of(line, request);
	const sim_ps latency_ps = jittered(line, cost.latency_ps, config->jitter_pct);
	const sim_ps more = latency_ps - cost.latency_ps;

	cost.snoop_ps = ps_min(jittered(line, cost.snoop_ps, config->snoop_jitter_pct), latency_ps);
	cost.latency_ps = latency_ps;
	cost.occupancy_ps = ps_max(cost.snoop_ps, cost.occupancy_ps + more);
	cost.read_occupancy_ps = ps_max(cost.snoop_ps, cost.read_occupancy_ps + more);
	return cost;
}

/* ---- serving ---- */

static void grant(struct line *line, struct line_request *request, sim_ps date)
{
	line_queue_remove(&line->queue, request);
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
	new_epoch(line, cpu->place->core, lose, arrive);
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
		new_epoch(line, NOBODY, lose, arrive);
	else if (line->owner.core != NOBODY)
		end_tenure(line, lose);
	while (each) {
		struct line_request *next = each->next;

		if (!each->write) {
			add_copy(line, each->cpu->place->core, arrive);
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
	const struct transfer_cost *cost = routed_cost(line, cpu->place->node);
	const bool held = line->nr_copies > 0;
	const sim_ps start = held ? ps_max(now, line->hold_until) + cost->snoop_ps : now;
	const sim_ps arrive = ps_max(now + 1, start + cost->latency_ps - line->machine->atomic_hit_ps);

	cpu->counters.transactions[cost->distance]++;
	cpu->counters.invalidations += (uint64_t)line->nr_copies;
	if (held)
		new_epoch(line, NOBODY, start, start);
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

	if (request->write && line->machine->config.line.far_atomics) {
		serve_far_atomic(line, request);
	} else if (core_has_it(line, request)) {
		serve_held(line, request);
	} else {
		cost = cost_of(line, request);
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

/* Queue up and block until the line is here. */
static void wait_for_line(struct cpu *cpu, struct line *line, bool write)
{
	const sim_ps asked = cpu->date;

	line_queue_add(&line->queue, cpu, line, write);
	if (!line->serve_called) {
		if (line->busy_until <= asked)
			serve(line);
		else
			call_when_free(line, cpu, serve);
	}
	cpu_park(cpu, line->name);
	cpu->counters.line_wait_ps += cpu->date - asked;
}

/* ---- the accesses ---- */

/* SMT siblings take turns: the next one waits for this write to end. */
static void share_core(struct line *line, struct cpu *cpu, sim_ps end)
{
	cpu->counters.transactions[DISTANCE_CORE] += line->last_writer != cpu->id;
	line->last_writer = cpu->id;
	line->hold_until = ps_max(line->hold_until, end);
}

static void acquire_for_write(struct cpu *cpu, struct line *line, sim_ps own_hit_ps)
{
	const int core = cpu->place->core;
	sim_ps start = cpu->date;
	sim_ps hit_ps = own_hit_ps;

	if (cpu->core_shared || start + line->machine->atomic_commit_ps >= safe_until(line, core))
		cpu_sync(cpu);
	if (cpu->core_shared &&
	    line->last_writer != cpu->id) { /* a sibling wrote: after it, and a transfer in the core */
		start = ps_max(start, line->hold_until);
		hit_ps = ps_max(hit_ps, line->machine->core_cost.latency_ps);
	}
	if (!may_write(line, core, start)) {
		cpu_sync(cpu);
		wait_for_line(cpu, line, true);
		cpu_work(cpu, own_hit_ps);
		return;
	}
	if (cpu->core_shared) {
		share_core(line, cpu, start + hit_ps);
		cpu->counters.line_wait_ps += start - cpu->date;
		cpu_work(cpu, start - cpu->date);
		cpu_sync(cpu); /* the sibling's write comes first, and the line may still be on its way */
	}
	line->written = true;
	cpu_work(cpu, hit_ps);
}

/* The former owner of a line that is now shared may write until the snoop reaches it; a copy of its copy waits for that. */
static void wait_for_old_owner(struct cpu *cpu, const struct line *line)
{
	const sim_ps wait_ps = line->old_owner.core == NOBODY ? 0 : line->old_owner.until - cpu->date;

	if (wait_ps <= 0)
		return;
	cpu->counters.line_wait_ps += wait_ps;
	cpu_work(cpu, wait_ps);
	cpu_sync(cpu);
}

uint64_t line_read(struct cpu *cpu, struct line *line, int word)
{
	const struct machine *machine = line->machine;
	const int core = cpu->place->core;
	uint64_t value;

	if (cpu->core_shared || cpu->date >= safe_until(line, core))
		cpu_sync(cpu);
	if (!may_read(line, core, cpu->date)) {
		cpu_sync(cpu);
		if (cluster_may_read(line, cpu->place->cluster, cpu->date))
			wait_for_old_owner(cpu, line);
		if (cluster_may_read(line, cpu->place->cluster, cpu->date)) {
			const sim_ps latency = machine->cluster_cost.latency_ps - machine->atomic_hit_ps;

			value = line->words[word];
			add_copy(line, core, cpu->date + latency);
			cpu->counters.line_wait_ps += latency;
			cpu_work(cpu, latency + machine->load_hit_ps);
			return value;
		}
		wait_for_line(cpu, line, false);
	}
	value = line->words[word];
	cpu_work(cpu, machine->load_hit_ps);
	return value;
}

void line_write(struct cpu *cpu, struct line *line, int word, uint64_t value)
{
	acquire_for_write(cpu, line, line->machine->store_hit_ps);
	line->words[word] = value;
}

uint64_t line_fetch_add(struct cpu *cpu, struct line *line, int word, uint64_t delta)
{
	uint64_t old;

	acquire_for_write(cpu, line, line->machine->atomic_hit_ps);
	old = line->words[word];
	line->words[word] = old + delta;
	return old;
}

uint64_t line_fetch_or(struct cpu *cpu, struct line *line, int word, uint64_t bits)
{
	uint64_t old;

	acquire_for_write(cpu, line, line->machine->atomic_hit_ps);
	old = line->words[word];
	line->words[word] = old | bits;
	return old;
}

uint64_t line_fetch_xor(struct cpu *cpu, struct line *line, int word, uint64_t bits)
{
	uint64_t old;

	acquire_for_write(cpu, line, line->machine->atomic_hit_ps);
	old = line->words[word];
	line->words[word] = old ^ bits;
	return old;
}

uint64_t line_fetch_and(struct cpu *cpu, struct line *line, int word, uint64_t bits)
{
	uint64_t old;

	acquire_for_write(cpu, line, line->machine->atomic_hit_ps);
	old = line->words[word];
	line->words[word] = old & bits;
	return old;
}

uint64_t line_swap(struct cpu *cpu, struct line *line, int word, uint64_t value)
{
	uint64_t old;

	acquire_for_write(cpu, line, line->machine->atomic_hit_ps);
	old = line->words[word];
	line->words[word] = value;
	return old;
}

bool line_cas(struct cpu *cpu, struct line *line, int word, uint64_t *expected, uint64_t desired)
{
	const struct machine *machine = line->machine;
	bool won;

	acquire_for_write(cpu, line, machine->atomic_hit_ps + machine->cmpxchg_extra_ps);
	won = line->words[word] == *expected;
	if (won)
		line->words[word] = desired;
	else
		*expected = line->words[word];
	cpu->counters.cas_failures += !won;
	return won;
}

void line_poke(struct line *line, int word, uint64_t value)
{
	line->words[word] = value;
}

uint64_t line_peek(const struct line *line, int word)
{
	return line->words[word];
}

bool line_held_for_read(const struct line *line, int core)
{
	return may_read(line, core, engine_now(line->engine));
}

bool line_held_for_write(const struct line *line, int core)
{
	return may_write(line, core, engine_now(line->engine));
}

int line_nr_holders(const struct line *line)
{
	int nr = 0;

	for (int core = 0; core < line->machine->nr_cores; core++)
		nr += line_held_for_read(line, core);
	return nr;
}
