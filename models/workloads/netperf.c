/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * netperf over loopback: `threads` pairs of netperf and netserver, a stream each. One operation is one message sent.
 *
 *	TCP_STREAM        messages of `bytes` into segments, blocks of order 3
 *	SCTP_STREAM_MANY  each message twice linear data of its size: pages of order 2 for 10 KiB
 *
 * What the protocols do is in kernel/stream.h, with what it abstracts. Sources: bytes is netperf's own default for TCP; for
 * SCTP the kernel test robot gives 10 KiB (`netperf -t SCTP_STREAM_MANY ... -- -m 10K`); segment_bytes the MSS of loopback,
 * and SCTP's path MTU; tcp_window_bytes the default limit of tcp_wmem; sctp_sndbuf_bytes and sctp_rwnd_bytes from
 * net.core.wmem_default, the latter half of it (sctp_association_init()).
 *
 * Costs of TCP are from tests/data/zen5-vm-2cpu-sockets.csv: a write takes 1745 ns at 64 bytes and 0.165 ns more per
 * byte, of which the copy as in iperf3 leaves 4.7 us per segment; a read 0.5 ns per byte. Costs of SCTP: nobody
 * measured its parts; a report of the kernel test robot on commit 4890b686f4 (2022: 64 pairs on 128 CPUs of two Ice
 * Lake sockets) has 9078 Mbit/s per pair at 10 KiB, so the slower end takes 9.0 us per message beside a busy sibling,
 * some 5.6 us alone; both ends are set to that. user_ns, the time for which an acknowledgement finds the socket free,
 * is 12 % of a small write: the share of its blocks that a recorded iperf3 frees at the other end
 * (docs/workload-shapes.md). jitter_pct is a guess.
 */
#include "models/workloads/workload.h"

#include "models/kernel/page_alloc.h"
#include "models/kernel/sched.h"
#include "models/kernel/skb.h"
#include "models/kernel/stream.h"

#define SCTP_MESSAGE_BYTES_MAX 65000 /* fits into one packet of 65535 with its headers */

enum test {
	TEST_TCP_STREAM,
	TEST_SCTP_STREAM_MANY,
};

static const char *const test_names[] = { "TCP_STREAM", "SCTP_STREAM_MANY", NULL };

struct netperf_params {
	int test; /* enum test */
	uint32_t bytes;
	uint32_t read_bytes;
	uint32_t segment_bytes;
	uint32_t tcp_window_bytes, sctp_sndbuf_bytes, sctp_rwnd_bytes;
	double user_ns;
	uint32_t jitter_pct;
	double tcp_send_ns, tcp_segment_ns, tcp_receive_ns;
	double sctp_send_ns, sctp_packet_ns, sctp_receive_ns;
	double write_bytes_per_ns, read_bytes_per_ns;
};

/* clang-format off */
static const struct param netperf_params[] = {
	PARAM_ONE_OF(struct netperf_params, test, test_names, TEST_TCP_STREAM, "which test of netperf"),
	PARAM(struct netperf_params, bytes, "", 16384, 1, 1e8, "bytes per message (-m); SCTP: at most 65000"),
	PARAM(struct netperf_params, read_bytes, "", 131072, 1, 1e8, "TCP: bytes per recv() at most"),
	PARAM(struct netperf_params, segment_bytes, "", 65483, 1, 65536, "payload of a full segment; SCTP: of a packet"),
	PARAM(struct netperf_params, tcp_window_bytes, "", 4194304, 65536, 1e9, "unacknowledged bytes, with overhead, that stop a sender"),
	PARAM(struct netperf_params, sctp_sndbuf_bytes, "", 212992, 65536, 1e9, "the same of SCTP"),
	PARAM(struct netperf_params, sctp_rwnd_bytes, "", 106496, 65536, 1e9, "unread bytes that stop a sender"),
	PARAM(struct netperf_params, user_ns, "ns", 200, 0, 1e9, "netperf itself and system call entry, per send() and recv()"),
	PARAM(struct netperf_params, jitter_pct, "pct", 10, 0, 100, "spread of all times, uniform"),
	PARAM(struct netperf_params, tcp_send_ns, "ns", 1550, 0, 1e9, "kernel's part of a send(), beside copy and segments"),
	PARAM(struct netperf_params, tcp_segment_ns, "ns", 4700, 0, 1e9, "TCP and IP output per segment, with loopback's receive softirq"),
	PARAM(struct netperf_params, tcp_receive_ns, "ns", 4000, 0, 1e9, "receive and acknowledgement per segment, beside the copy"),
	PARAM(struct netperf_params, sctp_send_ns, "ns", 1600, 0, 1e9, "kernel's part of a send(), beside copy and packet"),
	PARAM(struct netperf_params, sctp_packet_ns, "ns", 1900, 0, 1e9, "SCTP and IP output per packet, with loopback's receive softirq"),
	PARAM(struct netperf_params, sctp_receive_ns, "ns", 1000, 0, 1e9, "receive per message, beside the copy"),
	PARAM(struct netperf_params, write_bytes_per_ns, "bytes/ns", 10.7, 0.001, 1e6, "copy to and inside the kernel"),
	PARAM(struct netperf_params, read_bytes_per_ns, "bytes/ns", 2.3, 0.001, 1e6, "copy to the reader from what the sender's CPU has just written"),
	PARAM_END,
};
/* clang-format on */

struct netperf_state {
	const struct netperf_params *params;
	struct stream_net net;
	struct pair {
		struct stream stream;
		int nr_ended;
	} * pairs;
	sim_ps user_ps;
	uint64_t bytes_at_begin;
};

/* A message is one chunk. */
static int netperf_check(const void *arg, struct error *err)
{
	const struct netperf_params *params = arg;

	if (params->test == TEST_SCTP_STREAM_MANY && params->bytes > SCTP_MESSAGE_BYTES_MAX)
		return error_plain(err, "a message of SCTP has at most %d bytes, not %u", SCTP_MESSAGE_BYTES_MAX,
				   params->bytes);
	return 0;
}

static int netperf_nr_tasks(const void *params, int nr_threads)
{
	(void)params;
	return 2 * nr_threads;
}

static struct stream_net net_of(const struct workload_site *site, const struct netperf_params *params)
{
	const bool sctp = params->test == TEST_SCTP_STREAM_MANY;

	return (struct stream_net){
		.pool = skb_pool_create(site->arena, site->machine, site->page_alloc),
		.stopped = site->stopped,
		.sctp = sctp,
		.segment_bytes = params->segment_bytes,
		.limit_bytes = sctp ? params->sctp_sndbuf_bytes : params->tcp_window_bytes,
		.rwnd_bytes = params->sctp_rwnd_bytes,
		.send_ps = ns_to_ps(sctp ? params->sctp_send_ns : params->tcp_send_ns),
		.segment_ps = ns_to_ps(sctp ? params->sctp_packet_ns : params->tcp_segment_ns),
		.receive_ps = ns_to_ps(sctp ? params->sctp_receive_ns : params->tcp_receive_ns),
		.write_bytes_per_ns = params->write_bytes_per_ns,
		.read_bytes_per_ns = params->read_bytes_per_ns,
		.jitter_pct = params->jitter_pct,
	};
}

static void *netperf_create(const struct workload_site *site, const void *arg)
{
	const struct netperf_params *params = arg;
	struct netperf_state *state = arena_alloc(site->arena, sizeof(*state));

	state->params = params;
	state->net = net_of(site, params);
	state->user_ps = ns_to_ps(params->user_ns);
	state->pairs = arena_calloc(site->arena, (size_t)site->nr_threads, sizeof(*state->pairs));
	for (int i = 0; i < site->nr_threads; i++)
		state->pairs[i].stream.announced = state->pairs[i].stream.peer_rwnd = params->sctp_rwnd_bytes;
	return state;
}

static uint64_t netperf_operation(void *arg, struct task *task)
{
	struct netperf_state *state = arg;
	struct stream *stream = &state->pairs[task->index / 2].stream;
	const bool sends = task->index % 2 == 0;

	*(sends ? &stream->sender.task : &stream->receiver.task) = task;
	task_user(task, rng_jitter(&task->cpu->rng, state->user_ps, state->params->jitter_pct));
	if (sends)
		stream_send(&state->net, stream, state->params->bytes);
	else
		stream_receive(&state->net, stream, state->params->read_bytes);
	return sends;
}

/* The first of a pair lets the other one see that it is over; the second one closes the sockets. */
static void netperf_finish(void *arg, struct task *task)
{
	struct netperf_state *state = arg;
	struct pair *pair = &state->pairs[task->index / 2];

	stream_stop(task, &pair->stream);
	if (++pair->nr_ended == 2)
		stream_close(&state->net, task, &pair->stream);
}

static void netperf_begin(void *arg)
{
	struct netperf_state *state = arg;

	state->bytes_at_begin = state->net.bytes;
	skb_pool_begin(state->net.pool);
}

static void netperf_end(void *arg, const struct workload_window *window, double metrics[NR_METRICS])
{
	const struct netperf_state *state = arg;
	const double bytes = (double)(state->net.bytes - state->bytes_at_begin);

	metrics[METRIC_BANDWIDTH] = 8 * bytes / ps_to_ns(window->measured_ps);
	metrics[METRIC_FREED_ELSEWHERE_PCT] = skb_pool_elsewhere_pct(state->net.pool);
}

static uint64_t netperf_nr_held_pages(const void *arg)
{
	const struct netperf_state *state = arg;

	return skb_pool_pages(state->net.pool);
}

const struct workload workload_netperf = {
	.name = "netperf",
	.summary = "pairs that stream over loopback, TCP from page fragments or SCTP from pages of each message's size",
	.params = netperf_params,
	.params_size = sizeof(struct netperf_params),
	.scheduled = true,
	.allocates = true,
	.check = netperf_check,
	.nr_tasks = netperf_nr_tasks,
	.create = netperf_create,
	.operation = netperf_operation,
	.finish = netperf_finish,
	.begin = netperf_begin,
	.end = netperf_end,
	.nr_held_pages = netperf_nr_held_pages,
};
