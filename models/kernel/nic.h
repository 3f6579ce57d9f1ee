/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A network card with queues, and the wire to the machine at its other end.
 *
 * The wire takes one packet after the other at its rate; what comes of a packet arrives a round trip later in the receive
 * queue of its stream. Each queue has its NAPI context, a thread here (/sys/class/net/.../threaded, v6.12) that the
 * scheduler places: it sleeps until the first packet has waited for coalesce_ns (rx-usecs) and deals with all that have
 * come.
 *
 * Abstracts: losses, transmit queues and their completions, interrupts on top of what a CPU is doing, adaptive coalescing.
 */
#ifndef CONTEND_KERNEL_NIC_H
#define CONTEND_KERNEL_NIC_H

#include <stdbool.h>
#include <stdint.h>

#include "models/kernel/page_alloc.h"
#include "models/kernel/skb.h"
#include "models/kernel/task.h"
#include "sim/util/arena.h"
#include "sim/util/units.h"

struct stream;

struct nic_config {
	int nr_queues;
	double bytes_per_ns; /* of the wire */
	sim_ps rtt_ps; /* from the last bit of a packet to what comes of it */
	sim_ps coalesce_ps;
	uint32_t ring_pages; /* receive buffers that a queue's page pool keeps */
};

struct nic_packet {
	struct nic_packet *next;
	struct stream *stream;
	struct sk_buff *skb; /* acknowledged by it; NULL: data */
	uint32_t bytes;
	sim_ps date; /* of its arrival */
};

/* A receive queue and its buffers. */
struct nic_queue;
struct nic;

struct nic *nic_create(struct arena *arena, struct page_alloc *page_alloc, const struct nic_config *config);

struct nic_queue *nic_queue(struct nic *nic, int queue);
struct page_pool *nic_page_pool(struct nic_queue *queue);

/*
 * Put so many bytes on the wire; what comes of them will arrive in the queue. The task's date is the engine's.
 */
void nic_transmit(struct nic *nic, struct task *task, struct nic_queue *queue, const struct nic_packet *packet);

/* The queue's thread sleeps until packets have come; returns at once when they have, or the run has stopped. */
void nic_await(struct nic *nic, struct task *task, struct nic_queue *queue, const bool *stopped);

/* The next packet that has arrived by `now`, or is under way. Returns false when there is none. */
bool nic_receive(struct nic *nic, struct nic_queue *queue, sim_ps now, struct nic_packet *packet);
bool nic_take_any(struct nic *nic, struct nic_queue *queue, struct nic_packet *packet);

/* The run has stopped: wake the queue's thread. */
void nic_stop(struct task *task, struct nic_queue *queue);

#endif
