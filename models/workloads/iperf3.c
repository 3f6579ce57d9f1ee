/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * iperf3: `threads` client/server pairs that stream data over TCP, client to server. One operation is one write() of a
 * client, or one read() where only servers are here. What the protocol does is in kernel/stream.h, with what it abstracts.
 *
 *	both     both ends on this machine, over loopback, each a task anywhere on it
 *	clients  the servers are on another machine, across a network card (kernel/nic.h). Blocks of order 3, allocated
 *	         where a client runs, freed where its acknowledgement is processed: by the thread of the queue that
 *	         the stream hashes to (RSS), or with acks: client on the client's own CPU (accelerated RFS)
 *	servers  the clients are. The driver's pages are of order 0 and go round through its page pool; the allocator
 *	         sees those that do not fit into the pool's ring
 *
 * Sources: write_bytes and read_bytes are iperf3's defaults; segment_bytes the MSS of loopback (MTU 65536 less 53 bytes), and
 * about the most that TSO and GRO make of one; window_bytes the default limit of tcp_wmem
 * (Documentation/networking/ip-sysctl.rst), and the most that the recorded run had in flight per stream. Copies, and
 * softirq_ns and receive_ns together: 42 Gbit/s per receiving core, about half of its time copying (Cai et al.,
 * Understanding Host Network Stack Overheads, SIGCOMM 2021); over loopback the client's CPU does the softirq's part, and is
 * the slower one, as recorded. user_ns: so that the socket is free for about 12 % of a write, as recorded
 * (docs/workload-shapes.md). queues: the most that mlx5 has in v6.6 (MLX5E_MAX_NUM_CHANNELS; v6.12 has 256); page_bytes: two
 * packets of 1448 bytes; ring_pages: mlx5's ring of 1024 packets of 2 KiB each. Nobody measured send_ns, ack_ns and rtt_ns
 * for this, nor how the receiver's time divides.
 */
#include "models/workloads/workload.h"

#include "models/kernel/nic.h"
#include "models/kernel/skb.h"
#include "models/kernel/stream.h"

enum ends {
	ENDS_BOTH,
	ENDS_CLIENTS,
	ENDS_SERVERS,
};

static const char *const ends_names[] = { "both", "clients", "servers", NULL };

enum acks {
	ACKS_QUEUE,
	ACKS_CLIENT,
};

static const char *const acks_names[] = { "queue", "client", NULL };

struct iperf3_params {
	int ends; /* enum ends */
	int acks; /* enum acks */
	uint32_t write_bytes, read_bytes;
	uint32_t segment_bytes;
	uint32_t window_bytes;
	double copy_bytes_per_ns;
	double user_ns, send_ns, softirq_ns, receive_ns, ack_ns;
	uint32_t jitter_pct;
	uint32_t queues;
	double line_rate_gbits;
	double rtt_ns, coalesce_ns;
	uint32_t page_bytes, ring_pages;
};

/* clang-format off */
static const struct param iperf3_params[] = {
	PARAM_ONE_OF(struct iperf3_params, ends, ends_names, ENDS_BOTH, "which ends are on this machine; both: over loopback, else the others are across a network card"),
	PARAM_ONE_OF(struct iperf3_params, acks, acks_names, ACKS_QUEUE, "clients: acknowledgements are processed by their queue's thread, or (accelerated RFS) on the client's CPU"),
	PARAM(struct iperf3_params, write_bytes, "", 131072, 1, 1e8, "bytes per write()"),
	PARAM(struct iperf3_params, read_bytes, "", 131072, 1, 1e8, "bytes per read() at most"),
	PARAM(struct iperf3_params, segment_bytes, "", 65483, 536, 65536, "payload of a full segment (GSO, GRO)"),
	PARAM(struct iperf3_params, window_bytes, "", 4194304, 65536, 1e9, "unacknowledged bytes, with overhead, that stop a client"),
	PARAM(struct iperf3_params, copy_bytes_per_ns, "bytes/ns", 10.7, 0.001, 1e6, "copy between user and kernel, each way"),
	PARAM(struct iperf3_params, user_ns, "ns", 2500, 0, 1e9, "iperf3 itself and system call entry, per write() and read()"),
	PARAM(struct iperf3_params, send_ns, "ns", 3000, 0, 1e9, "TCP and IP output per segment"),
	PARAM(struct iperf3_params, softirq_ns, "ns", 3000, 0, 1e9, "IP and TCP input per segment; both: on the client's CPU; servers: by the queue's thread"),
	PARAM(struct iperf3_params, receive_ns, "ns", 3200, 0, 1e9, "reading and acknowledging a segment, beside the copy"),
	PARAM(struct iperf3_params, ack_ns, "ns", 1000, 0, 1e9, "clients: driver and TCP per acknowledged segment"),
	PARAM(struct iperf3_params, jitter_pct, "pct", 20, 0, 100, "spread of these times, uniform"),
	PARAM(struct iperf3_params, queues, "", 128, 1, 4096, "receive queues of the network card, to which streams hash"),
	PARAM(struct iperf3_params, line_rate_gbits, "", 400, 0.001, 1e6, "of the wire that all streams share"),
	PARAM(struct iperf3_params, rtt_ns, "ns", 20e3, 0, 1e9, "from the last bit of a segment to its acknowledgement"),
	PARAM(struct iperf3_params, coalesce_ns, "ns", 8e3, 0, 1e9, "how long an interrupt waits for others (rx-usecs)"),
	PARAM(struct iperf3_params, page_bytes, "", 2896, 2048, 4096, "servers: payload per receive page"),
	PARAM(struct iperf3_params, ring_pages, "", 512, 1, 32768, "servers: free pages that a queue's page pool keeps"),
	PARAM_END,
};
/* clang-format on */

struct iperf3_state {
	const struct iperf3_params *params;
	struct stream_net net;
	struct stream *streams;
	int nr_streams, nr_queues;
	int nr_tasks, nr_ended;
	sim_ps user_ps;
	uint64_t bytes_at_begin;
};

/* Those of the streams' ends, then the threads of the queues. */
static int iperf3_nr_tasks(const void *arg, int nr_threads)
{
	const struct iperf3_params *params = arg;

	return nr_threads + (params->ends == ENDS_BOTH ? nr_threads : (int)params->queues);
}

static struct stream_net net_of(const struct workload_site *site, const struct iperf3_params *params)
{
	const bool servers = params->ends == ENDS_SERVERS;

	return (struct stream_net){
		.pool = skb_pool_create(site->arena, site->machine, site->page_alloc),
		.stopped = site->stopped,
		.far_senders = servers,
		.steers = params->ends == ENDS_CLIENTS && params->acks == ACKS_CLIENT,
		.segment_bytes = params->segment_bytes,
		.limit_bytes = params->window_bytes,
		.segment_ps = ns_to_ps(params->send_ns + (params->ends == ENDS_BOTH ? params->softirq_ns : 0)),
		.receive_ps = ns_to_ps(params->receive_ns),
		.arrival_ps = ns_to_ps(servers ? params->softirq_ns : params->ack_ns),
		.page_bytes = params->page_bytes,
		.write_bytes_per_ns = params->copy_bytes_per_ns,
		.read_bytes_per_ns = params->copy_bytes_per_ns,
		.jitter_pct = params->jitter_pct,
	};
}

static void create_nic(struct iperf3_state *state, const struct workload_site *site)
{
	const struct iperf3_params *params = state->params;
	const struct nic_config config = {
		.nr_queues = (int)params->queues,
		.bytes_per_ns = params->line_rate_gbits / 8,
		.rtt_ps = ns_to_ps(params->rtt_ns),
		.coalesce_ps = ns_to_ps(params->coalesce_ns),
		.ring_pages = params->ring_pages,
	};
	struct rng rss = rng_stream(site->seed, 0);

	state->nr_queues = config.nr_queues;
	state->net.nic = nic_create(site->arena, site->page_alloc, &config);
	for (int i = 0; i < state->nr_streams; i++)
		state->streams[i].queue = nic_queue(state->net.nic, (int)rng_below(&rss, params->queues));
}

static void *iperf3_create(const struct workload_site *site, const void *arg)
{
	const struct iperf3_params *params = arg;
	struct iperf3_state *state = arena_alloc(site->arena, sizeof(*state));

	*state = (struct iperf3_state){
		.params = params,
		.net = net_of(site, params),
		.nr_streams = site->nr_threads,
		.nr_tasks = site->nr_tasks,
		.user_ps = ns_to_ps(params->user_ns),
		.streams = arena_calloc(site->arena, (size_t)site->nr_threads, sizeof(*state->streams)),
	};
	if (params->ends != ENDS_BOTH)
		create_nic(state, site);
	return state;
}

static uint64_t write_once(struct iperf3_state *state, struct task *task, struct stream *stream)
{
	stream->sender.task = task;
	task_user(task, rng_jitter(&task->rng, state->user_ps, state->params->jitter_pct));
	stream_send(&state->net, stream, state->params->write_bytes);
	return 1;
}

/* A server sleeps in select(), and reads once it is back in user mode. */
static uint64_t read_once(struct iperf3_state *state, struct task *task, struct stream *stream)
{
	if (!stream->receiver.task && state->net.far_senders) {
		cpu_sync(task->cpu);
		stream_open_far(&state->net, task, stream, state->params->window_bytes);
	}
	stream->receiver.task = task;
	stream_select(&state->net, stream);
	task_user(task, rng_jitter(&task->rng, state->user_ps, state->params->jitter_pct));
	stream_receive(&state->net, stream, state->params->read_bytes);
	return state->net.far_senders;
}

static uint64_t iperf3_operation(void *arg, struct task *task)
{
	struct iperf3_state *state = arg;

	if (state->params->ends == ENDS_BOTH && task->index % 2)
		return read_once(state, task, &state->streams[task->index / 2]);
	if (state->params->ends == ENDS_BOTH)
		return write_once(state, task, &state->streams[task->index / 2]);
	if (task->index >= state->nr_streams) {
		stream_poll(&state->net, task, nic_queue(state->net.nic, task->index - state->nr_streams));
		return 0;
	}
	return state->net.far_senders ? read_once(state, task, &state->streams[task->index])
				      : write_once(state, task, &state->streams[task->index]);
}

/* Who ends lets the others see that it is over; the last one closes everything. */
static void iperf3_finish(void *arg, struct task *task)
{
	struct iperf3_state *state = arg;

	for (int i = 0; i < state->nr_streams; i++)
		stream_stop(task, &state->streams[i]);
	for (int i = 0; i < state->nr_queues; i++)
		nic_stop(task, nic_queue(state->net.nic, i));
	if (++state->nr_ended < state->nr_tasks)
		return;
	for (int i = 0; i < state->nr_streams; i++)
		stream_close(&state->net, task, &state->streams[i]);
	for (int i = 0; i < state->nr_queues; i++)
		stream_close_queue(&state->net, task, nic_queue(state->net.nic, i));
}

static void iperf3_begin(void *arg)
{
	struct iperf3_state *state = arg;

	state->bytes_at_begin = state->net.bytes;
	skb_pool_begin(state->net.pool);
}

static void iperf3_end(void *arg, const struct workload_window *window, double metrics[NR_METRICS])
{
	const struct iperf3_state *state = arg;
	const double bytes = (double)(state->net.bytes - state->bytes_at_begin);

	metrics[METRIC_BANDWIDTH] = 8 * bytes / ps_to_ns(window->measured_ps);
	if (!state->net.far_senders) /* page pools do not count it */
		metrics[METRIC_FREED_ELSEWHERE_PCT] = skb_pool_elsewhere_pct(state->net.pool);
}

static uint64_t iperf3_nr_held_pages(const void *arg)
{
	const struct iperf3_state *state = arg;

	return skb_pool_pages(state->net.pool);
}

const struct workload workload_iperf3 = {
	.name = "iperf3",
	.summary =
		"pairs that stream over TCP, or one end of them: blocks of order 3 where the clients are, freed by who "
		"is acknowledged",
	.params = iperf3_params,
	.params_size = sizeof(struct iperf3_params),
	.scheduled = true,
	.allocates = true,
	.nr_tasks = iperf3_nr_tasks,
	.create = iperf3_create,
	.operation = iperf3_operation,
	.finish = iperf3_finish,
	.begin = iperf3_begin,
	.end = iperf3_end,
	.nr_held_pages = iperf3_nr_held_pages,
};
