/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/kernel/nic.h"

#include "models/kernel/page_pool.h"
#include "models/kernel/sched.h"

struct nic_queue {
	struct nic_packet *first, *last; /* in the order of their arrival */
	struct task *thread; /* sleeps until an interrupt; else NULL */
	bool armed; /* there will be one */
	struct page_pool *page_pool;
};

struct nic {
	struct arena *arena;
	struct nic_config config;
	struct nic_queue *queues;
	struct nic_packet *unused;
	sim_ps wire_free_ps; /* date from which the wire takes the next packet */
};

struct nic *nic_create(struct arena *arena, struct page_alloc *page_alloc, const struct nic_config *config)
{
	struct nic *nic = arena_alloc(arena, sizeof(*nic));

	*nic = (struct nic){ .arena = arena, .config = *config };
	nic->queues = arena_calloc(arena, (size_t)config->nr_queues, sizeof(*nic->queues));
	for (int i = 0; i < config->nr_queues; i++)
		nic->queues[i].page_pool = page_pool_create(arena, page_alloc, config->ring_pages);
	return nic;
}

struct nic_queue *nic_queue(struct nic *nic, int queue)
{
	return &nic->queues[queue];
}

struct page_pool *nic_page_pool(struct nic_queue *queue)
{
	return queue->page_pool;
}

static void wake_thread(struct nic_queue *queue)
{
	struct task *thread = queue->thread;

	queue->thread = NULL;
	if (thread)
		task_wake(NULL, thread);
}

void nic_stop(struct task *task, struct nic_queue *queue)
{
	cpu_sync(task->cpu);
	wake_thread(queue);
}

static void interrupt(void *arg)
{
	struct nic_queue *queue = arg;

	queue->armed = false;
	wake_thread(queue);
}

/* The first packet will raise an interrupt, if anybody waits for it. */
static void arm(const struct nic *nic, struct nic_queue *queue, const struct cpu *cpu)
{
	if (!queue->first || !queue->thread || queue->armed)
		return;
	queue->armed = true;
	engine_call(cpu->engine, queue->thread->cpu->id,
		    ps_max(queue->first->date + nic->config.coalesce_ps, cpu->date + 1), interrupt, queue);
}

static struct nic_packet *new_packet(struct nic *nic)
{
	struct nic_packet *packet = nic->unused;

	if (!packet)
		return arena_alloc(nic->arena, sizeof(*packet));
	nic->unused = packet->next;
	return packet;
}

void nic_transmit(struct nic *nic, struct task *task, struct nic_queue *queue, const struct nic_packet *packet)
{
	struct nic_packet *copy = new_packet(nic);

	nic->wire_free_ps =
		ps_max(nic->wire_free_ps, task->cpu->date) + ns_to_ps(packet->bytes / nic->config.bytes_per_ns);
	*copy = *packet;
	copy->next = NULL;
	copy->date = nic->wire_free_ps + nic->config.rtt_ps;
	*(queue->first ? &queue->last->next : &queue->first) = copy;
	queue->last = copy;
	arm(nic, queue, task->cpu);
}

void nic_await(struct nic *nic, struct task *task, struct nic_queue *queue, const bool *stopped)
{
	cpu_sync(task->cpu);
	if (*stopped || (queue->first && queue->first->date <= task->cpu->date))
		return;
	queue->thread = task;
	arm(nic, queue, task->cpu);
	task_sleep(task, "a packet");
}

bool nic_take_any(struct nic *nic, struct nic_queue *queue, struct nic_packet *packet)
{
	struct nic_packet *first = queue->first;

	if (!first)
		return false;
	queue->first = first->next;
	*packet = *first;
	first->next = nic->unused;
	nic->unused = first;
	return true;
}

bool nic_receive(struct nic *nic, struct nic_queue *queue, sim_ps now, struct nic_packet *packet)
{
	return queue->first && queue->first->date <= now && nic_take_any(nic, queue, packet);
}
