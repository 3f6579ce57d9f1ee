/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TCP of a stream: net/ipv4/tcp.c, tcp_output.c. */
#include "models/kernel/stream_parts.h"

#include "models/kernel/sched.h"

/* tcp_write_xmit() of one segment. */
static void tcp_transmit(struct stream_net *net, struct task *task, struct stream *stream)
{
	struct sk_buff *skb = stream->partial;

	stream->partial = NULL;
	stream_work(net, task, net->segment_ps);
	cpu_sync(task->cpu);
	stream->charged += skb->truesize;
	if (net->nic) {
		stream_nic_send(net, task, stream, skb);
	} else {
		skb_queue_tail(&stream->receive_queue, skb);
		stream_wake_reader(task, stream);
	}
}

/* tcp_stream_alloc_skb(), once the backlog is dealt with. */
static bool open_segment(struct stream_net *net, struct task *task, struct stream *stream)
{
	if (stream->partial)
		return true;
	stream_process_acknowledgements(net, task, stream);
	stream->partial = skb_alloc(net->pool, task, MAX_TCP_HEADER_BYTES);
	return stream->partial;
}

/* A part of a message into the open segment. Returns its bytes; 0 without memory. */
static uint32_t tcp_append(struct stream_net *net, struct task *task, struct stream *stream, uint32_t bytes)
{
	uint32_t room, appended;

	if (!open_segment(net, task, stream) || !page_frag_refill(net->pool, task, &stream->frag))
		return 0;
	room = net->segment_bytes - stream->partial->len;
	appended = skb_append(stream->partial, &stream->frag, bytes < room ? bytes : room);
	stream_work(net, task, stream_write_time(net, appended));
	if (appended == room || !appended)
		tcp_transmit(net, task, stream);
	return appended;
}

/* tcp_sendmsg() */
void tcp_send(struct stream_net *net, struct task *task, struct stream *stream, uint32_t bytes)
{
	uint32_t left = bytes;

	stream_work(net, task, net->send_ps);
	while (left && !*net->stopped) {
		left -= tcp_append(net, task, stream, left);
		stream_wait_for_room(net, task, stream);
	}
	cpu_sync(task->cpu);
	if (stream->partial && !stream->charged) /* tcp_nagle_test() */
		tcp_transmit(net, task, stream);
}

/* tcp_recvmsg() */
void tcp_read(struct stream_net *net, struct task *task, struct stream *stream, uint32_t bytes)
{
	uint32_t read = 0;

	while (read < bytes && stream->receive_queue.nr) {
		struct sk_buff *skb = skb_dequeue(&stream->receive_queue);

		read += skb->len;
		net->bytes += skb->len;
		stream_work(net, task, net->receive_ps + stream_read_time(net, skb->len));
		cpu_sync(task->cpu);
		if (net->nic)
			stream_nic_read(net, task, stream, skb);
		else
			stream_acknowledge(net, task, stream, skb);
		cpu_sync(task->cpu);
	}
}
