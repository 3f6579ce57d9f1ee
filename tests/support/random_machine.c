/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/random_machine.h"

#include "tests/support/rig.h"

#include <stdio.h>

static uint32_t some(struct rng *rng, uint32_t low, uint32_t high)
{
	return (uint32_t)rng_between(rng, low, high);
}

static bool one_in(struct rng *rng, uint64_t n)
{
	return rng_below(rng, n) == 0;
}

static void random_topology(struct rng *rng, struct machine_topology *topology)
{
	*topology = (struct machine_topology){
		.sockets = some(rng, 1, 3),
		.nodes_per_socket = some(rng, 1, 2),
		.clusters_per_node = some(rng, 1, 3),
		.cores_per_cluster = some(rng, 1, 4),
		.smt = some(rng, 1, 2),
		.numbering = (int)some(rng, NUMBERING_SIBLINGS_LAST, NUMBERING_SOCKETS_INTERLEAVED),
	};
	if (topology->cores_per_cluster > 1)
		topology->cores_off = some(rng, 0, topology->nodes_per_socket * topology->clusters_per_node);
}

/* Each class at least as long as the one before, down to tenths of a ns. */
static void random_latencies(struct rng *rng, struct machine_config *config)
{
	const double atomic_ns = some(rng, 5, 80) / 10.0;

	config->core.atomic_hit_ns = atomic_ns;
	config->core.load_hit_ns = some(rng, 1, 20) / 10.0;
	config->core.store_hit_ns = some(rng, 1, 20) / 10.0;
	config->core.cmpxchg_extra_ns = some(rng, 0, 30) / 10.0;
	config->transfer.core_ns = atomic_ns + some(rng, 0, 100) / 10.0;
	config->transfer.cluster_ns = config->transfer.core_ns + some(rng, 0, 300) / 10.0;
	config->transfer.socket_ns = config->transfer.cluster_ns + some(rng, 0, 1000) / 10.0;
	config->transfer.remote_ns = config->transfer.socket_ns + some(rng, 0, 2000) / 10.0;
}

static void random_line(struct rng *rng, struct machine_line *line)
{
	*line = (struct machine_line){
		.occupancy_core_pct = some(rng, 20, 200),
		.occupancy_cluster_pct = some(rng, 20, 200),
		.occupancy_socket_pct = some(rng, 20, 200),
		.occupancy_remote_pct = some(rng, 20, 200),
		.read_occupancy_pct = some(rng, 50, 200),
		.snoop_cluster_pct = some(rng, 0, 40),
		.snoop_socket_pct = some(rng, 0, 40),
		.snoop_remote_pct = some(rng, 0, 40),
		.snoop_jitter_pct = one_in(rng, 3) ? 0 : some(rng, 1, 100),
		.jitter_pct = one_in(rng, 3) ? 0 : some(rng, 1, 50),
		.migratory_reads = (int)some(rng, MIGRATORY_NONE, MIGRATORY_ANY),
		.invalidate_ns = some(rng, 0, 10),
		.arbitration = (int)some(rng, ARBITRATION_CLUSTER_TURNS, ARBITRATION_RANDOM),
		.cluster_turn = some(rng, 1, 4),
		.home_routed = !one_in(rng, 3),
		.far_atomics = one_in(rng, 6),
		.far_atomic_ns = some(rng, 1, 20),
	};
}

/* Near the classes, not symmetric, shortest inside a node. */
static double *random_matrix(struct rng *rng, struct arena *arena, const struct machine_config *config)
{
	const uint32_t nr_nodes = config->topology.sockets * config->topology.nodes_per_socket;
	double *matrix_ns = arena_calloc(arena, (size_t)nr_nodes * nr_nodes, sizeof(*matrix_ns));

	for (uint32_t i = 0; i < nr_nodes * nr_nodes; i++)
		matrix_ns[i] = config->transfer.socket_ns + (i % (nr_nodes + 1) ? some(rng, 0, 2000) / 10.0 : 0);
	return matrix_ns;
}

struct machine_config random_machine(struct rng *rng, struct arena *arena)
{
	struct machine_config config = rig_defaults();

	random_topology(rng, &config.topology);
	random_latencies(rng, &config);
	do
		random_line(rng, &config.line);
	while (machine_config_check(&config, NULL));
	config.core.smt_slowdown_pct = some(rng, 0, 100);
	if (one_in(rng, 4))
		config.matrix_ns = random_matrix(rng, arena, &config);
	return config;
}

void random_cpus(struct rng *rng, int nr_cpus, int *cpus, int nr)
{
	bool taken[MACHINE_MAX_CPUS] = { false };

	for (int i = 0; i < nr; i++) {
		do
			cpus[i] = (int)rng_below(rng, (uint64_t)nr_cpus);
		while (taken[cpus[i]]);
		taken[cpus[i]] = true;
	}
}

char *random_machine_text(const struct machine_config *config, char *out, size_t out_bytes)
{
	const struct machine_topology *topology = &config->topology;
	const struct machine_line *line = &config->line;

	snprintf(out, out_bytes,
		 "%u sockets x %u nodes x %u clusters x %u cores x %u threads, %u off, order %d, turn %u, migratory "
		 "%d, jitter "
		 "%u/%u"
		 "%s%s%s",
		 topology->sockets, topology->nodes_per_socket, topology->clusters_per_node,
		 topology->cores_per_cluster, topology->smt, topology->cores_off, line->arbitration, line->cluster_turn,
		 line->migratory_reads, line->jitter_pct, line->snoop_jitter_pct,
		 line->far_atomics ? ", far atomics" : "", line->home_routed ? "" : ", not routed",
		 config->matrix_ns ? ", matrix" : "");
	return out;
}
