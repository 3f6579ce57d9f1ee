/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a transaction costs: while one cluster alone wants the line, the class
 * of the pair; otherwise the longest leg between requester, holders and home.
 */
#include "models/hardware/line_state.h"

static const struct transfer_cost *route(const struct line *line, int node_a, int node_b)
{
	return &line->machine->routes[node_a * line->machine->nr_nodes + node_b];
}

static const struct transfer_cost *longer(const struct transfer_cost *a, const struct transfer_cost *b)
{
	return b->latency_ps > a->latency_ps ? b : a;
}

const struct transfer_cost *line_routed_cost(const struct line *line, int node)
{
	const bool via_home = line->machine->config.line.home_routed || line->nr_copies == 0;
	const struct transfer_cost *cost = route(line, node, via_home ? line->home_node : node);

	for (uint64_t nodes = line->copies_nodes; nodes; nodes &= nodes - 1) {
		const int holder = __builtin_ctzll(nodes);

		cost = longer(cost, route(line, node, holder));
		if (via_home)
			cost = longer(cost, route(line, line->home_node, holder));
	}
	return cost;
}

static const struct transfer_cost *class_of(const struct line *line, const struct line_request *request)
{
	const struct cpu_place *place = request->cpu->place;
	const bool alone = line->nr_copies > 0 && line->copies_cluster == place->cluster &&
			   !line_queue_other_cluster_waits(&line->queue, place->cluster);

	if (alone)
		return &line->machine->cluster_cost;
	return line_routed_cost(line, place->node);
}

/* value +- pct percent, uniform. */
static sim_ps jittered(struct line *line, sim_ps value, uint32_t pct)
{
	const sim_ps spread = value * (sim_ps)pct / 100;

	return value + rng_between(&line->rng, -spread, spread);
}

struct transfer_cost line_cost(struct line *line, const struct line_request *request)
{
	const struct machine_line *config = &line->machine->config.line;
	struct transfer_cost cost = *class_of(line, request);
	const sim_ps latency_ps = jittered(line, cost.latency_ps, config->jitter_pct);
	const sim_ps more = latency_ps - cost.latency_ps;

	cost.snoop_ps = ps_min(jittered(line, cost.snoop_ps, config->snoop_jitter_pct), latency_ps);
	cost.latency_ps = latency_ps;
	cost.occupancy_ps = ps_max(cost.snoop_ps, cost.occupancy_ps + more);
	cost.read_occupancy_ps = ps_max(cost.snoop_ps, cost.read_occupancy_ps + more);
	return cost;
}
