/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/hardware/machine.h"

#include <math.h>

#include "models/hardware/machine_tables.h"

const char *const distance_names[NR_DISTANCES] = { "core", "cluster", "socket", "remote" };

static const char *const numbering_names[] = { "siblings-last", "siblings-adjacent", "sockets-interleaved", NULL };
static const char *const migratory_names[] = { "none", "cluster", "any", NULL };
static const char *const arbitration_names[] = { "cluster-turns", "fifo", "nearest", "newest", "random", NULL };

/* clang-format off */
static const struct param topology_params[] = {
	PARAM_REQUIRED(struct machine_topology, sockets, "", 1, 64, "sockets"),
	PARAM(struct machine_topology, nodes_per_socket, "", 1, 1, 16, "NUMA nodes per socket (NPS, SNC, Cluster-on-Die)"),
	PARAM(struct machine_topology, clusters_per_node, "", 1, 1, 256, "L3 clusters (CCX) per NUMA node"),
	PARAM_REQUIRED(struct machine_topology, cores_per_cluster, "", 1, 1024, "cores that share one L3"),
	PARAM(struct machine_topology, smt, "", 1, 1, 8, "hardware threads per core"),
	PARAM_ONE_OF(struct machine_topology, numbering, numbering_names, NUMBERING_SIBLINGS_LAST, "which CPU numbers Linux gives"),
	PARAM(struct machine_topology, cores_off, "", 0, 0, 4096, "cores of each socket that are switched off, one in each of its last clusters"),
	PARAM_END,
};

static const struct param transfer_params[] = {
	PARAM(struct machine_transfer, core_ns, "ns", 10, 0.5, 1e5, "ownership transfer between SMT siblings"),
	PARAM_REQUIRED(struct machine_transfer, cluster_ns, "ns", 1, 1e5, "between cores of one L3 cluster"),
	PARAM_REQUIRED(struct machine_transfer, socket_ns, "ns", 1, 1e5, "between clusters of one socket"),
	PARAM_REQUIRED(struct machine_transfer, remote_ns, "ns", 1, 1e5, "between sockets"),
	PARAM_END,
};

static const struct param line_params[] = {
	PARAM(struct machine_line, occupancy_core_pct, "pct", 100, 1, 1000, "time the line is busy with a transfer between siblings, of its latency"),
	PARAM(struct machine_line, occupancy_cluster_pct, "pct", 100, 1, 1000, "the same inside a cluster"),
	PARAM(struct machine_line, occupancy_socket_pct, "pct", 100, 1, 1000, "the same inside a socket"),
	PARAM(struct machine_line, occupancy_remote_pct, "pct", 100, 1, 1000, "the same between sockets"),
	PARAM(struct machine_line, read_occupancy_pct, "pct", 100, 1, 1000, "occupancy of a read, of the above"),
	PARAM(struct machine_line, snoop_cluster_pct, "pct", 10, 0, 99, "share of the latency after which the owner loses the line, inside a cluster"),
	PARAM(struct machine_line, snoop_socket_pct, "pct", 25, 0, 99, "the same inside a socket"),
	PARAM(struct machine_line, snoop_remote_pct, "pct", 25, 0, 99, "the same between sockets"),
	PARAM(struct machine_line, jitter_pct, "pct", 10, 0, 50, "spread of a transaction's latency, uniform"),
	PARAM(struct machine_line, snoop_jitter_pct, "pct", 50, 0, 100, "spread of these shares, uniform"),
	PARAM(struct machine_line, atomic_commit_pct, "pct", 0, 0, 100, "share of an atomic for which a line about to leave must stay, or the atomic waits for it again"),
	PARAM_ONE_OF(struct machine_line, migratory_reads, migratory_names, MIGRATORY_NONE, "where a read of an exclusive line takes it over instead of sharing it"),
	PARAM(struct machine_line, invalidate_ns, "ns", 0, 0, 1e4, "added per sharer beyond the first that a transfer invalidates"),
	PARAM_ONE_OF(struct machine_line, arbitration, arbitration_names, ARBITRATION_CLUSTER_TURNS, "order in which waiting requests are served"),
	PARAM(struct machine_line, cluster_turn, "", 1, 1, 1e6, "writes that a cluster may do per turn"),
	PARAM(struct machine_line, home_routed, "", 1, 0, 1, "transfers go through the home node once two clusters want the line"),
	PARAM(struct machine_line, far_atomics, "", 0, 0, 1, "atomics execute at the home and move no line (Arm LSE STADD)"),
	PARAM(struct machine_line, far_atomic_ns, "ns", 10, 0.5, 1e4, "how long the home is busy with one of them"),
	PARAM_END,
};

static const struct param core_params[] = {
	PARAM(struct machine_core, load_hit_ns, "ns", 1, 0.001, 1e3, "load of a line that this core holds"),
	PARAM_REQUIRED(struct machine_core, atomic_hit_ns, "ns", 0.001, 1e3, "locked read-modify-write of a line that this core owns"),
	PARAM(struct machine_core, store_hit_ns, "ns", 1, 0.001, 1e3, "store to a line that this core owns"),
	PARAM(struct machine_core, cmpxchg_extra_ns, "ns", 0, 0, 1e3, "compare-and-swap beyond atomic_hit_ns"),
	PARAM(struct machine_core, base_clock, "Hz", 0, 0, 1e11, "base clock; informative"),
	PARAM(struct machine_core, smt_slowdown_pct, "pct", 0, 0, 900, "private work takes this much longer while the sibling has work"),
	PARAM_END,
};

static const struct param cache_params[] = {
	PARAM_AS("l1", struct machine_cache, l1_bytes, "bytes", 32 << 10, 1 << 10, 1 << 30, "first-level data cache of a core"),
	PARAM_AS("l2", struct machine_cache, l2_bytes, "bytes", 1 << 20, 1 << 10, 1 << 30, "second-level cache of a core"),
	PARAM_AS("l3", struct machine_cache, l3_bytes, "bytes", 32 << 20, 0, 1e12, "last-level cache of a cluster"),
	PARAM(struct machine_cache, l2_hit_ns, "ns", 4, 0.1, 1e3, "load from the core's second-level cache"),
	PARAM(struct machine_cache, l3_hit_ns, "ns", 15, 0.1, 1e4, "load from the cluster's last-level cache"),
	PARAM_END,
};

static const struct param memory_params[] = {
	PARAM(struct machine_memory, per_node, "bytes", 0, 0, 1e16, "memory of one NUMA node"),
	PARAM(struct machine_memory, local_ns, "ns", 100, 1, 1e5, "load from the node's own memory"),
	PARAM(struct machine_memory, remote_ns, "ns", 150, 1, 1e5, "load from another socket's memory"),
	PARAM(struct machine_memory, stream_ns, "ns", 8, 0.1, 1e4, "load of the next line of a stream, which was prefetched"),
	PARAM_END,
};

const struct param_section machine_sections[] = {
	{ "topology", topology_params, offsetof(struct machine_config, topology) },
	{ "transfer", transfer_params, offsetof(struct machine_config, transfer) },
	{ "line", line_params, offsetof(struct machine_config, line) },
	{ "core", core_params, offsetof(struct machine_config, core) },
	{ "cache", cache_params, offsetof(struct machine_config, cache) },
	{ "memory", memory_params, offsetof(struct machine_config, memory) },
	{ NULL, NULL, 0 },
};
/* clang-format on */

static uint64_t clusters_per_socket(const struct machine_topology *topology)
{
	return (uint64_t)topology->nodes_per_socket * topology->clusters_per_node;
}

static uint64_t nr_cpus_of(const struct machine_topology *topology)
{
	return topology->sockets * topology->smt *
	       (clusters_per_socket(topology) * topology->cores_per_cluster - topology->cores_off);
}

int machine_topology_cores_per_socket(const struct machine_topology *topology)
{
	return (int)(clusters_per_socket(topology) * topology->cores_per_cluster - topology->cores_off);
}

int machine_topology_nr_nodes(const struct machine_topology *topology)
{
	return (int)(topology->sockets * topology->nodes_per_socket);
}

static double occupancy_pct(const struct machine_line *line, enum distance distance)
{
	const double pct[NR_DISTANCES] = { line->occupancy_core_pct, line->occupancy_cluster_pct,
					   line->occupancy_socket_pct, line->occupancy_remote_pct };

	return pct[distance];
}

static double snoop_pct(const struct machine_line *line, enum distance distance)
{
	const double pct[NR_DISTANCES] = { line->snoop_cluster_pct, line->snoop_cluster_pct, line->snoop_socket_pct,
					   line->snoop_remote_pct };

	return pct[distance];
}

/* A transfer includes the atomic that asked for it. */
static int check_latencies(const struct machine_config *config, struct error *err)
{
	const struct machine_transfer *transfer = &config->transfer;
	const double class_ns[NR_DISTANCES] = { transfer->core_ns, transfer->cluster_ns, transfer->socket_ns,
						transfer->remote_ns };
	const double atomic_ns = config->core.atomic_hit_ns;
	const int nr_nodes = machine_topology_nr_nodes(&config->topology);

	for (int distance = 0; distance < NR_DISTANCES; distance++)
		if (class_ns[distance] < atomic_ns)
			return error_plain(
				err,
				"machine '%s': %s_ns is %g, but a transfer includes the atomic that asked for it, "
				"so it must be at least atomic_hit_ns (%g)",
				config->name, distance_names[distance], class_ns[distance], atomic_ns);
	for (int i = 0; config->matrix_ns && i < nr_nodes * nr_nodes; i++)
		if (config->matrix_ns[i] < atomic_ns)
			return error_plain(
				err,
				"machine '%s': matrix_ns has %g from node %d to node %d, but a transfer includes "
				"the atomic that asked for it, so it must be at least atomic_hit_ns (%g)",
				config->name, config->matrix_ns[i], i / nr_nodes, i % nr_nodes, atomic_ns);
	return 0;
}

/* At most one core of a cluster is off, and never its only one. */
static int check_cores_off(const struct machine_config *config, struct error *err)
{
	const struct machine_topology *topology = &config->topology;
	const uint64_t most = topology->cores_per_cluster > 1 ? clusters_per_socket(topology) : 0;

	if (topology->cores_off <= most)
		return 0;
	return error_plain(err,
			   "machine '%s': cores_off is %u, but at most %llu cores of a socket can be: one in each L3 "
			   "cluster of two or more cores",
			   config->name, topology->cores_off, (unsigned long long)most);
}

int machine_config_check(const struct machine_config *config, struct error *err)
{
	if (check_cores_off(config, err))
		return -1;
	if (nr_cpus_of(&config->topology) > MACHINE_MAX_CPUS)
		return error_plain(err, "machine '%s' has %llu CPUs; at most %d are supported", config->name,
				   (unsigned long long)nr_cpus_of(&config->topology), MACHINE_MAX_CPUS);
	if (machine_topology_nr_nodes(&config->topology) > MACHINE_MAX_NODES)
		return error_plain(err, "machine '%s' has %d NUMA nodes; at most %d are supported", config->name,
				   machine_topology_nr_nodes(&config->topology), MACHINE_MAX_NODES);
	if (check_latencies(config, err))
		return -1;
	for (int distance = 0; distance < NR_DISTANCES; distance++) {
		double pct = occupancy_pct(&config->line, (enum distance)distance) *
			     fmin(1, config->line.read_occupancy_pct / 100);

		if (pct < snoop_pct(&config->line, (enum distance)distance))
			return error_plain(
				err,
				"machine '%s': occupancy_%s_pct times read_occupancy_pct is %g %%, below "
				"snoop_%s_pct (%g): the next transfer would start before this one reaches the owner",
				config->name, distance_names[distance], pct,
				distance_names[distance == DISTANCE_CORE ? DISTANCE_CLUSTER : distance],
				snoop_pct(&config->line, (enum distance)distance));
	}
	return 0;
}

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
	const int per_socket = (int)clusters_per_socket(topology);
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
	double occupancy_ns = latency_ns * occupancy_pct(&config->line, distance) / 100;

	return (struct transfer_cost){
		.latency_ps = ns_to_ps(latency_ns),
		.occupancy_ps = ns_to_ps(occupancy_ns),
		.read_occupancy_ps = ns_to_ps(occupancy_ns * config->line.read_occupancy_pct / 100),
		.snoop_ps = ns_to_ps(latency_ns * snoop_pct(&config->line, distance) / 100),
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
	machine->nr_cpus = (int)nr_cpus_of(&config->topology);
	machine->nr_cores = machine->nr_cpus / (int)config->topology.smt;
	machine->nr_clusters = (int)(config->topology.sockets * clusters_per_socket(&config->topology));
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
