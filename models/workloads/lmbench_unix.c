/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lmbench-unix: `threads` pairs of processes that stream over AF_UNIX sockets, the
 * benchmark bw_unix of lmbench3 (bw_unix.c: socketpair(), writes and reads of 64 KiB,
 * the writer waits for the reader's word after each 10 MiB). One operation is one write().
 *
 * What it asks of the page allocator, from net/unix/af_unix.c and net/core/skbuff.c, v6.12: unix_stream_sendmsg() cuts
 * a write into buffers of at most SKB_MAX_HEAD(0) bytes of linear data and 32 KiB in blocks of up to order 3,
 * so a write of 64 KiB is a block of order 3, one each of orders 2, 1 and 0, and two heads from slab caches. The
 * writer allocates on its CPU. The reader copies a buffer and lets go of it on its own. A writer whose buffers reach
 * the socket's sndbuf sleeps until the reader has brought them down to a quarter of it (unix_writable()).
 *
 * Abstracts: the socket's locks and its file descriptor, the control pipe (a wake), memory of
 * the two processes. Sources: message_bytes and total_bytes are lmbench's defaults, sndbuf_bytes that of
 * net.core.wmem_default. Costs are from tests/data/zen5-vm-2cpu-sockets.csv, two processes on two CPUs: a write of 64 or
 * 1024 bytes, one buffer, takes 2.5 us and its read 2.4 us; a write of 64 KiB, two buffers, takes 38 us and its read 49
 * us. The page allocator's own part is in these. user_ns and jitter_pct are guesses.
 */
#include "models/workloads/workload.h"

#include "models/kernel/page_alloc.h"
#include "models/kernel/sched.h"
#include "models/kernel/skb.h"

struct lmbench_unix_params {
	uint32_t message_bytes;
	uint32_t total_bytes;
	uint32_t sndbuf_bytes;
	double user_ns, write_ns, read_ns;
	uint32_t jitter_pct;
	double write_bytes_per_ns, read_bytes_per_ns;
};

/* clang-format off */
static const struct param lmbench_unix_params[] = {
	PARAM(struct lmbench_unix_params, message_bytes, "", 65536, 1, 1e8, "bytes per write() and at most per read()"),
	PARAM(struct lmbench_unix_params, total_bytes, "", 10485760, 1, 1e9, "bytes after which the writer waits for the reader's word"),
	PARAM(struct lmbench_unix_params, sndbuf_bytes, "", 212992, 4096, 1e9, "buffers, with overhead, that stop the writer"),
	PARAM(struct lmbench_unix_params, user_ns, "ns", 100, 0, 1e9, "the process itself and system call entry, per write() and read()"),
	PARAM(struct lmbench_unix_params, write_ns, "ns", 2400, 0, 1e9, "kernel's part of a write, per buffer, beside the copy"),
	PARAM(struct lmbench_unix_params, read_ns, "ns", 2000, 0, 1e9, "kernel's part of a read, per buffer, beside the copy"),
	PARAM(struct lmbench_unix_params, jitter_pct, "pct", 10, 0, 100, "spread of all times, uniform"),
	PARAM(struct lmbench_unix_params, write_bytes_per_ns, "bytes/ns", 2, 0.001, 1e6, "copy from the writer into buffers that another CPU has used before"),
	PARAM(struct lmbench_unix_params, read_bytes_per_ns, "bytes/ns", 1.5, 0.001, 1e6, "copy to the reader from buffers that the writer's CPU has just filled"),
	PARAM_END,
};
/* clang-format on */

struct pair {
	struct task *writer, *reader;
	struct skb_queue queue; /* sk_receive_queue */
	uint32_t consumed; /* bytes of the first buffer that were read */
	uint64_t wmem; /* sk_wmem_alloc of the writer's socket */
	uint32_t to_write, to_read; /* of the total that is under way */
	bool writer_waits, reader_waits;
	int nr_ended;
};

struct lmbench_unix_state {
	const struct lmbench_unix_params *params;
	struct skb_pool *pool;
	struct pair *pairs;
	const bool *stopped;
	sim_ps user_ps, write_ps, read_ps;
	uint64_t bytes; /* read */
	uint64_t bytes_at_begin;
	uint32_t total_bytes; /* a multiple of message_bytes */
};

static int lmbench_unix_nr_tasks(const void *params, int nr_threads)
{
	(void)params;
	return 2 * nr_threads;
}

static void *lmbench_unix_create(const struct workload_site *site, const void *arg)
{
	const struct lmbench_unix_params *params = arg;
	struct lmbench_unix_state *state = arena_alloc(site->arena, sizeof(*state));

	state->params = params;
	state->pool = skb_pool_create(site->arena, site->machine, site->page_alloc);
	state->pairs = arena_calloc(site->arena, (size_t)site->nr_threads, sizeof(*state->pairs));
	state->stopped = site->stopped;
	state->total_bytes =
		(params->total_bytes + params->message_bytes - 1) / params->message_bytes * params->message_bytes;
	state->user_ps = ns_to_ps(params->user_ns);
	state->write_ps = ns_to_ps(params->write_ns);
	state->read_ps = ns_to_ps(params->read_ns);
	return state;
}

/* sock_def_readable(), unix_write_space(): the waker is about to sleep itself, most likely. */
static void wake(struct task *task, struct task *sleeper, bool *waits)
{
	if (!*waits)
		return;
	*waits = false;
	task_wake_sync(task, sleeper);
}

/* sock_wait_for_wmem() */
static void wait_for_wmem(const struct lmbench_unix_state *state, struct task *task, struct pair *pair)
{
	while (pair->wmem >= state->params->sndbuf_bytes && !*state->stopped) {
		pair->writer_waits = true;
		task_sleep(task, "room in the send buffer");
	}
}

static sim_ps about(const struct lmbench_unix_state *state, const struct task *task, sim_ps duration)
{
	return rng_jitter(&task->cpu->rng, duration, state->params->jitter_pct);
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* A buffer for the first of `left` bytes, as unix_stream_sendmsg() cuts them; NULL without memory. */
static struct sk_buff *alloc_buffer(const struct lmbench_unix_state *state, struct task *task, uint32_t left)
{
	const uint32_t head = (uint32_t)SKB_MAX_HEAD_BYTES;
	const uint32_t most = min_u32(state->params->sndbuf_bytes / 2 - 64, head + 32768);
	const uint32_t bytes = min_u32(left, most);
	const uint32_t beyond = bytes > head ? bytes - head : 0;
	const uint32_t paged = min_u32(bytes, (uint32_t)((beyond + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES));

	return skb_alloc_with_frags(state->pool, task, bytes - paged, paged, SKB_FRAG_PAGE_ORDER);
}

/* Returns the bytes of the buffer; 0 when there is no memory, or measuring is over. */
static uint32_t send_buffer(struct lmbench_unix_state *state, struct task *task, struct pair *pair, uint32_t left)
{
	struct sk_buff *skb;
	uint32_t bytes;

	cpu_sync(task->cpu);
	wait_for_wmem(state, task, pair);
	if (*state->stopped)
		return 0;
	skb = alloc_buffer(state, task, left);
	if (!skb)
		return 0;
	bytes = skb->len;
	task_kernel(task, about(state, task, state->write_ps + ns_to_ps(bytes / state->params->write_bytes_per_ns)));
	cpu_sync(task->cpu);
	pair->wmem += skb->truesize;
	skb_queue_tail(&pair->queue, skb);
	wake(task, pair->reader, &pair->reader_waits);
	return bytes;
}

static uint64_t write_once(struct lmbench_unix_state *state, struct task *task, struct pair *pair)
{
	uint32_t left = state->params->message_bytes;

	cpu_sync(task->cpu);
	while (!pair->to_write && !*state->stopped) {
		pair->writer_waits = true;
		task_sleep(task, "the reader's word");
	}
	task_user(task, about(state, task, state->user_ps));
	while (left) {
		const uint32_t sent = send_buffer(state, task, pair, left);

		if (!sent)
			return 0;
		left -= sent;
	}
	pair->to_write -= state->params->message_bytes;
	return 1;
}

/* consume_skb(): what the writer is charged goes first, then the blocks. */
static void consume(struct lmbench_unix_state *state, struct task *task, struct pair *pair)
{
	struct sk_buff *skb = skb_dequeue(&pair->queue);

	pair->consumed = 0;
	pair->wmem -= skb->truesize;
	if (4 * pair->wmem <= state->params->sndbuf_bytes)
		wake(task, pair->writer, &pair->writer_waits);
	skb_free(state->pool, task, skb);
}

/* Returns the bytes read of the first buffer. */
static uint32_t read_buffer(struct lmbench_unix_state *state, struct task *task, struct pair *pair, uint32_t most)
{
	const uint32_t bytes = min_u32(most, pair->queue.first->len - pair->consumed);

	task_kernel(task, about(state, task, state->read_ps + ns_to_ps(bytes / state->params->read_bytes_per_ns)));
	cpu_sync(task->cpu);
	state->bytes += bytes;
	pair->consumed += bytes;
	if (pair->consumed == pair->queue.first->len)
		consume(state, task, pair);
	return bytes;
}

/* unix_stream_read_generic() */
static void read_once(struct lmbench_unix_state *state, struct task *task, struct pair *pair)
{
	uint32_t bytes = 0;

	cpu_sync(task->cpu);
	if (!pair->to_read) {
		pair->to_read = pair->to_write = state->total_bytes;
		wake(task, pair->writer, &pair->writer_waits);
	}
	task_user(task, about(state, task, state->user_ps));
	cpu_sync(task->cpu);
	while (!pair->queue.nr && !*state->stopped) {
		pair->reader_waits = true;
		task_sleep(task, "data");
	}
	while (pair->queue.nr && bytes < state->params->message_bytes)
		bytes += read_buffer(state, task, pair, state->params->message_bytes - bytes);
	pair->to_read -= min_u32(pair->to_read, bytes);
}

static struct pair *pair_of(const struct lmbench_unix_state *state, struct task *task)
{
	struct pair *pair = &state->pairs[task->index / 2];

	if (task->index % 2)
		pair->reader = task;
	else
		pair->writer = task;
	return pair;
}

static uint64_t lmbench_unix_operation(void *arg, struct task *task)
{
	struct lmbench_unix_state *state = arg;
	struct pair *pair = pair_of(state, task);

	if (task == pair->writer)
		return write_once(state, task, pair);
	read_once(state, task, pair);
	return 0;
}

/* The first of a pair lets the other one see that it is over; the second one closes the sockets. */
static void lmbench_unix_finish(void *arg, struct task *task)
{
	struct lmbench_unix_state *state = arg;
	struct pair *pair = pair_of(state, task);

	cpu_sync(task->cpu);
	wake(task, pair->writer, &pair->writer_waits);
	wake(task, pair->reader, &pair->reader_waits);
	if (++pair->nr_ended < 2)
		return;
	while (pair->queue.nr)
		skb_free(state->pool, task, skb_dequeue(&pair->queue));
}

static void lmbench_unix_begin(void *arg)
{
	struct lmbench_unix_state *state = arg;

	state->bytes_at_begin = state->bytes;
	skb_pool_begin(state->pool);
}

static void lmbench_unix_end(void *arg, const struct workload_window *window, double metrics[NR_METRICS])
{
	const struct lmbench_unix_state *state = arg;
	const double bytes = (double)(state->bytes - state->bytes_at_begin);

	metrics[METRIC_BANDWIDTH] = 8 * bytes / ps_to_ns(window->measured_ps);
	metrics[METRIC_FREED_ELSEWHERE_PCT] = skb_pool_elsewhere_pct(state->pool);
}

static uint64_t lmbench_unix_nr_held_pages(const void *arg)
{
	const struct lmbench_unix_state *state = arg;

	return skb_pool_pages(state->pool);
}

const struct workload workload_lmbench_unix = {
	.name = "lmbench-unix",
	.summary = "pairs that stream over AF_UNIX sockets: blocks of orders 0 to 3, allocated by the writer, freed by "
		   "the reader",
	.params = lmbench_unix_params,
	.params_size = sizeof(struct lmbench_unix_params),
	.scheduled = true,
	.allocates = true,
	.nr_tasks = lmbench_unix_nr_tasks,
	.create = lmbench_unix_create,
	.operation = lmbench_unix_operation,
	.finish = lmbench_unix_finish,
	.begin = lmbench_unix_begin,
	.end = lmbench_unix_end,
	.nr_held_pages = lmbench_unix_nr_held_pages,
};
