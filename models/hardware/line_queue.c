/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/hardware/line_queue.h"

#include "models/hardware/machine_tables.h"

#define NOBODY (-1)
#define QUEUE_RNG_STREAM (UINT64_C(2) << 32) /* apart from the streams of CPUs and of the line */

void line_queue_init(struct line_queue *queue, struct arena *arena, const struct machine *machine, uint64_t seed)
{
	queue->machine = machine;
	queue->rng = rng_stream(seed, QUEUE_RNG_STREAM);
	queue->clusters = arena_calloc(arena, (size_t)machine->nr_clusters, sizeof(*queue->clusters));
	queue->first = NOBODY;
	queue->turn_cluster = NOBODY;
}

static void ring_append(struct line_queue *queue, int cluster)
{
	struct cluster_queue *entry = &queue->clusters[cluster];

	if (queue->first == NOBODY) {
		queue->first = cluster;
		entry->next = entry->prev = cluster;
	} else {
		struct cluster_queue *first = &queue->clusters[queue->first];

		entry->next = queue->first;
		entry->prev = first->prev;
		queue->clusters[first->prev].next = cluster;
		first->prev = cluster;
	}
	queue->nr_clusters_waiting++;
}

static void ring_remove(struct line_queue *queue, int cluster)
{
	const struct cluster_queue *entry = &queue->clusters[cluster];

	queue->clusters[entry->prev].next = entry->next;
	queue->clusters[entry->next].prev = entry->prev;
	if (queue->first == cluster)
		queue->first = entry->next == cluster ? NOBODY : entry->next;
	queue->nr_clusters_waiting--;
}

void line_queue_append(struct line_queue *queue, struct line_request *request)
{
	const int cluster = request->cpu->place->cluster;
	struct cluster_queue *entry = &queue->clusters[cluster];

	request->ticket = queue->next_ticket++;
	request->prev = entry->newest;
	request->next = NULL;
	if (entry->newest)
		entry->newest->next = request;
	else
		entry->oldest = request;
	entry->newest = request;
	entry->nr++;
	if (entry->oldest == request)
		ring_append(queue, cluster);
}

void line_queue_add(struct line_queue *queue, struct cpu *cpu, struct line *line, bool write)
{
	cpu->request = (struct line_request){ .cpu = cpu, .line = line, .write = write };
	line_queue_append(queue, &cpu->request);
}

void line_queue_remove(struct line_queue *queue, struct line_request *request)
{
	const int cluster = request->cpu->place->cluster;
	struct cluster_queue *entry = &queue->clusters[cluster];

	*(request->prev ? &request->prev->next : &entry->oldest) = request->next;
	*(request->next ? &request->next->prev : &entry->newest) = request->prev;
	request->line = NULL;
	entry->nr--;
	if (!entry->oldest)
		ring_remove(queue, cluster);
}

static int pick_by_turns(struct line_queue *queue)
{
	const bool over = queue->turn_over || queue->turn_writes >= queue->machine->config.line.cluster_turn;

	if (queue->first == queue->turn_cluster && over)
		queue->first = queue->clusters[queue->first].next;
	return queue->first;
}

static int pick_oldest(const struct line_queue *queue)
{
	int best = queue->first;

	for (int each = queue->clusters[best].next; each != queue->first; each = queue->clusters[each].next)
		if (queue->clusters[each].oldest->ticket < queue->clusters[best].oldest->ticket)
			best = each;
	return best;
}

/* 0 in the same cluster, else the latency between the nodes. */
static sim_ps cluster_gap(const struct machine *machine, int cluster_a, int cluster_b)
{
	const int per_node = (int)machine->config.topology.clusters_per_node;

	if (cluster_a == cluster_b)
		return 0;
	return machine->routes[cluster_a / per_node * machine->nr_nodes + cluster_b / per_node].latency_ps;
}

static int pick_nearest(const struct line_queue *queue, int holder)
{
	int best = queue->first;

	if (holder < 0)
		return pick_oldest(queue);
	for (int each = queue->clusters[best].next; each != queue->first; each = queue->clusters[each].next) {
		sim_ps gap = cluster_gap(queue->machine, holder, each);
		sim_ps best_gap = cluster_gap(queue->machine, holder, best);
		bool older = queue->clusters[each].oldest->ticket < queue->clusters[best].oldest->ticket;

		if (gap < best_gap || (gap == best_gap && older))
			best = each;
	}
	return best;
}

static int pick_cluster(struct line_queue *queue, int holder)
{
	switch (queue->machine->config.line.arbitration) {
	case ARBITRATION_FIFO:
		return pick_oldest(queue);
	case ARBITRATION_NEAREST:
		return pick_nearest(queue, holder);
	default:
		return pick_by_turns(queue);
	}
}

static struct line_request *pick_request(struct line_queue *queue, const struct cluster_queue *cluster)
{
	struct line_request *request = cluster->oldest;

	switch (queue->machine->config.line.arbitration) {
	case ARBITRATION_NEWEST:
		return cluster->newest;
	case ARBITRATION_RANDOM:
		for (uint64_t skip = rng_below(&queue->rng, cluster->nr); skip; skip--)
			request = request->next;
		return request;
	default:
		return request;
	}
}

struct line_request *line_queue_pick(struct line_queue *queue, int holder)
{
	struct line_request *request;
	int cluster;

	if (queue->first == NOBODY)
		return NULL;
	cluster = pick_cluster(queue, holder);
	request = pick_request(queue, &queue->clusters[cluster]);
	if (cluster != queue->turn_cluster) {
		queue->turn_cluster = cluster;
		queue->turn_writes = 0;
	}
	queue->turn_writes += request->write;
	queue->turn_over = !request->write;
	return request;
}

struct line_request *line_queue_oldest(const struct line_queue *queue, int cluster)
{
	return queue->clusters[cluster].oldest;
}

bool line_queue_other_cluster_waits(const struct line_queue *queue, int cluster)
{
	return queue->nr_clusters_waiting > (queue->clusters[cluster].oldest ? 1 : 0);
}
