/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TCP of a stream whose other end is across a network card. */
#include "models/kernel/nic.h"
#include "models/kernel/stream_parts.h"

void stream_nic_send(struct stream_net *net, struct task *task, struct stream *stream, struct sk_buff *skb)
{
	const struct nic_packet packet = { .stream = stream, .skb = skb, .bytes = skb->len };

	nic_transmit(net->nic, task, stream->queue, &packet);
}

/* The far sender has room for so much more. */
static void far_send(struct stream_net *net, struct task *task, struct stream *stream, uint32_t bytes)
{
	const struct nic_packet packet = { .stream = stream, .bytes = bytes };

	nic_transmit(net->nic, task, stream->queue, &packet);
}

void stream_open_far(struct stream_net *net, struct task *task, struct stream *stream, uint32_t window_bytes)
{
	for (uint32_t sent = 0; sent < window_bytes; sent += net->segment_bytes)
		far_send(net, task, stream, net->segment_bytes);
}

void stream_nic_read(struct stream_net *net, struct task *task, struct stream *stream, struct sk_buff *skb)
{
	far_send(net, task, stream, skb->len);
	skb_free(net->pool, task, skb);
}

/* A segment as GRO makes it: linear headers, payload in pages of the queue. NULL: no memory for all of it. */
static struct sk_buff *receive_skb(struct stream_net *net, struct task *task, const struct nic_packet *packet)
{
	struct sk_buff *skb = skb_alloc(net->pool, task, MAX_TCP_HEADER_BYTES);

	for (uint32_t bytes = 0; skb && bytes < packet->bytes; bytes += net->page_bytes) {
		struct pool_page *page = page_pool_alloc(nic_page_pool(packet->stream->queue), task);

		if (!page) {
			skb_free(net->pool, task, skb);
			return NULL;
		}
		page->next = skb->pages;
		skb->pages = page;
		skb->truesize += (uint32_t)PAGE_BYTES;
	}
	if (skb)
		skb->len = packet->bytes;
	return skb;
}

/* What does not find memory is sent again. */
static void receive_data(struct stream_net *net, struct task *task, const struct nic_packet *packet)
{
	struct sk_buff *skb = receive_skb(net, task, packet);

	cpu_sync(task->cpu);
	if (skb) {
		skb_queue_tail(&packet->stream->receive_queue, skb);
		stream_wake_reader(task, packet->stream);
	} else {
		far_send(net, task, packet->stream, packet->bytes);
	}
}

static void receive_acknowledgement(struct stream_net *net, struct task *task, const struct nic_packet *packet)
{
	net->bytes += packet->bytes;
	cpu_sync(task->cpu);
	stream_acknowledge(net, task, packet->stream, packet->skb);
}

/* napi_poll() */
void stream_poll(struct stream_net *net, struct task *task, struct nic_queue *queue)
{
	struct nic_packet packet;

	nic_await(net->nic, task, queue, net->stopped);
	while (nic_receive(net->nic, queue, task->cpu->date, &packet)) {
		if (!net->steers)
			stream_work(net, task, net->arrival_ps);
		if (net->far_senders)
			receive_data(net, task, &packet);
		else
			receive_acknowledgement(net, task, &packet);
		cpu_sync(task->cpu);
	}
}

void stream_close_queue(struct stream_net *net, struct task *task, struct nic_queue *queue)
{
	struct nic_packet packet;

	while (nic_take_any(net->nic, queue, &packet))
		if (packet.skb)
			skb_free(net->pool, task, packet.skb);
	page_pool_destroy(nic_page_pool(queue), task);
}
