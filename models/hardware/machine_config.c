/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a machine file may say, and what follows from it without the tables of a run. */
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

uint64_t machine_topology_clusters_per_socket(const struct machine_topology *topology)
{
	return (uint64_t)topology->nodes_per_socket * topology->clusters_per_node;
}

uint64_t machine_topology_nr_cpus(const struct machine_topology *topology)
{
	return topology->sockets * topology->smt *
	       (machine_topology_clusters_per_socket(topology) * topology->cores_per_cluster - topology->cores_off);
}

int machine_topology_cores_per_socket(const struct machine_topology *topology)
{
	return (int)(machine_topology_clusters_per_socket(topology) * topology->cores_per_cluster -
		     topology->cores_off);
}

int machine_topology_nr_nodes(const struct machine_topology *topology)
{
	return (int)(topology->sockets * topology->nodes_per_socket);
}

double machine_occupancy_pct(const struct machine_line *line, enum distance distance)
{
	const double pct[NR_DISTANCES] = { line->occupancy_core_pct, line->occupancy_cluster_pct,
					   line->occupancy_socket_pct, line->occupancy_remote_pct };

	return pct[distance];
}

double machine_snoop_pct(const struct machine_line *line, enum distance distance)
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
	const uint64_t most = topology->cores_per_cluster > 1 ? machine_topology_clusters_per_socket(topology) : 0;

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
	if (machine_topology_nr_cpus(&config->topology) > MACHINE_MAX_CPUS)
		return error_plain(err, "machine '%s' has %llu CPUs; at most %d are supported", config->name,
				   (unsigned long long)machine_topology_nr_cpus(&config->topology), MACHINE_MAX_CPUS);
	if (machine_topology_nr_nodes(&config->topology) > MACHINE_MAX_NODES)
		return error_plain(err, "machine '%s' has %d NUMA nodes; at most %d are supported", config->name,
				   machine_topology_nr_nodes(&config->topology), MACHINE_MAX_NODES);
	if (check_latencies(config, err))
		return -1;
	for (int distance = 0; distance < NR_DISTANCES; distance++) {
		double pct = machine_occupancy_pct(&config->line, (enum distance)distance) *
			     fmin(1, config->line.read_occupancy_pct / 100);

		if (pct < machine_snoop_pct(&config->line, (enum distance)distance))
			return error_plain(
				err,
				"machine '%s': occupancy_%s_pct times read_occupancy_pct is %g %%, below "
				"snoop_%s_pct (%g): the next transfer would start before this one reaches the owner",
				config->name, distance_names[distance], pct,
				distance_names[distance == DISTANCE_CORE ? DISTANCE_CLUSTER : distance],
				machine_snoop_pct(&config->line, (enum distance)distance));
	}
	return 0;
}
