/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SCTP of a stream: net/sctp/socket.c, output.c, outqueue.c, associola.c. */
#include "models/kernel/stream_parts.h"

#include "models/kernel/sched.h"

#define SCTP_SACK_EVERY 2 /* packets: sctp_sock's sackfreq, RFC 9260, 6.2 */
#define SCTP_CHUNK_HEADER_BYTES 16 /* struct sctp_data_chunk */
#define SCTP_PACKET_OVERHEAD_BYTES (12 + 20 + 128) /* SCTP and IP header, and room for the device's (MAX_HEADER) */

static uint32_t sctp_room(const struct stream_net *net, const struct stream *stream)
{
	const uint32_t rwnd = net->rwnd_bytes;

	return stream->unread < rwnd ? rwnd - stream->unread : 0;
}

/* The receiver sends a SACK: what it has received so far, and how much room there is. */
static void sctp_sack(struct stream_net *net, struct task *task, struct stream *stream)
{
	uint32_t nr = stream->nr_unsacked;
	uint64_t outstanding;

	stream->nr_unsacked = 0;
	stream->announced = sctp_room(net, stream);
	while (nr--)
		stream_acknowledge(net, task, stream, skb_dequeue(&stream->unacked));
	outstanding = stream->unacked.bytes;
	stream->peer_rwnd = stream->announced > outstanding ? stream->announced - (uint32_t)outstanding : 0;
}

/* sctp_assoc_bh_rcv() of a packet with data. */
void sctp_receive(struct stream_net *net, struct task *task, struct stream *stream, struct sk_buff *packet)
{
	skb_queue_tail(&stream->receive_queue, packet);
	stream->unread += packet->len;
	stream_wake_reader(task, stream);
	if (++stream->nr_unsacked >= SCTP_SACK_EVERY)
		sctp_sack(net, task, stream);
}

/* sctp_packet_transmit(), and loopback's softirq up to the receiver's socket. Returns false when there is no memory. */
static bool sctp_transmit(struct stream_net *net, struct task *task, struct stream *stream)
{
	const uint32_t bytes = stream->outqueue.first->len;
	struct sk_buff *packet =
		skb_alloc(net->pool, task, bytes + SCTP_CHUNK_HEADER_BYTES + SCTP_PACKET_OVERHEAD_BYTES);

	if (!packet)
		return false;
	packet->len = bytes;
	stream_work(net, task, net->segment_ps + stream_write_time(net, bytes));
	cpu_sync(task->cpu);
	if (!stream->outqueue.nr) { /* the other end's CPU was faster */
		skb_free(net->pool, task, packet);
		return false;
	}
	skb_queue_tail(&stream->unacked, skb_dequeue(&stream->outqueue));
	stream->peer_rwnd -= bytes < stream->peer_rwnd ? bytes : stream->peer_rwnd;
	if (stream->receiver.owned)
		skb_queue_tail(&stream->receiver.backlog, packet);
	else
		sctp_receive(net, task, stream, packet);
	return true;
}

/* sctp_outq_flush(): one packet may always be under way, whatever the peer's room. */
void sctp_flush(struct stream_net *net, struct task *task, struct stream *stream)
{
	while (stream->outqueue.nr && (stream->peer_rwnd >= stream->outqueue.first->len || !stream->unacked.nr)) {
		if (!sctp_transmit(net, task, stream))
			return;
	}
}

/* A SACK from the reader's CPU: where the sender's socket is free, chunks go out from here. */
static void sctp_sack_and_flush(struct stream_net *net, struct task *task, struct stream *stream)
{
	sctp_sack(net, task, stream);
	if (!stream->sender.owned)
		sctp_flush(net, task, stream);
}

void sctp_settle(struct stream_net *net, struct task *task, struct stream *stream)
{
	if (stream->nr_unsacked || stream->outqueue.nr)
		sctp_sack_and_flush(net, task, stream);
}

/* sctp_sendmsg_to_asoc() */
void sctp_send(struct stream_net *net, struct task *task, struct stream *stream, uint32_t bytes)
{
	struct sk_buff *chunk = skb_alloc(net->pool, task, bytes + SCTP_CHUNK_HEADER_BYTES);

	if (!chunk)
		return;
	chunk->len = bytes;
	stream_work(net, task, net->send_ps + stream_write_time(net, bytes));
	cpu_sync(task->cpu);
	stream->charged += chunk->truesize;
	skb_queue_tail(&stream->outqueue, chunk);
	sctp_flush(net, task, stream);
}

/* sctp_recvmsg(): one message. */
void sctp_read(struct stream_net *net, struct task *task, struct stream *stream)
{
	struct sk_buff *packet = skb_dequeue(&stream->receive_queue);
	const uint32_t bytes = packet->len;

	stream_work(net, task, net->receive_ps + stream_read_time(net, bytes));
	cpu_sync(task->cpu);
	net->bytes += bytes;
	stream->unread -= bytes;
	if (sctp_room(net, stream) - stream->announced >= net->segment_bytes &&
	    sctp_room(net, stream) > stream->announced)
		sctp_sack_and_flush(net, task, stream);
	skb_free(net->pool, task, packet);
}
