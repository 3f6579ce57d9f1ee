/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * iperf3: `threads` pairs that stream data over TCP, two tasks each, anywhere on
 * the machine. One operation is one write() of the sender. What it asks of the page
 * allocator are blocks of order 3, unmovable: the sender cuts its data from page
 * fragments of 32 KiB (skb_page_frag_refill()), on the CPU where it runs; who
 * processes the acknowledgement lets go of them.
 *
 *	loopback  the second task is the server: it reads, and acknowledges what
 *	          it has read
 *	nic       the second task is the interrupt thread (threaded NAPI) of the
 *	          sender's queue: the peer is another machine, as fast as the wire;
 *	          all senders share one wire of line_rate_gbits
 *
 * With ack_cpu: sender the NIC steers acknowledgements to the sender's CPU (accelerated
 * RFS), which frees then; the interrupt thread only says when they are there.
 *
 * While the sender has its socket, an acknowledgement goes to the socket's
 * backlog and the sender frees; else it is processed where it arrives, on the
 * second task's CPU (sk_add_backlog(), __release_sock()). A sender that has
 * window_bytes unacknowledged sleeps until a third of them is free
 * (sk_stream_write_space()); so long runs of frees begin.
 *
 * A recorded run over loopback (docs/workload-shapes.md) frees 88 % of its
 * blocks on the sender's CPU and 12 % on the receiver's, one or three blocks
 * after every two that are allocated. So the backlog is dealt with at every
 * segment here. The kernel frees on the sender's CPU in two ways: the backlog at
 * the end of tcp_sendmsg(), and, since 5.19, received buffers that go back to the CPU
 * that allocated them (skb_attempt_defer_free()) and are freed in the softirq
 * that its next segment raises. The recording cannot tell them apart; the
 * backlog stands for both.
 *
 * Abstracts: one skb per segment stands for the sender's copy and the one that
 * is received; window and segments do not grow from small ones; no losses, no
 * retransmissions. The receive ring of a NIC is left out: drivers recycle its
 * pages (page_pool) and ask the allocator for none at a steady rate.
 *
 * Sources: write_bytes and read_bytes are iperf3's defaults; segment_bytes the
 * MSS of loopback (MTU 65536 less 53 bytes); window_bytes the default limit of
 * tcp_wmem (Documentation/networking/ip-sysctl.rst), and the most that the
 * recorded run had in flight per stream. Copies, and softirq_ns and receive_ns
 * together: 42 Gbit/s per receiving core, about half of its time copying (Cai et
 * al., Understanding Host Network Stack Overheads, SIGCOMM 2021); over loopback
 * the sender's CPU does the softirq's part, and is the slower one, as recorded.
 * user_ns: so that the socket is free for about 12 % of a write, as recorded.
 * Nobody measured send_ns, ack_ns and rtt_ns for this, nor how the receiver's
 * time divides.
 */
#include "models/workloads/workload.h"

#include "models/kernel/sched.h"
#include "models/kernel/skb.h"

enum transport {
	TRANSPORT_LOOPBACK,
	TRANSPORT_NIC,
};

static const char *const transport_names[] = { "loopback", "nic", NULL };

/* Whose CPU processes acknowledgements that a NIC receives. */
enum ack_cpu {
	ACK_CPU_INTERRUPT,
	ACK_CPU_SENDER,
};

static const char *const ack_cpu_names[] = { "interrupt", "sender", NULL };

struct iperf3_params {
	int transport; /* enum transport */
	int ack_cpu; /* enum ack_cpu */
	uint32_t write_bytes, read_bytes;
	uint32_t segment_bytes;
	uint32_t window_bytes;
	double copy_bytes_per_ns;
	double user_ns, send_ns, softirq_ns, receive_ns, ack_ns;
	uint32_t jitter_pct;
	double line_rate_gbits;
	double rtt_ns, coalesce_ns;
};

/* clang-format off */
static const struct param iperf3_params[] = {
	PARAM_ONE_OF(struct iperf3_params, transport, transport_names, TRANSPORT_LOOPBACK, "loopback: both ends here; nic: the sending ends, and their interrupts"),
	PARAM_ONE_OF(struct iperf3_params, ack_cpu, ack_cpu_names, ACK_CPU_INTERRUPT, "nic: acknowledgements are processed by the queue's interrupt thread, or (accelerated RFS) on the sender's CPU"),
	PARAM(struct iperf3_params, write_bytes, "", 131072, 1, 1e8, "bytes per write()"),
	PARAM(struct iperf3_params, read_bytes, "", 131072, 1, 1e8, "bytes per read() at most"),
	PARAM(struct iperf3_params, segment_bytes, "", 65483, 536, 65536, "payload of a full segment (GSO)"),
	PARAM(struct iperf3_params, window_bytes, "", 4194304, 65536, 1e9, "unacknowledged bytes, with overhead, that stop a sender"),
	PARAM(struct iperf3_params, copy_bytes_per_ns, "bytes/ns", 10.7, 0.001, 1e6, "copy between user and kernel, each way"),
	PARAM(struct iperf3_params, user_ns, "ns", 2500, 0, 1e9, "iperf3 itself and system call entry, per write() and read()"),
	PARAM(struct iperf3_params, send_ns, "ns", 3000, 0, 1e9, "TCP and IP output per segment"),
	PARAM(struct iperf3_params, softirq_ns, "ns", 3000, 0, 1e9, "loopback: IP and TCP input per segment, on the sender's CPU"),
	PARAM(struct iperf3_params, receive_ns, "ns", 3200, 0, 1e9, "loopback: reading and acknowledging a segment, beside the copy"),
	PARAM(struct iperf3_params, ack_ns, "ns", 1000, 0, 1e9, "nic: driver and TCP per acknowledged segment"),
	PARAM(struct iperf3_params, jitter_pct, "pct", 20, 0, 100, "spread of these times, uniform"),
	PARAM(struct iperf3_params, line_rate_gbits, "", 400, 0.001, 1e6, "nic: of the wire that all senders share"),
	PARAM(struct iperf3_params, rtt_ns, "ns", 20e3, 0, 1e9, "nic: from the last bit of a segment to its acknowledgement"),
	PARAM(struct iperf3_params, coalesce_ns, "ns", 8e3, 0, 1e9, "nic: how long an interrupt waits for others (rx-usecs)"),
	PARAM_END,
};
/* clang-format on */

/* A pair. */
struct flow {
	struct task *sender, *receiver;
	struct page_frag frag;
	struct sk_buff *partial; /* the segment that is being filled */
	struct skb_queue sent; /* loopback: to read; nic: to be acknowledged */
	sim_ps *ack_dates; /* nic, a ring: of `sent` */
	uint32_t first_ack;
	struct skb_queue backlog; /* acknowledgements that found the socket taken */
	uint64_t in_flight; /* truesize from sending to freeing */
	bool owned; /* the sender has the socket */
	bool sender_waits, receiver_waits;
	int nr_ended;
};

struct iperf3_state {
	const struct iperf3_params *params;
	struct skb_pool *pool;
	struct flow *flows;
	const bool *stopped;
	sim_ps user_ps, send_ps, receive_ps, ack_ps, rtt_ps, coalesce_ps;
	sim_ps wire_free_ps; /* date from which the wire takes the next segment */
	uint32_t max_in_flight; /* segments of a flow */
	uint64_t bytes; /* read or acknowledged */
	uint64_t bytes_at_begin;
};

static int iperf3_nr_tasks(const void *params, int nr_threads)
{
	(void)params;
	return 2 * nr_threads;
}

static void *iperf3_create(const struct workload_site *site, const void *arg)
{
	const struct iperf3_params *params = arg;
	struct iperf3_state *state = arena_alloc(site->arena, sizeof(*state));

	state->params = params;
	state->pool = skb_pool_create(site->arena, site->machine, site->page_alloc);
	state->stopped = site->stopped;
	state->user_ps = ns_to_ps(params->user_ns);
	state->send_ps = ns_to_ps(params->send_ns);
	if (params->transport == TRANSPORT_LOOPBACK)
		state->send_ps += ns_to_ps(params->softirq_ns);
	state->receive_ps = ns_to_ps(params->receive_ns);
	state->ack_ps = params->transport == TRANSPORT_NIC ? ns_to_ps(params->ack_ns) : 0;
	state->rtt_ps = ns_to_ps(params->rtt_ns);
	state->coalesce_ps = ns_to_ps(params->coalesce_ns);
	/* each is charged its payload at least, but for one that a full window lets through */
	state->max_in_flight = params->window_bytes / params->segment_bytes + 2;
	state->flows = arena_calloc(site->arena, (size_t)site->nr_threads, sizeof(*state->flows));
	for (int i = 0; i < site->nr_threads && params->transport == TRANSPORT_NIC; i++)
		state->flows[i].ack_dates = arena_calloc(site->arena, state->max_in_flight, sizeof(sim_ps));
	return state;
}

static sim_ps copy_time(const struct iperf3_state *state, uint32_t bytes)
{
	return ns_to_ps(bytes / state->params->copy_bytes_per_ns);
}

/* The two ends of a pair do not stay in step. */
static sim_ps jittered(const struct iperf3_state *state, struct task *task, sim_ps duration)
{
	return rng_jitter(&task->rng, duration, state->params->jitter_pct);
}

/* ---- the sender's socket ---- */

static void lock_sock(struct task *task, struct flow *flow)
{
	cpu_sync(task->cpu);
	flow->owned = true;
}

/* The retransmission queue lets go of a segment, in the task that processes its acknowledgement. */
static void clean_rtx_queue(struct iperf3_state *state, struct task *task, struct flow *flow, struct sk_buff *skb)
{
	task_kernel(task, jittered(state, task, state->ack_ps));
	flow->in_flight -= skb->truesize;
	skb_free(state->pool, task, skb);
}

/* __release_sock(): acknowledgements go on coming while it works. */
static void process_backlog(struct iperf3_state *state, struct task *task, struct flow *flow)
{
	struct sk_buff *skb;

	cpu_sync(task->cpu);
	while ((skb = skb_dequeue(&flow->backlog))) {
		clean_rtx_queue(state, task, flow, skb);
		cpu_sync(task->cpu);
	}
}

static void release_sock(struct iperf3_state *state, struct task *task, struct flow *flow)
{
	process_backlog(state, task, flow);
	flow->owned = false;
}

/* sk_stream_wait_memory() */
static void wait_for_memory(struct iperf3_state *state, struct task *task, struct flow *flow)
{
	while (flow->in_flight >= state->params->window_bytes && !*state->stopped) {
		release_sock(state, task, flow);
		if (flow->in_flight >= state->params->window_bytes) {
			flow->sender_waits = true;
			task_sleep(task, "room in the send buffer");
		}
		lock_sock(task, flow);
	}
}

static void wake(struct task *task, struct task *sleeper, bool *waits)
{
	if (!*waits)
		return;
	*waits = false;
	task_wake(task, sleeper);
}

/* The wire takes one segment after the other; its acknowledgement comes back after a round trip. */
static void put_on_wire(struct iperf3_state *state, const struct task *task, struct flow *flow, uint32_t bytes)
{
	const double wire_ns = 8.0 * bytes / state->params->line_rate_gbits;

	state->wire_free_ps = ps_max(state->wire_free_ps, task->cpu->date) + ns_to_ps(wire_ns);
	flow->ack_dates[(flow->first_ack + flow->sent.nr) % state->max_in_flight] = state->wire_free_ps + state->rtt_ps;
}

/* tcp_write_xmit() of one full segment. */
static void transmit(struct iperf3_state *state, struct task *task, struct flow *flow)
{
	struct sk_buff *skb = flow->partial;

	flow->partial = NULL;
	task_kernel(task, jittered(state, task, state->send_ps));
	cpu_sync(task->cpu);
	flow->in_flight += skb->truesize;
	if (state->params->transport == TRANSPORT_NIC)
		put_on_wire(state, task, flow, skb->len);
	skb_queue_tail(&flow->sent, skb);
	wake(task, flow->receiver, &flow->receiver_waits);
}

/* A segment to fill: tcp_stream_alloc_skb(), once the backlog is dealt with and there is room. */
static bool open_segment(struct iperf3_state *state, struct task *task, struct flow *flow)
{
	if (flow->partial)
		return true;
	process_backlog(state, task, flow);
	wait_for_memory(state, task, flow);
	flow->partial = skb_alloc(state->pool, task, MAX_TCP_HEADER_BYTES);
	return flow->partial;
}

/* Append up to `bytes` to the open segment, send it when it is full. Returns how many; 0 without memory. */
static uint32_t send_some(struct iperf3_state *state, struct task *task, struct flow *flow, uint32_t bytes)
{
	uint32_t room, appended;

	if (!open_segment(state, task, flow) || !page_frag_refill(state->pool, task, &flow->frag))
		return 0;
	room = state->params->segment_bytes - flow->partial->len;
	appended = skb_append(flow->partial, &flow->frag, bytes < room ? bytes : room);
	task_kernel(task, copy_time(state, appended));
	if (appended == room || !appended)
		transmit(state, task, flow);
	return appended;
}

/* tcp_sendmsg(). What is left of the last segment waits for the next write (Nagle). */
static uint64_t write_once(struct iperf3_state *state, struct task *task, struct flow *flow)
{
	uint32_t left = state->params->write_bytes;

	task_user(task, jittered(state, task, state->user_ps));
	lock_sock(task, flow);
	while (left && !*state->stopped)
		left -= send_some(state, task, flow, left);
	release_sock(state, task, flow);
	return 1;
}

/* ---- the other end ---- */

/* sk_stream_write_space(): the sender goes on when a third of its window is free, what is in the backlog included. */
static void write_space(struct iperf3_state *state, struct task *task, struct flow *flow)
{
	if (flow->in_flight - flow->backlog.truesize <= (uint64_t)state->params->window_bytes / 3 * 2)
		wake(task, flow->sender, &flow->sender_waits);
}

/* An acknowledgement of one segment arrives. */
static void acknowledge(struct iperf3_state *state, struct task *task, struct flow *flow, struct sk_buff *skb)
{
	const bool steered = state->params->transport == TRANSPORT_NIC && state->params->ack_cpu == ACK_CPU_SENDER;

	state->bytes += skb->len;
	if (flow->owned || steered)
		skb_queue_tail(&flow->backlog, skb);
	else
		clean_rtx_queue(state, task, flow, skb);
	write_space(state, task, flow);
}

/* tcp_recvmsg() */
static void read_once(struct iperf3_state *state, struct task *task, struct flow *flow)
{
	uint32_t bytes = 0;

	task_user(task, jittered(state, task, state->user_ps));
	cpu_sync(task->cpu);
	while (bytes < state->params->read_bytes && flow->sent.nr) {
		struct sk_buff *skb = skb_dequeue(&flow->sent);

		bytes += skb->len;
		task_kernel(task, jittered(state, task, state->receive_ps) + copy_time(state, skb->len));
		cpu_sync(task->cpu);
		acknowledge(state, task, flow, skb);
		cpu_sync(task->cpu);
	}
}

/* A NAPI poll: all acknowledgements that are there. */
static void poll_once(struct iperf3_state *state, struct task *task, struct flow *flow)
{
	const sim_ps interrupt_ps = flow->ack_dates[flow->first_ack] + state->coalesce_ps;

	if (interrupt_ps > task->cpu->date)
		task_sleep_for(task, interrupt_ps - task->cpu->date);
	while (flow->sent.nr && flow->ack_dates[flow->first_ack] <= task->cpu->date) {
		struct sk_buff *skb = skb_dequeue(&flow->sent);

		flow->first_ack = (flow->first_ack + 1) % state->max_in_flight;
		acknowledge(state, task, flow, skb);
		cpu_sync(task->cpu);
	}
}

static void receive_once(struct iperf3_state *state, struct task *task, struct flow *flow)
{
	cpu_sync(task->cpu);
	if (!flow->sent.nr) {
		if (*state->stopped)
			return;
		flow->receiver_waits = true;
		task_sleep(task, "data");
	} else if (state->params->transport == TRANSPORT_LOOPBACK) {
		read_once(state, task, flow);
	} else {
		poll_once(state, task, flow);
	}
}

/* ---- the workload ---- */

static bool is_sender(const struct task *task)
{
	return task->index % 2 == 0;
}

static struct flow *flow_of(const struct iperf3_state *state, struct task *task)
{
	struct flow *flow = &state->flows[task->index / 2];

	if (is_sender(task))
		flow->sender = task;
	else
		flow->receiver = task;
	return flow;
}

static uint64_t iperf3_operation(void *arg, struct task *task)
{
	struct iperf3_state *state = arg;
	struct flow *flow = flow_of(state, task);

	if (is_sender(task))
		return write_once(state, task, flow);
	receive_once(state, task, flow);
	return 0;
}

static void free_queue(struct iperf3_state *state, struct task *task, struct flow *flow, struct skb_queue *queue)
{
	struct sk_buff *skb;

	while ((skb = skb_dequeue(queue)))
		clean_rtx_queue(state, task, flow, skb);
}

/* The first of a pair lets the other one see that it is over; the second one closes the connection. */
static void iperf3_finish(void *arg, struct task *task)
{
	struct iperf3_state *state = arg;
	struct flow *flow = flow_of(state, task);

	cpu_sync(task->cpu);
	wake(task, flow->sender, &flow->sender_waits);
	wake(task, flow->receiver, &flow->receiver_waits);
	if (++flow->nr_ended < 2)
		return;
	if (flow->partial)
		skb_free(state->pool, task, flow->partial);
	free_queue(state, task, flow, &flow->sent);
	free_queue(state, task, flow, &flow->backlog);
	page_frag_put(state->pool, task, &flow->frag);
}

static void iperf3_begin(void *arg)
{
	struct iperf3_state *state = arg;

	state->bytes_at_begin = state->bytes;
	skb_pool_begin(state->pool);
}

static void iperf3_end(void *arg, const struct workload_window *window, double metrics[NR_METRICS])
{
	const struct iperf3_state *state = arg;
	const double bytes = (double)(state->bytes - state->bytes_at_begin);

	metrics[METRIC_BANDWIDTH] = 8 * bytes / ps_to_ns(window->measured_ps);
	metrics[METRIC_FREED_ELSEWHERE_PCT] = skb_pool_elsewhere_pct(state->pool);
}

static uint64_t iperf3_nr_held_pages(const void *arg)
{
	const struct iperf3_state *state = arg;

	return skb_pool_pages(state->pool);
}

const struct workload workload_iperf3 = {
	.name = "iperf3",
	.summary =
		"pairs that stream over TCP: blocks of order 3, allocated by the sender, freed by who is acknowledged",
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
