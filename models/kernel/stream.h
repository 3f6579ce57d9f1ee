/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stream between two sockets, TCP or SCTP, as the page allocator sees it: when data take blocks, on which CPU the last
 * user of a block lets go of it, and when an end sleeps. net/ipv4/tcp.c, net/sctp/, net/core/sock.c, v6.12.
 *
 * Loopback delivers in the softirq of the CPU that sends. Who finds the other end's socket taken leaves what it has to the
 * socket's backlog, and the owner deals with it when it lets go of the socket (sk_add_backlog(), __release_sock()): so it
 * depends on timing on which CPU blocks are freed. A TCP sender also deals with it at every segment: so it comes to what
 * was recorded (docs/workload-shapes.md, iperf3), where 88 % of the blocks are freed on the sender's CPU, one or three after
 * every two allocated. That is the backlog's part and that of received buffers which go back to the CPU that allocated them
 * and are freed in the softirq of its next segment (skb_attempt_defer_free(), since 5.19).
 *
 *	TCP   data are appended to a segment, cut from page fragments of 32 KiB. A segment goes out when it is full, or at the
 *	      end of a send when nothing is unacknowledged (Nagle). The reader's acknowledgement lets go of it.
 *	      Through a network card (nic.h) one of the ends is on another machine, as fast as the wire. Where the senders are,
 *	      an acknowledgement is processed by the queue's NAPI thread, or steered to the sender's CPU (accelerated RFS)
 *	      and left to its backlog. Where the readers are, the NAPI thread makes a segment (GRO) of pages of the
 *	      queue's page pool, and the reader gives them back; what it has read is the room for so much more.
 *	SCTP  a message is a chunk: linear data of its own. A packet is made of it, again linear data, and copied into. The
 *	      reader lets go of the packet, on its CPU; a SACK of every second packet lets go of the chunks. The reader
 *	      announces new room once it has read a path MTU (sctp_peer_needs_update()).
 *
 * Abstracts: one buffer per TCP segment stands for the sender's and the receiver's; IP and the congestion window; control
 * chunks and their buffers; the timer of a delayed SACK, in whose place a reader that is about to sleep sends one.
 */
#ifndef CONTEND_KERNEL_STREAM_H
#define CONTEND_KERNEL_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "models/kernel/skb.h"
#include "models/kernel/task.h"
#include "sim/util/units.h"

struct nic;
struct nic_queue;

/* What all streams of a run have in common: filled by their owner. */
struct stream_net {
	struct skb_pool *pool;
	struct nic *nic; /* TCP; NULL: loopback */
	bool far_senders; /* nic: the readers are here, else the senders */
	bool steers; /* nic: acknowledgements go to the sender's CPU */
	const bool *stopped; /* nobody waits for anything any more */
	bool sctp;
	uint32_t segment_bytes; /* payload of a full segment; SCTP: path MTU */
	uint64_t limit_bytes; /* unacknowledged data, with overhead, that stop a sender */
	uint32_t rwnd_bytes; /* SCTP: unread data that stop a sender */
	sim_ps send_ps; /* a send, beside copies and segments */
	sim_ps segment_ps; /* output of a segment or packet, with loopback's receive softirq */
	sim_ps receive_ps; /* receiving one, beside the copy */
	sim_ps arrival_ps; /* nic: driver, IP and TCP per packet that arrives, where it is processed */
	uint32_t page_bytes; /* nic: payload per receive page */
	double write_bytes_per_ns, read_bytes_per_ns; /* copies */
	uint32_t jitter_pct; /* spread of all these times, uniform */
	uint64_t bytes; /* read so far, all streams */
};

/* One end's socket. */
struct stream_end {
	struct task *task;
	struct skb_queue backlog; /* what found the socket taken: sender: acknowledged; receiver (SCTP): packets */
	bool owned;
	bool waits;
};

/* Zeroed, but for announced and peer_rwnd, which start as rwnd_bytes. */
struct stream {
	struct stream_end sender, receiver;
	struct nic_queue *queue; /* nic */
	struct page_frag frag; /* TCP */
	struct sk_buff *partial; /* TCP: the segment that is being filled */
	struct skb_queue outqueue; /* SCTP: chunks that wait for the peer's room */
	struct skb_queue unacked; /* SCTP: chunks that have been sent */
	struct skb_queue receive_queue;
	uint64_t charged; /* truesize: TCP sent until acknowledged, SCTP chunks */
	uint32_t unread; /* SCTP: bytes delivered and not read */
	uint32_t announced; /* SCTP: room that the last SACK told of */
	uint32_t peer_rwnd; /* SCTP: what is left of it to the sender */
	uint32_t nr_unsacked; /* SCTP: packets since the last SACK */
};

/*
 * One send() of so many bytes by the sender's task, and one recv() by the receiver's: TCP reads what is there, up to
 * `bytes` and to the end of the segment in which they lie, SCTP one message. Both block until they have done something,
 * or the run has stopped, and may return on another CPU.
 */
void stream_send(struct stream_net *net, struct stream *stream, uint32_t bytes);
void stream_receive(struct stream_net *net, struct stream *stream, uint32_t bytes);

/* select() by the receiver's task: blocks until there are data. */
void stream_select(struct stream_net *net, struct stream *stream);

/*
 * Through a network card: the far end has so much to send, at first; and the NAPI thread of a queue sleeps until packets
 * arrive and deals with those, or returns at once when the run has stopped.
 */
void stream_open_far(struct stream_net *net, struct task *task, struct stream *stream, uint32_t window_bytes);
void stream_poll(struct stream_net *net, struct task *task, struct nic_queue *queue);

/* Wake whoever of the two sleeps, once the run has stopped; and, with both through, let go of everything. */
void stream_stop(struct task *task, struct stream *stream);
void stream_close(struct stream_net *net, struct task *task, struct stream *stream);

/* After all streams of the queue: packets under way, and its page pool. */
void stream_close_queue(struct stream_net *net, struct task *task, struct nic_queue *queue);

#endif
