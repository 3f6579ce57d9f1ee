/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A machine: what its YAML file says, and the lookup tables that a run uses.
 *
 * Topology is a regular tree: sockets > NUMA nodes > L3 clusters (CCX) >
 * cores > SMT threads, less some cores of each socket that are switched off:
 * parts are sold with fewer cores than the die has. Latencies are by distance
 * class, with an optional node-by-node matrix for machines with unequal hops.
 */
#ifndef CONTEND_HARDWARE_MACHINE_H
#define CONTEND_HARDWARE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/util/arena.h"
#include "sim/util/error.h"
#include "sim/util/param.h"
#include "sim/util/units.h"

#define MACHINE_MAX_CPUS 4096
#define MACHINE_MAX_NODES 64

/* How far two CPUs are apart; also the class of a line transfer. */
enum distance {
	DISTANCE_CORE, /* the same core: SMT siblings */
	DISTANCE_CLUSTER, /* the same L3 cluster */
	DISTANCE_SOCKET, /* another cluster of the same socket */
	DISTANCE_REMOTE, /* another socket */
	NR_DISTANCES,
};

extern const char *const distance_names[NR_DISTANCES]; /* "core", "cluster", "socket", "remote" */

/* How Linux numbers the CPUs. */
enum numbering {
	NUMBERING_SIBLINGS_LAST, /* all first threads socket by socket, then all second threads: siblings n, n + cores */
	NUMBERING_SIBLINGS_ADJACENT, /* siblings 2n, 2n + 1 */
	NUMBERING_SOCKETS_INTERLEAVED, /* socket = number mod sockets; second threads after all first ones */
};

/* Where a read of an exclusive line takes it over exclusively instead of leaving two shared copies. */
enum migratory_reads {
	MIGRATORY_NONE,
	MIGRATORY_CLUSTER, /* inside an L3 cluster */
	MIGRATORY_ANY,
};

/* Order in which waiting requests of one line are served. */
enum arbitration {
	ARBITRATION_CLUSTER_TURNS, /* clusters in the order of their first waiting request, FIFO inside */
	ARBITRATION_FIFO, /* by arrival */
	ARBITRATION_NEAREST, /* nearest to where the line is, FIFO among equals */
	ARBITRATION_NEWEST, /* cluster turns, but last come first served inside a cluster */
	ARBITRATION_RANDOM, /* cluster turns, but any waiting request of the cluster with equal chance */
};

struct machine_topology {
	uint32_t sockets;
	uint32_t nodes_per_socket;
	uint32_t clusters_per_node;
	uint32_t cores_per_cluster;
	uint32_t smt; /* hardware threads per core */
	int numbering; /* enum numbering */
	uint32_t cores_off; /* of each socket, the last core of each of its last clusters: they have no number */
};

/* Cores of a socket that are not switched off. */
int machine_topology_cores_per_socket(const struct machine_topology *topology);

int machine_topology_nr_nodes(const struct machine_topology *topology);

/* One class's timing of a transaction on a line, as measured by a ping-pong of one atomic (includes that atomic). */
struct machine_transfer {
	double core_ns;
	double cluster_ns;
	double socket_ns;
	double remote_ns;
};

/* Percentages of a transfer's latency. */
struct machine_line {
	double occupancy_core_pct; /* how long the ordering point is busy with a transaction */
	double occupancy_cluster_pct;
	double occupancy_socket_pct;
	double occupancy_remote_pct;
	double read_occupancy_pct; /* of the above: a transaction that is a read */
	double snoop_cluster_pct; /* share of the latency after which the owner loses the line, inside a cluster */
	double snoop_socket_pct;
	double snoop_remote_pct;
	uint32_t snoop_jitter_pct; /* spread of that share, uniform */
	double atomic_commit_pct; /* share of an atomic for which the line must stay, or the atomic waits for it again */
	int migratory_reads; /* enum migratory_reads */
	uint32_t
		jitter_pct; /* spread of a transaction's latency, uniform: cores of one class are unequally far apart */
	double invalidate_ns; /* added to a transaction that invalidates, per sharer beyond the first */
	int arbitration; /* enum arbitration */
	uint32_t cluster_turn; /* RMWs per turn of a cluster */
	bool home_routed; /* with two or more clusters wanting the line every transfer goes through the home */
	bool far_atomics; /* atomics execute at the home and move no line */
	double far_atomic_ns; /* service time of one */
};

struct machine_core {
	double load_hit_ns; /* load of a line held by this core */
	double atomic_hit_ns; /* locked read-modify-write of a line held exclusively by this core */
	double store_hit_ns;
	double cmpxchg_extra_ns; /* what a compare-and-swap loop's iteration costs beyond atomic_hit_ns */
	uint64_t base_clock; /* Hz */
	double smt_slowdown_pct; /* private work takes this much longer while the sibling is busy */
};

/* What a load of an ordinary line costs where the line is near; L1 is core.load_hit_ns. */
struct machine_cache {
	uint64_t l1_bytes; /* of a core, data */
	uint64_t l2_bytes; /* of a core */
	uint64_t l3_bytes; /* of a cluster */
	double l2_hit_ns;
	double l3_hit_ns;
};

struct machine_memory {
	uint64_t per_node; /* bytes */
	double local_ns;
	double remote_ns;
	double stream_ns; /* a line that was prefetched */
};

struct machine_config {
	const char *name; /* file name without .yaml */
	const char *description;
	struct machine_topology topology;
	struct machine_transfer transfer;
	double *matrix_ns; /* nr_nodes x nr_nodes, replaces socket_ns and remote_ns; NULL when not given */
	struct machine_line line;
	struct machine_core core;
	struct machine_cache cache;
	struct machine_memory memory;
};

/* Sections of the YAML file, into struct machine_config: topology, transfer, line, core, cache, memory */
extern const struct param_section machine_sections[];

/*
 * What the tables cannot check: CPUs within MACHINE_MAX_CPUS, cores_off, latencies of at least an atomic,
 * occupancy >= snoop.
 */
int machine_config_check(const struct machine_config *config, struct error *err);

struct cpu_place {
	int core, cluster, node, socket;
	int thread; /* 0 .. smt - 1 within the core */
};

struct machine; /* lookup tables; read-only during a run */

struct machine *machine_create(struct arena *arena, const struct machine_config *config);

const struct machine_config *machine_config_of(const struct machine *machine);
int machine_nr_cpus(const struct machine *machine);
int machine_nr_cores(const struct machine *machine);
int machine_nr_clusters(const struct machine *machine);
int machine_nr_nodes(const struct machine *machine);

/* The cores of a cluster are those from here up to the first one of the next cluster; nr_clusters gives nr_cores. */
int machine_first_core(const struct machine *machine, int cluster);

/* Where a Linux CPU number sits. */
const struct cpu_place *machine_place(const struct machine *machine, int cpu);

/* The CPU number of thread t of a core (cores are numbered socket by socket, cluster by cluster). */
int machine_cpu_of(const struct machine *machine, int core, int thread);

enum distance machine_distance(const struct machine *machine, int cpu_a, int cpu_b);

/*
 * Order in which `threads` workers are placed. cores-first: every core of socket 0, of socket 1, ..., then the second
 * SMT threads in the same order. siblings-first: both threads of a core before the next core.
 */
enum placement {
	PLACEMENT_CORES_FIRST,
	PLACEMENT_SIBLINGS_FIRST,
};

/* The first nr CPUs of an order into cpus; nr <= machine_nr_cpus. */
void machine_placement(const struct machine *machine, enum placement placement, int *cpus, int nr);

#endif
