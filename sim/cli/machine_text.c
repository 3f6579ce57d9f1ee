/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/machine_text.h"

#include "sim/cli/describe.h"

#include <string.h>

#define MAX_CLUSTER_LINES 128 /* more clusters than this are drawn node by node */
#define MAX_MATRIX_NODES 16 /* a wider matrix does not fit on a line */
#define CPU_LIST_BYTES 1024

/* The CPUs of the clusters from `cluster` up to `end`, thread by thread. */
static void print_cpus(FILE *out, struct arena *arena, const struct machine *machine, int cluster, int end)
{
	uint32_t smt = machine_config_of(machine)->topology.smt;
	int first = machine_first_core(machine, cluster);
	int nr = machine_first_core(machine, end) - first;
	int *cpus = arena_calloc(arena, (size_t)nr, sizeof(*cpus));
	char text[CPU_LIST_BYTES];
	uint32_t thread;
	int i;

	for (thread = 0; thread < smt; thread++) {
		for (i = 0; i < nr; i++)
			cpus[i] = machine_cpu_of(machine, first + i, (int)thread);
		fprintf(out, "%s%s", thread == 0 ? "  CPUs " : "  SMT siblings ",
			describe_cpus(cpus, nr, text, sizeof(text)));
	}
	fputc('\n', out);
}

static void print_clusters(FILE *out, struct arena *arena, const struct machine *machine, int node)
{
	const struct machine_topology *topology = &machine_config_of(machine)->topology;
	int per_node = (int)topology->clusters_per_node;
	int i;

	for (i = node * per_node; i < (node + 1) * per_node; i++) {
		fprintf(out, "        L3 cluster %-3d", i);
		print_cpus(out, arena, machine, i, i + 1);
	}
}

static void print_node(FILE *out, struct arena *arena, const struct machine *machine, int node)
{
	const struct machine_topology *topology = &machine_config_of(machine)->topology;
	int per_node = (int)topology->clusters_per_node;

	fprintf(out, "    node %d", node);
	if (machine_nr_clusters(machine) > MAX_CLUSTER_LINES || topology->clusters_per_node == 1) {
		fprintf(out, "  %u L3 cluster%s of %u cores", topology->clusters_per_node,
			topology->clusters_per_node == 1 ? "" : "s", topology->cores_per_cluster);
		print_cpus(out, arena, machine, node * per_node, (node + 1) * per_node);
	} else {
		fputc('\n', out);
		print_clusters(out, arena, machine, node);
	}
}

static void print_tree(FILE *out, struct arena *arena, const struct machine *machine)
{
	const struct machine_topology *topology = &machine_config_of(machine)->topology;
	int per_socket = (int)topology->nodes_per_socket;
	int node;

	for (node = 0; node < machine_nr_nodes(machine); node++) {
		if (node % per_socket == 0)
			fprintf(out, "socket %d\n", node / per_socket);
		print_node(out, arena, machine, node);
	}
}

static void print_matrix(FILE *out, const struct machine_config *config, int nr_nodes)
{
	int from, to;

	if (!config->matrix_ns || nr_nodes > MAX_MATRIX_NODES)
		return;
	fputs("matrix_ns (from node down, to node across; instead of socket_ns and remote_ns)\n      ", out);
	for (to = 0; to < nr_nodes; to++)
		fprintf(out, " %6d", to);
	for (from = 0; from < nr_nodes; from++) {
		fprintf(out, "\n  %4d", from);
		for (to = 0; to < nr_nodes; to++)
			fprintf(out, " %6g", config->matrix_ns[from * nr_nodes + to]);
	}
	fputc('\n', out);
}

static const char *cores_off_text(struct arena *arena, const struct machine_topology *topology)
{
	if (!topology->cores_off)
		return "";
	return arena_printf(arena, ", less %u core(s) per socket", topology->cores_off);
}

void machine_text_draw(FILE *out, struct arena *arena, const struct machine_config *config)
{
	const struct machine *machine = machine_create(arena, config);
	const struct machine_topology *topology = &config->topology;
	const struct param_section *section;

	fprintf(out, "%s%s%s\n", config->name, config->description ? ": " : "",
		config->description ? config->description : "");
	fprintf(out, "%u socket(s) x %u node(s) x %u L3 cluster(s) x %u core(s) x %u thread(s)%s = %d CPUs\n\n",
		topology->sockets, topology->nodes_per_socket, topology->clusters_per_node, topology->cores_per_cluster,
		topology->smt, cores_off_text(arena, topology), machine_nr_cpus(machine));
	print_tree(out, arena, machine);
	fputc('\n', out);
	for (section = machine_sections; section->name; section++) {
		if (strcmp(section->name, "topology") == 0)
			continue;
		fprintf(out, "%s\n", section->name);
		describe_values(out, section->table, (const char *)config + section->offset, 2);
	}
	print_matrix(out, config, machine_nr_nodes(machine));
}

static bool transfers_do_not_grow(const struct machine_config *config)
{
	const struct machine_transfer *transfer = &config->transfer;
	const struct machine_topology *topology = &config->topology;
	double farthest = topology->cores_per_cluster > 1 ? transfer->cluster_ns : 0;

	if (topology->smt > 1 && farthest > 0 && transfer->core_ns >= farthest)
		return true;
	if (config->matrix_ns)
		return false;
	if (topology->nodes_per_socket * topology->clusters_per_node > 1) {
		if (transfer->socket_ns <= farthest)
			return true;
		farthest = transfer->socket_ns;
	}
	return topology->sockets > 1 && transfer->remote_ns <= farthest;
}

static bool atomic_is_slower_than_transfer(const struct machine_config *config)
{
	return config->topology.cores_per_cluster > 1 && config->core.atomic_hit_ns >= config->transfer.cluster_ns;
}

static bool memory_does_not_grow(const struct machine_config *config)
{
	return config->topology.sockets > 1 && config->memory.remote_ns <= config->memory.local_ns;
}

static bool caches_do_not_grow(const struct machine_config *config)
{
	const struct machine_cache *cache = &config->cache;

	return cache->l2_bytes <= cache->l1_bytes || cache->l2_hit_ns <= config->core.load_hit_ns ||
	       cache->l3_hit_ns <= cache->l2_hit_ns || config->memory.local_ns <= cache->l3_hit_ns;
}

static bool load_is_slower_than_atomic(const struct machine_config *config)
{
	return config->core.load_hit_ns > config->core.atomic_hit_ns;
}

static bool matrix_is_asymmetric(const struct machine_config *config)
{
	uint32_t nr = config->topology.sockets * config->topology.nodes_per_socket;
	uint32_t a, b;

	for (a = 0; config->matrix_ns && a < nr; a++) {
		for (b = 0; b < a; b++) {
			double there = config->matrix_ns[a * nr + b];
			double back = config->matrix_ns[b * nr + a];

			if (there > back || there < back)
				return true;
		}
	}
	return false;
}

static const struct {
	bool (*applies)(const struct machine_config *config);
	const char *text;
} oddities[] = {
	{ transfers_do_not_grow, "transfer: latencies do not grow with distance (core < cluster < socket < remote)" },
	{ atomic_is_slower_than_transfer,
	  "core.atomic_hit_ns is not below transfer.cluster_ns, which includes one atomic" },
	{ memory_does_not_grow, "memory.remote_ns is not above memory.local_ns" },
	{ caches_do_not_grow, "cache: sizes or latencies do not grow from level to level and to memory.local_ns" },
	{ load_is_slower_than_atomic, "core.load_hit_ns is above core.atomic_hit_ns" },
	{ matrix_is_asymmetric, "matrix_ns differs between the two directions of a pair of nodes" },
};

int machine_text_oddities(const struct machine_config *config, void (*report)(void *context, const char *text),
			  void *context)
{
	int nr = 0;
	size_t i;

	for (i = 0; i < sizeof(oddities) / sizeof(oddities[0]); i++) {
		if (!oddities[i].applies(config))
			continue;
		report(context, oddities[i].text);
		nr++;
	}
	return nr;
}
