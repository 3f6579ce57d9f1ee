/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a growing number of workers crosses into another part of a machine.
 */
#include "models/config.h"

/* What the workers placed so far have touched, and which kinds were reported. */
struct crossing {
	const struct machine *machine;
	bool *socket_seen, *core_seen, *cluster_seen;
	bool socket_marked, smt_marked, cluster_marked;
	bool has_clusters; /* sockets have more than one */
};

static struct crossing crossing_create(struct arena *arena, const struct machine *machine)
{
	const struct machine_topology *topology = &machine_config_of(machine)->topology;

	return (struct crossing){
		.machine = machine,
		.socket_seen = arena_calloc(arena, topology->sockets, sizeof(bool)),
		.core_seen = arena_calloc(arena, (size_t)machine_nr_cores(machine), sizeof(bool)),
		.cluster_seen = arena_calloc(arena, (size_t)machine_nr_clusters(machine), sizeof(bool)),
		.has_clusters = topology->nodes_per_socket * topology->clusters_per_node > 1,
	};
}

/* Where the next CPU leads; label NULL when to nothing new. Later steps into SMT siblings are not reported. */
static struct boundary cross(struct crossing *crossing, const struct cpu_place *place)
{
	struct boundary boundary = { 0 };

	if (!crossing->socket_seen[place->socket]) {
		boundary.label = "Cross socket NUMA";
		boundary.minor = crossing->socket_marked;
		crossing->socket_marked = true;
	} else if (crossing->core_seen[place->core]) {
		boundary.label = crossing->smt_marked ? NULL : "SMT";
		crossing->smt_marked = true;
	} else if (!crossing->cluster_seen[place->cluster] && crossing->has_clusters) {
		boundary.label = "Cross cluster";
		boundary.minor = crossing->cluster_marked;
		crossing->cluster_marked = true;
	}
	return boundary;
}

static void enter(struct crossing *crossing, const struct cpu_place *place)
{
	crossing->socket_seen[place->socket] = true;
	crossing->core_seen[place->core] = true;
	crossing->cluster_seen[place->cluster] = true;
}

int config_boundaries(struct arena *arena, const struct machine_config *config, const int *cpus, int nr_cpus,
		      struct boundary **out)
{
	struct arena *scratch = arena_create();
	const struct machine *machine = machine_create(scratch, config);
	struct crossing crossing = crossing_create(scratch, machine);
	int nr = 0;

	*out = arena_calloc(arena, (size_t)nr_cpus + 1, sizeof(**out));
	if (nr_cpus)
		enter(&crossing, machine_place(machine, cpus[0]));
	for (int i = 1; i < nr_cpus; i++) {
		const struct cpu_place *place = machine_place(machine, cpus[i]);
		struct boundary boundary = cross(&crossing, place);

		enter(&crossing, place);
		boundary.before = i;
		if (boundary.label)
			(*out)[nr++] = boundary;
	}
	arena_destroy(scratch);
	return nr;
}
