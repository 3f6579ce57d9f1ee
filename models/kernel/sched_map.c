/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/kernel/sched_state.h"

#define WORD_BITS 64

static void bit_assign(uint64_t *bits, int bit, bool value)
{
	const uint64_t mask = UINT64_C(1) << (bit % WORD_BITS);

	if (value)
		bits[bit / WORD_BITS] |= mask;
	else
		bits[bit / WORD_BITS] &= ~mask;
}

/* The first bit set in [from, end), or -1. */
static int bit_find(const uint64_t *bits, int from, int end)
{
	while (from < end) {
		const uint64_t word = bits[from / WORD_BITS] >> (from % WORD_BITS);

		if (word) {
			from += __builtin_ctzll(word);
			return from < end ? from : -1;
		}
		from += WORD_BITS - from % WORD_BITS;
	}
	return -1;
}

/* The same as a ring that starts after `after`, which comes last. */
static int bit_find_ring(const uint64_t *bits, int begin, int end, int after)
{
	int found;

	if (after < begin || after >= end)
		return bit_find(bits, begin, end);
	found = bit_find(bits, after + 1, end);
	return found >= 0 ? found : bit_find(bits, begin, after + 1);
}

/* Groups of equal rank, clusters of a node or nodes, as a ring from `near` on, or from `begin` if that is none of them. */
struct ring {
	int begin, nr, near;
};

static int ring_member(const struct ring *ring, int i)
{
	const bool inside = ring->near >= ring->begin && ring->near < ring->begin + ring->nr;

	return ring->begin + ((inside ? ring->near - ring->begin : 0) + i) % ring->nr;
}

/* The first one with the highest count. */
static int ring_highest(const struct ring *ring, const int *counts)
{
	int best = ring_member(ring, 0);

	for (int i = 1; i < ring->nr; i++)
		if (counts[ring_member(ring, i)] > counts[best])
			best = ring_member(ring, i);
	return best;
}

/* The first one with the lowest count per CPU, of those that have CPUs in this run. */
static int ring_lowest(const struct ring *ring, const int *counts, const int *cpus)
{
	int best = -1;

	for (int i = 0; i < ring->nr; i++) {
		const int each = ring_member(ring, i);

		if (cpus[each] && (best < 0 || counts[each] * cpus[best] < counts[best] * cpus[each]))
			best = each;
	}
	return best;
}

static uint64_t *bits_create(struct arena *arena, int nr)
{
	return arena_calloc(arena, (size_t)nr / WORD_BITS + 1, sizeof(uint64_t));
}

static int *counts_create(struct arena *arena, int nr)
{
	return arena_calloc(arena, (size_t)nr, sizeof(int));
}

void sched_map_create(struct sched_map *map, struct arena *arena, const struct machine *machine)
{
	const struct machine_topology *topology = &machine_config_of(machine)->topology;

	*map = (struct sched_map){
		.machine = machine,
		.smt = (int)topology->smt,
		.clusters_per_node = (int)topology->clusters_per_node,
		.nr_nodes = machine_nr_nodes(machine),
		.nr_clusters = machine_nr_clusters(machine),
		.nr_cores = machine_nr_cores(machine),
	};
	map->idle_cpus = bits_create(arena, map->nr_cores * map->smt);
	map->waiting_cpus = bits_create(arena, map->nr_cores * map->smt);
	map->idle_cores = bits_create(arena, map->nr_cores);
	map->cluster_of = counts_create(arena, map->nr_cores);
	map->core_cpus = counts_create(arena, map->nr_cores);
	map->core_idle = counts_create(arena, map->nr_cores);
	map->cluster_cpus = counts_create(arena, map->nr_clusters);
	map->node_cpus = counts_create(arena, map->nr_nodes);
	map->cluster_idle = counts_create(arena, map->nr_clusters);
	map->cluster_waiting = counts_create(arena, map->nr_clusters);
	map->node_idle = counts_create(arena, map->nr_nodes);
	map->node_waiting = counts_create(arena, map->nr_nodes);
	for (int cluster = 0; cluster < map->nr_clusters; cluster++)
		for (int core = machine_first_core(machine, cluster); core < machine_first_core(machine, cluster + 1);
		     core++)
			map->cluster_of[core] = cluster;
}

void sched_map_set_idle(struct sched_map *map, int seat, bool idle)
{
	const int core = seat / map->smt;
	const int cluster = map_cluster_of(map, seat);
	const int change = idle ? 1 : -1;

	bit_assign(map->idle_cpus, seat, idle);
	map->core_idle[core] += change;
	map->cluster_idle[cluster] += change;
	map->node_idle[cluster / map->clusters_per_node] += change;
	map->nr_idle += change;
	bit_assign(map->idle_cores, core, map->core_idle[core] == map->core_cpus[core]);
}

void sched_map_add_cpu(struct sched_map *map, int seat)
{
	const int cluster = map_cluster_of(map, seat);

	map->core_cpus[seat / map->smt]++;
	map->cluster_cpus[cluster]++;
	map->node_cpus[cluster / map->clusters_per_node]++;
	sched_map_set_idle(map, seat, true);
}

void sched_map_count_waiting(struct sched_map *map, int seat, int change, int nr_waiting)
{
	const int cluster = map_cluster_of(map, seat);

	bit_assign(map->waiting_cpus, seat, nr_waiting);
	map->cluster_waiting[cluster] += change;
	map->node_waiting[cluster / map->clusters_per_node] += change;
	map->nr_waiting += change;
}

/* An idle core of the cluster, or else an idle CPU. */
static int idle_of_cluster(const struct sched_map *map, int cluster, int near)
{
	const int begin = machine_first_core(map->machine, cluster);
	const int end = machine_first_core(map->machine, cluster + 1);
	const int core = bit_find_ring(map->idle_cores, begin, end, near / map->smt);

	if (core >= 0)
		return bit_find(map->idle_cpus, core * map->smt, (core + 1) * map->smt);
	return bit_find_ring(map->idle_cpus, begin * map->smt, end * map->smt, near);
}

int sched_map_idle_in_cluster(const struct sched_map *map, int near)
{
	const int cluster = map_cluster_of(map, near);

	return map->cluster_idle[cluster] ? idle_of_cluster(map, cluster, near) : NO_SEAT;
}

static int node_of(const struct sched_map *map, int seat)
{
	return map_cluster_of(map, seat) / map->clusters_per_node;
}

static struct ring nodes_near(const struct sched_map *map, int near)
{
	return (struct ring){ .begin = 0, .nr = map->nr_nodes, .near = node_of(map, near) };
}

static struct ring clusters_near(const struct sched_map *map, int node, int near)
{
	return (struct ring){ .begin = node * map->clusters_per_node,
			      .nr = map->clusters_per_node,
			      .near = map_cluster_of(map, near) };
}

int sched_map_idlest(const struct sched_map *map, int near)
{
	const struct ring nodes = nodes_near(map, near);
	const struct ring clusters = clusters_near(map, ring_highest(&nodes, map->node_idle), near);

	return map->nr_idle ? idle_of_cluster(map, ring_highest(&clusters, map->cluster_idle), near) : NO_SEAT;
}

static bool core_is_idle(const struct sched_map *map, int seat)
{
	return map->core_idle[seat / map->smt] == map->core_cpus[seat / map->smt];
}

int sched_map_idlest_for_exec(struct sched_map *map, int own, int nr_waiting)
{
	int seat;

	if (nr_waiting)
		return sched_map_idlest(map, own);
	sched_map_set_idle(map, own, true);
	seat = sched_map_idlest(map, own);
	if (map_cluster_of(map, seat) == map_cluster_of(map, own) &&
	    (core_is_idle(map, own) || !core_is_idle(map, seat)))
		seat = own;
	sched_map_set_idle(map, own, false);
	return seat;
}

/* The cluster of `near` when it has any of `clusters`; else the one with most in its node; else in the node with most. */
static int nearest_cluster(const struct sched_map *map, const int *clusters, const int *nodes, int near)
{
	const struct ring all = nodes_near(map, near);
	struct ring ring;

	if (clusters[map_cluster_of(map, near)])
		return map_cluster_of(map, near);
	ring = clusters_near(map, nodes[all.near] ? all.near : ring_highest(&all, nodes), near);
	return ring_highest(&ring, clusters);
}

int sched_map_idle_near(const struct sched_map *map, int near)
{
	if (!map->nr_idle)
		return NO_SEAT;
	return idle_of_cluster(map, nearest_cluster(map, map->cluster_idle, map->node_idle, near), near);
}

int sched_map_most_waiting_cluster(const struct sched_map *map, int near)
{
	return map->nr_waiting ? nearest_cluster(map, map->cluster_waiting, map->node_waiting, near) : -1;
}

int sched_map_least_waiting_cluster(const struct sched_map *map, int near, int *end)
{
	const struct ring nodes = nodes_near(map, near);
	const struct ring clusters = clusters_near(map, ring_lowest(&nodes, map->node_waiting, map->node_cpus), near);
	const int cluster = ring_lowest(&clusters, map->cluster_waiting, map->cluster_cpus);

	*end = machine_first_core(map->machine, cluster + 1) * map->smt;
	return machine_first_core(map->machine, cluster) * map->smt;
}

int sched_map_next_waiting(const struct sched_map *map, int cluster, int after)
{
	const int begin = machine_first_core(map->machine, cluster) * map->smt;
	const int end = machine_first_core(map->machine, cluster + 1) * map->smt;

	return bit_find(map->waiting_cpus, after < begin ? begin : after + 1, end);
}
