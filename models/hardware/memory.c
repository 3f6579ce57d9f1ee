/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/hardware/memory.h"

#include <assert.h>
#include <stdbool.h>

#include "models/hardware/machine_tables.h"

#define LINE_BYTES 64
#define COUNTER_BITS 48 /* of a stamp */

#define NR_STREAMS 32 /* that a core's prefetcher follows */
#define STREAM_SHIFT 6 /* lines of 4 KiB */
#define STREAM_LINES (UINT64_C(1) << STREAM_SHIFT)
#define STREAM_AHEAD 20 /* lines beyond the one that is touched */
#define STREAM_DEGREE 2 /* lines per touch */
/* After so many other lines, in streams themselves, the prefetcher has forgotten one */
#define STREAM_AGE (NR_STREAMS * STREAM_LINES)

static_assert(sizeof(struct memory_stamp) == 8, "a struct page has one");

/* 4 KiB of consecutive lines that the prefetchers follow. */
struct stream {
	uint64_t region_plus_1;
	uint64_t seen; /* its lines, a bit each: touched or prefetched */
	uint64_t waiting; /* ... prefetched, and not touched since */
	uint64_t last_lines; /* the core's lines at its last touch */
	int last; /* which of its lines that was */
};

struct memory_core {
	uint64_t lines; /* that came to its L1 so far */
	int cluster, node;
	const struct memory_stamp *in_flight; /* the latest line that an access did not wait for */
	sim_ps in_flight_ps; /* how long it is still on its way, for who waits now */
	struct stream streams[NR_STREAMS];
};

struct memory_cluster {
	uint64_t nr_active; /* cores that touched anything */
	uint64_t cached_lines; /* how many of a core's lines its caches hold, L3 share included */
};

struct memory {
	const struct machine *machine;
	struct memory_core *cores;
	struct memory_cluster *clusters;
	uint64_t l1_lines, l2_lines, l3_lines;
	sim_ps l1_ps, store_ps, l2_ps, l3_ps, stream_ps, local_ps, remote_ps;
	sim_ps cluster_ps; /* from another core's own caches */
	sim_ps atomic_ps; /* what a transfer includes beyond a load */
	uint64_t counts[NR_MEMORY_PLACES];
};

/* Where a line was found, and for how much. In this order it is returned in two registers: 16 bytes, no more. */
struct finding {
	sim_ps price_ps;
	enum memory_place place;
	bool in_l1;
};

static_assert(sizeof(struct finding) == 16, "on the path of every page");

struct memory *memory_create(struct arena *arena, const struct machine *machine)
{
	struct memory *memory = arena_alloc(arena, sizeof(*memory));
	const struct machine_config *config = &machine->config;

	memory->machine = machine;
	memory->cores = arena_calloc(arena, (size_t)machine->nr_cores, sizeof(*memory->cores));
	for (int core = 0; core < machine->nr_cores; core++) {
		const struct cpu_place *place = machine_place(machine, machine_cpu_of(machine, core, 0));

		memory->cores[core].cluster = place->cluster;
		memory->cores[core].node = place->node;
	}
	memory->clusters = arena_calloc(arena, (size_t)machine->nr_clusters, sizeof(*memory->clusters));
	memory->l1_lines = config->cache.l1_bytes / LINE_BYTES;
	memory->l2_lines = config->cache.l2_bytes / LINE_BYTES;
	memory->l3_lines = config->cache.l3_bytes / LINE_BYTES;
	memory->l1_ps = machine->load_hit_ps;
	memory->store_ps = machine->store_hit_ps;
	memory->l2_ps = ns_to_ps(config->cache.l2_hit_ns);
	memory->l3_ps = ns_to_ps(config->cache.l3_hit_ns);
	memory->stream_ps = ns_to_ps(config->memory.stream_ns);
	memory->local_ps = ns_to_ps(config->memory.local_ns);
	memory->remote_ps = ns_to_ps(config->memory.remote_ns);
	memory->atomic_ps = machine->atomic_hit_ps - machine->load_hit_ps;
	memory->cluster_ps = machine->cluster_cost.latency_ps - memory->atomic_ps;
	return memory;
}

/* The core's first line: its cluster's L3 is shared by one more. */
static void activate(struct memory *memory, const struct cpu_place *place)
{
	struct memory_cluster *cluster = &memory->clusters[place->cluster];

	cluster->nr_active++;
	cluster->cached_lines = memory->l2_lines + memory->l3_lines / cluster->nr_active;
}

/* How many lines have come to the stamp's core since. */
static uint64_t age_of(const struct memory_core *core, const struct memory_stamp *stamp)
{
	const uint64_t then = (uint64_t)stamp->lines_high << 32 | stamp->lines;

	return (core->lines - then) & ((UINT64_C(1) << COUNTER_BITS) - 1);
}

/* The line becomes the latest that came to the core. */
static void stamp_it(const struct memory_core *core, int number, struct memory_stamp *stamp)
{
	stamp->lines = (uint32_t)core->lines;
	stamp->lines_high = (uint16_t)(core->lines >> 32);
	stamp->core_plus_1 = (uint16_t)(number + 1);
}

static struct finding in_dram(const struct memory *memory, const struct cpu_place *place, int node)
{
	const int per_socket = (int)memory->machine->config.topology.nodes_per_socket;

	if (node / per_socket == place->socket)
		return (struct finding){ .place = MEMORY_DRAM_LOCAL, .price_ps = memory->local_ps };
	return (struct finding){ .place = MEMORY_DRAM_REMOTE, .price_ps = memory->remote_ps };
}

/* From the caches of a cluster on `holder`: by the longest leg when transfers go through the home. */
static struct finding in_other_cluster(const struct memory *memory, const struct cpu_place *place, int holder, int home)
{
	const struct machine *machine = memory->machine;
	const struct transfer_cost *routes = machine->routes;
	const int per_socket = (int)machine->config.topology.nodes_per_socket;
	sim_ps latency_ps = routes[place->node * machine->nr_nodes + holder].latency_ps;

	if (machine->config.line.home_routed) {
		latency_ps = ps_max(latency_ps, routes[place->node * machine->nr_nodes + home].latency_ps);
		latency_ps = ps_max(latency_ps, routes[home * machine->nr_nodes + holder].latency_ps);
	}
	return (struct finding){ .place = holder / per_socket == place->socket ? MEMORY_SOCKET : MEMORY_REMOTE,
				 .price_ps = latency_ps - memory->atomic_ps };
}

static struct finding find(const struct memory *memory, const struct cpu_place *place, const struct memory_stamp *stamp,
			   int node)
{
	const int number = stamp->core_plus_1 - 1;
	const struct memory_core *holder = &memory->cores[number < 0 ? place->core : number];
	const uint64_t age = age_of(holder, stamp);

	if (number == place->core && age < memory->l1_lines)
		return (struct finding){ .place = MEMORY_CORE, .price_ps = memory->l1_ps, .in_l1 = true };
	if (number == place->core && age < memory->l2_lines)
		return (struct finding){ .place = MEMORY_CORE, .price_ps = memory->l2_ps };
	if (number < 0 || age >= memory->clusters[holder->cluster].cached_lines)
		return in_dram(memory, place, node);
	if (holder->cluster != place->cluster)
		return in_other_cluster(memory, place, holder->node, node);
	return (struct finding){ .place = MEMORY_CLUSTER,
				 .price_ps = age < memory->l2_lines ? memory->cluster_ps : memory->l3_ps };
}

/* The first lines of `wanted` in the direction of a stream, at most so many. */
static uint64_t next_lines(uint64_t wanted, bool upwards, int nr)
{
	uint64_t lines = 0;

	for (; wanted && nr > 0; nr--) {
		const int next = upwards ? __builtin_ctzll(wanted) : 63 - __builtin_clzll(wanted);

		lines |= UINT64_C(1) << next;
		wanted &= ~lines;
	}
	return lines;
}

/* The lines at most STREAM_AHEAD beyond one. */
static uint64_t window(int line, bool upwards)
{
	const uint64_t width = (UINT64_C(1) << STREAM_AHEAD) - 1;

	if (upwards)
		return line < 63 ? width << (line + 1) : 0;
	return line > STREAM_AHEAD ? width << (line - STREAM_AHEAD) : (UINT64_C(1) << line) - 1;
}

/* The core's prefetchers see an access; had they fetched the line? */
static bool prefetched(struct memory_core *core, int node, uint64_t address)
{
	const uint64_t region_plus_1 = ((uint64_t)node << COUNTER_BITS | address >> STREAM_SHIFT) + 1;
	const int line = (int)(address & (STREAM_LINES - 1));
	struct stream *stream = &core->streams[region_plus_1 % NR_STREAMS];
	const bool forgotten = stream->region_plus_1 != region_plus_1 || core->lines - stream->last_lines > STREAM_AGE;
	const bool upwards = line > stream->last;
	uint64_t next = UINT64_C(3) << (line & ~1); /* the spatial prefetcher: pairs of lines */
	bool hit;

	if (forgotten)
		*stream = (struct stream){ .region_plus_1 = region_plus_1 };
	else
		next |= next_lines(window(line, upwards) & ~stream->seen, upwards, STREAM_DEGREE);
	hit = stream->waiting >> line & 1;
	stream->waiting = (stream->waiting | (next & ~stream->seen)) & ~(UINT64_C(1) << line);
	stream->seen |= next;
	stream->last = line;
	stream->last_lines = core->lines;
	return hit;
}

/* The CPU brings a line into its L1. */
static struct finding fetch(struct memory *memory, const struct cpu *cpu, struct memory_stamp *stamp, int node,
			    uint64_t address)
{
	const struct cpu_place *place = cpu->place;
	struct memory_core *core = &memory->cores[place->core];
	struct finding found = find(memory, place, stamp, node);

	if (core->lines == 0)
		activate(memory, place);
	core->lines += !found.in_l1;
	if (!found.in_l1 && address != MEMORY_ALONE && prefetched(core, node, address) &&
	    found.price_ps > memory->stream_ps)
		found = (struct finding){ .place = MEMORY_PREFETCHED, .price_ps = memory->stream_ps };
	stamp_it(core, place->core, stamp);
	memory->counts[found.place]++;
	return found;
}

sim_ps memory_touch(struct memory *memory, const struct cpu *cpu, struct memory_stamp *stamp, int node,
		    uint64_t address)
{
	struct memory_core *core = &memory->cores[cpu->place->core];
	const sim_ps price_ps = fetch(memory, cpu, stamp, node, address).price_ps;

	if (core->in_flight != stamp)
		return price_ps;
	core->in_flight = NULL;
	return price_ps + core->in_flight_ps;
}

sim_ps memory_overlap(struct memory *memory, const struct cpu *cpu, struct memory_stamp *stamp, int node,
		      uint64_t address)
{
	struct memory_core *core = &memory->cores[cpu->place->core];
	const struct finding found = fetch(memory, cpu, stamp, node, address);
	const sim_ps price_ps = found.in_l1 ? memory->store_ps : ps_min(found.price_ps, memory->stream_ps);

	if (!found.in_l1) {
		core->in_flight = stamp;
		core->in_flight_ps = found.price_ps - price_ps;
	}
	return price_ps;
}

void memory_pass(struct memory *memory, const struct cpu *cpu, uint32_t lines)
{
	struct memory_core *core = &memory->cores[cpu->place->core];

	if (core->lines == 0 && lines > 0)
		activate(memory, cpu->place);
	core->lines += lines;
}

const uint64_t *memory_counts(const struct memory *memory)
{
	return memory->counts;
}
