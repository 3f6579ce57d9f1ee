/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/kernel/stream.h"

#include "models/kernel/sched.h"
#include "models/kernel/stream_parts.h"

sim_ps stream_write_time(const struct stream_net *net, uint32_t bytes)
{
	return ns_to_ps(bytes / net->write_bytes_per_ns);
}

sim_ps stream_read_time(const struct stream_net *net, uint32_t bytes)
{
	return ns_to_ps(bytes / net->read_bytes_per_ns);
}

void stream_work(const struct stream_net *net, struct task *task, sim_ps duration)
{
	task_kernel(task, rng_jitter(&task->cpu->rng, duration, net->jitter_pct));
}

/* sk_stream_write_space(), sctp_write_space() */
static void wake_sender(struct task *task, struct stream *stream)
{
	if (!stream->sender.waits)
		return;
	stream->sender.waits = false;
	task_wake(task, stream->sender.task);
}

void stream_wake_reader(struct task *task, struct stream *stream)
{
	if (!stream->receiver.waits)
		return;
	stream->receiver.waits = false;
	task_wake_sync(task, stream->receiver.task);
}

static void lock_sock(struct task *task, struct stream_end *end)
{
	cpu_sync(task->cpu);
	end->owned = true;
}

static void sleep_on(struct task *task, struct stream_end *end, const char *what)
{
	end->waits = true;
	task_sleep(task, what);
}

/* What the sender is charged for is gone: sk_stream_write_space() wakes it at two thirds, sctp_wfree() at once. */
static void uncharge(struct stream_net *net, struct task *task, struct stream *stream, struct sk_buff *skb)
{
	const uint64_t enough = net->sctp ? net->limit_bytes - 1 : net->limit_bytes / 3 * 2;

	if (net->steers)
		stream_work(net, task, net->arrival_ps);
	stream->charged -= skb->truesize;
	if (stream->charged <= enough)
		wake_sender(task, stream);
	skb_free(net->pool, task, skb);
}

/* Nobody has the socket, but the softirq runs on its owner's CPU: who goes on there once there is room, and frees. */
static void steer_to_sender(struct stream_net *net, struct task *task, struct stream *stream, struct sk_buff *skb)
{
	skb_queue_tail(&stream->sender.backlog, skb);
	if (stream->charged - stream->sender.backlog.truesize <= net->limit_bytes / 3 * 2)
		wake_sender(task, stream);
}

void stream_acknowledge(struct stream_net *net, struct task *task, struct stream *stream, struct sk_buff *skb)
{
	if (stream->sender.owned)
		skb_queue_tail(&stream->sender.backlog, skb);
	else if (net->steers)
		steer_to_sender(net, task, stream, skb);
	else
		uncharge(net, task, stream, skb);
}

void stream_process_acknowledgements(struct stream_net *net, struct task *task, struct stream *stream)
{
	struct sk_buff *skb;

	cpu_sync(task->cpu);
	while ((skb = skb_dequeue(&stream->sender.backlog))) {
		uncharge(net, task, stream, skb);
		cpu_sync(task->cpu);
	}
}

static void release_sender(struct stream_net *net, struct task *task, struct stream *stream)
{
	do {
		stream_process_acknowledgements(net, task, stream);
		if (net->sctp)
			sctp_flush(net, task, stream);
	} while (stream->sender.backlog.nr);
	stream->sender.owned = false;
}

void stream_wait_for_room(struct stream_net *net, struct task *task, struct stream *stream)
{
	while (stream->charged >= net->limit_bytes && !*net->stopped) {
		release_sender(net, task, stream);
		if (stream->charged >= net->limit_bytes)
			sleep_on(task, &stream->sender, "room in the send buffer");
		lock_sock(task, &stream->sender);
	}
}

void stream_send(struct stream_net *net, struct stream *stream, uint32_t bytes)
{
	struct task *task = stream->sender.task;

	lock_sock(task, &stream->sender);
	stream_wait_for_room(net, task, stream);
	if (net->sctp)
		sctp_send(net, task, stream, bytes);
	else
		tcp_send(net, task, stream, bytes);
	release_sender(net, task, stream);
}

static void release_receiver(struct stream_net *net, struct task *task, struct stream *stream)
{
	struct sk_buff *packet;

	cpu_sync(task->cpu);
	while ((packet = skb_dequeue(&stream->receiver.backlog))) {
		sctp_receive(net, task, stream, packet);
		cpu_sync(task->cpu);
	}
	stream->receiver.owned = false;
}

static void wait_for_data(struct stream_net *net, struct task *task, struct stream *stream)
{
	if (net->sctp)
		sctp_settle(net, task, stream);
	release_receiver(net, task, stream);
	if (!stream->receive_queue.nr && !*net->stopped)
		sleep_on(task, &stream->receiver, "data");
	lock_sock(task, &stream->receiver);
}

void stream_select(struct stream_net *net, struct stream *stream)
{
	struct task *task = stream->receiver.task;

	cpu_sync(task->cpu);
	if (!stream->receive_queue.nr && !*net->stopped)
		sleep_on(task, &stream->receiver, "data");
}

void stream_receive(struct stream_net *net, struct stream *stream, uint32_t bytes)
{
	struct task *task = stream->receiver.task;

	lock_sock(task, &stream->receiver);
	while (!stream->receive_queue.nr && !*net->stopped)
		wait_for_data(net, task, stream);
	if (stream->receive_queue.nr && net->sctp)
		sctp_read(net, task, stream);
	else if (stream->receive_queue.nr)
		tcp_read(net, task, stream, bytes);
	release_receiver(net, task, stream);
}

void stream_stop(struct task *task, struct stream *stream)
{
	cpu_sync(task->cpu);
	wake_sender(task, stream);
	stream_wake_reader(task, stream);
}

static void free_queue(struct stream_net *net, struct task *task, struct skb_queue *queue)
{
	while (queue->nr)
		skb_free(net->pool, task, skb_dequeue(queue));
}

void stream_close(struct stream_net *net, struct task *task, struct stream *stream)
{
	if (stream->partial)
		skb_free(net->pool, task, stream->partial);
	free_queue(net, task, &stream->outqueue);
	free_queue(net, task, &stream->unacked);
	free_queue(net, task, &stream->receive_queue);
	free_queue(net, task, &stream->sender.backlog);
	free_queue(net, task, &stream->receiver.backlog);
	page_frag_put(net->pool, task, &stream->frag);
}
