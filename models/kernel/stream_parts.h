/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stream.c and the protocols share. Private to models/kernel/stream*.c. */
#ifndef CONTEND_KERNEL_STREAM_PARTS_H
#define CONTEND_KERNEL_STREAM_PARTS_H

#include "models/kernel/stream.h"

sim_ps stream_write_time(const struct stream_net *net, uint32_t bytes);
sim_ps stream_read_time(const struct stream_net *net, uint32_t bytes);

/* Kernel code of about so long. */
void stream_work(const struct stream_net *net, struct task *task, sim_ps duration);

/* sock_def_readable(), sctp_data_ready(): wake a reader that sleeps, as one that will sleep itself soon (WF_SYNC). */
void stream_wake_reader(struct task *task, struct stream *stream);

/*
 * An acknowledgement comes to the sender's socket, on the CPU of the task:
 * frees the buffer here, or leaves it to the owner.
 */
void stream_acknowledge(struct stream_net *net, struct task *task, struct stream *stream, struct sk_buff *skb);

/* The sender deals with its backlog; more may come while it works. */
void stream_process_acknowledgements(struct stream_net *net, struct task *task, struct stream *stream);

/* A segment leaves through the network card; and data that arrived by it have been read. */
void stream_nic_send(struct stream_net *net, struct task *task, struct stream *stream, struct sk_buff *skb);
void stream_nic_read(struct stream_net *net, struct task *task, struct stream *stream, struct sk_buff *skb);

/* Sleep, with the sender's socket free meanwhile, until there is room to send. */
void stream_wait_for_room(struct stream_net *net, struct task *task, struct stream *stream);

/* The protocols. The socket of the task is taken. */
void tcp_send(struct stream_net *net, struct task *task, struct stream *stream, uint32_t bytes);
void tcp_read(struct stream_net *net, struct task *task, struct stream *stream, uint32_t bytes);
void sctp_send(struct stream_net *net, struct task *task, struct stream *stream, uint32_t bytes);
void sctp_read(struct stream_net *net, struct task *task, struct stream *stream);

/* Send what the peer has room for; deliver a packet; acknowledge all that is there, before the reader sleeps. */
void sctp_flush(struct stream_net *net, struct task *task, struct stream *stream);
void sctp_receive(struct stream_net *net, struct task *task, struct stream *stream, struct sk_buff *packet);
void sctp_settle(struct stream_net *net, struct task *task, struct stream *stream);

#endif
