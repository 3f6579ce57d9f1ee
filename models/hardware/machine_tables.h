/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lookup tables behind struct machine, for models/hardware only: the line
 * model reads them on every transaction.
 */
#ifndef CONTEND_HARDWARE_MACHINE_TABLES_H
#define CONTEND_HARDWARE_MACHINE_TABLES_H

#include "models/hardware/machine.h"

/* One kind of transaction, priced. */
struct transfer_cost {
	sim_ps latency_ps; /* request to the end of the atomic that asked for it */
	sim_ps occupancy_ps; /* until the line can serve the next write request */
	sim_ps read_occupancy_ps; /* the same for a read */
	sim_ps snoop_ps; /* until the owner loses the line */
	enum distance distance;
};

struct machine {
	struct machine_config config;
	int nr_cpus, nr_cores, nr_clusters, nr_nodes;
	struct cpu_place *places; /* by CPU number */
	int *cpu_of; /* by core * smt + thread */
	int *first_core; /* by cluster, and one more */
	int *cluster_of; /* by core */
	struct transfer_cost core_cost, cluster_cost;
	struct transfer_cost *routes; /* node by node, for everything beyond a cluster */
	sim_ps snoop_min_ps; /* no line leaves its owner sooner than this after a request is served */
	sim_ps atomic_commit_ps;
	sim_ps load_hit_ps, atomic_hit_ps, store_hit_ps, cmpxchg_extra_ps;
	sim_ps invalidate_ps, far_atomic_ps;
	int64_t smt_slowdown_permyriad;
};

uint64_t machine_topology_clusters_per_socket(const struct machine_topology *topology);
uint64_t machine_topology_nr_cpus(const struct machine_topology *topology); /* maybe more than there may be */

/* Shares of a transfer's latency, by its class. */
double machine_occupancy_pct(const struct machine_line *line, enum distance distance);
double machine_snoop_pct(const struct machine_line *line, enum distance distance);

#endif
