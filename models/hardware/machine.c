/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/hardware/machine.h"

#include "models/hardware/machine_tables.h"

/* The CPU number of a thread, by the machine's numbering. */
static int number_of(const struct machine_topology *topology, const struct cpu_place *place)
{
	const int cores_per_socket = machine_topology_cores_per_socket(topology);
	const int nr_cores = cores_per_socket * (int)topology->sockets;
	const int core_in_socket = place->core - place->socket * cores_per_socket;

	switch (topology->numbering) {
	case NUMBERING_SIBLINGS_ADJACENT:
		return place->core * (int)topology->smt + place->thread;
	case NUMBERING_SOCKETS_INTERLEAVED:
		return place->thread * nr_cores + core_in_socket * (int)topology->sockets + place->socket;
	default:
		return place->thread * nr_cores + place->core;
	}
}

static int cores_of_cluster(const struct machine_topology *topology, int cluster)
{
	const int per_socket = (int)machine_topology_clusters_per_socket(topology);
	const bool one_off = cluster % per_socket >= per_socket - (int)topology->cores_off;

	return (int)topology->cores_per_cluster - (one_off ? 1 : 0);
}

static void form_clusters(struct machine *machine)
{
	int core = 0;

	for (int cluster = 0; cluster < machine->nr_clusters; cluster++) {
		const int end = core + cores_of_cluster(&machine->config.topology, cluster);

		machine->first_core[cluster] = core;
		while (core < end)
			machine->cluster_of[core++] = cluster;
	}
	machine->first_core[machine->nr_clusters] = core;
}

static void place_cpus(struct machine *machine)
{
	const struct machine_topology *topology = &machine->config.topology;

	for (int core = 0; core < machine->nr_cores; core++) {
		for (int thread = 0; thread < (int)topology->smt; thread++) {
			struct cpu_place place = { .core = core, .thread = thread };
			int cpu;

			place.cluster = machine->cluster_of[core];
			place.node = place.cluster / (int)topology->clusters_per_node;
			place.socket = place.node / (int)topology->nodes_per_socket;
			cpu = number_of(topology, &place);
			machine->places[cpu] = place;
			machine->cpu_of[core * (int)topology->smt + thread] = cpu;
		}
	}
}

/* Node to node: the matrix where there is one, else the class. */
static double route_ns(const struct machine_config *config, int node_a, int node_b)
{
	const int nr_nodes = machine_topology_nr_nodes(&config->topology);
	const int per_socket = (int)config->topology.nodes_per_socket;

	if (config->matrix_ns)
		return config->matrix_ns[node_a * nr_nodes + node_b];
	return node_a / per_socket == node_b / per_socket ? config->transfer.socket_ns : config->transfer.remote_ns;
}

static struct transfer_cost cost_of(const struct machine_config *config, double latency_ns, enum distance distance)
{
	double occupancy_ns = latency_ns * machine_occupancy_pct(&config->line, distance) / 100;

	return (struct transfer_cost){
		.latency_ps = ns_to_ps(latency_ns),
		.occupancy_ps = ns_to_ps(occupancy_ns),
		.read_occupancy_ps = ns_to_ps(occupancy_ns * config->line.read_occupancy_pct / 100),
		.snoop_ps = ns_to_ps(latency_ns * machine_snoop_pct(&config->line, distance) / 100),
		.distance = distance,
	};
}

/* The soonest that an owner can lose a line by a transaction of this cost, jitter included. */
static sim_ps snoop_floor(const struct machine_config *config, const struct transfer_cost *cost)
{
	const sim_ps snoop_ps = cost->snoop_ps - cost->snoop_ps * (sim_ps)config->line.snoop_jitter_pct / 100;

	return ps_min(snoop_ps, cost->latency_ps - cost->latency_ps * (sim_ps)config->line.jitter_pct / 100);
}

static void price_transfers(struct machine *machine)
{
	const struct machine_config *config = &machine->config;
	const int per_socket = (int)config->topology.nodes_per_socket;

	machine->core_cost = cost_of(config, config->transfer.core_ns, DISTANCE_CORE);
	machine->cluster_cost = cost_of(config, config->transfer.cluster_ns, DISTANCE_CLUSTER);
	machine->snoop_min_ps =
		ps_min(snoop_floor(config, &machine->core_cost), snoop_floor(config, &machine->cluster_cost));
	for (int a = 0; a < machine->nr_nodes; a++) {
		for (int b = 0; b < machine->nr_nodes; b++) {
			enum distance distance = a / per_socket == b / per_socket ? DISTANCE_SOCKET : DISTANCE_REMOTE;
			struct transfer_cost *cost = &machine->routes[a * machine->nr_nodes + b];

			*cost = cost_of(config, route_ns(config, a, b), distance);
			machine->snoop_min_ps = ps_min(machine->snoop_min_ps, snoop_floor(config, cost));
		}
	}
}

struct machine *machine_create(struct arena *arena, const struct machine_config *config)
{
	struct machine *machine = arena_alloc(arena, sizeof(*machine));

	machine->config = *config;
	machine->nr_cpus = (int)machine_topology_nr_cpus(&config->topology);
	machine->nr_cores = machine->nr_cpus / (int)config->topology.smt;
	machine->nr_clusters =
		(int)(config->topology.sockets * machine_topology_clusters_per_socket(&config->topology));
	machine->nr_nodes = machine_topology_nr_nodes(&config->topology);
	machine->places = arena_calloc(arena, (size_t)machine->nr_cpus, sizeof(*machine->places));
	machine->cpu_of = arena_calloc(arena, (size_t)machine->nr_cpus, sizeof(*machine->cpu_of));
	machine->first_core = arena_calloc(arena, (size_t)machine->nr_clusters + 1, sizeof(*machine->first_core));
	machine->cluster_of = arena_calloc(arena, (size_t)machine->nr_cores, sizeof(*machine->cluster_of));
	machine->routes =
		arena_calloc(arena, (size_t)(machine->nr_nodes * machine->nr_nodes), sizeof(*machine->routes));
	machine->atomic_commit_ps = ns_to_ps(config->core.atomic_hit_ns * config->line.atomic_commit_pct / 100);
	machine->load_hit_ps = ns_to_ps(config->core.load_hit_ns);
	machine->atomic_hit_ps = ns_to_ps(config->core.atomic_hit_ns);
	machine->store_hit_ps = ns_to_ps(config->core.store_hit_ns);
	machine->cmpxchg_extra_ps = ns_to_ps(config->core.cmpxchg_extra_ns);
	machine->invalidate_ps = ns_to_ps(config->line.invalidate_ns);
	machine->far_atomic_ps = ns_to_ps(config->line.far_atomic_ns);
	machine->smt_slowdown_permyriad = (int64_t)(config->core.smt_slowdown_pct * 100 + 0.5);
	form_clusters(machine);
	place_cpus(machine);
	price_transfers(machine);
	return machine;
}

const struct machine_config *machine_config_of(const struct machine *machine)
{
	return &machine->config;
}

int machine_nr_cpus(const struct machine *machine)
{
	return machine->nr_cpus;
}

int machine_nr_cores(const struct machine *machine)
{
	return machine->nr_cores;
}

int machine_nr_clusters(const struct machine *machine)
{
	return machine->nr_clusters;
}

int machine_nr_nodes(const struct machine *machine)
{
	return machine->nr_nodes;
}

int machine_first_core(const struct machine *machine, int cluster)
{
	return machine->first_core[cluster];
}

const struct cpu_place *machine_place(const struct machine *machine, int cpu)
{
	return &machine->places[cpu];
}

int machine_cpu_of(const struct machine *machine, int core, int thread)
{
	return machine->cpu_of[core * (int)machine->config.topology.smt + thread];
}

enum distance machine_distance(const struct machine *machine, int cpu_a, int cpu_b)
{
	const struct cpu_place *a = &machine->places[cpu_a];
	const struct cpu_place *b = &machine->places[cpu_b];

	if (a->core == b->core)
		return DISTANCE_CORE;
	if (a->cluster == b->cluster)
		return DISTANCE_CLUSTER;
	return a->socket == b->socket ? DISTANCE_SOCKET : DISTANCE_REMOTE;
}

void machine_placement(const struct machine *machine, enum placement placement, int *cpus, int nr)
{
	const int smt = (int)machine->config.topology.smt;

	for (int i = 0; i < nr; i++) {
		if (placement == PLACEMENT_SIBLINGS_FIRST)
			cpus[i] = machine_cpu_of(machine, i / smt, i % smt);
		else
			cpus[i] = machine_cpu_of(machine, i % machine->nr_cores, i / machine->nr_cores);
	}
}
