/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/trace/trace_codec.h"

#include <assert.h>
#include <string.h>

#define TYPE_MASK 0x07
#define CPU_CHANGED 0x08
#define TASK_CHANGED 0x10
#define KIND_CHANGED 0x20
#define RESERVED 0xc0

struct task {
	int32_t pid;
	char comm[TRACE_COMM_BYTES];
};

struct kind {
	uint8_t order;
	int8_t migratetype;
	int8_t percpu_refill;
};

struct trace_codec {
	int64_t time_ns;
	uint16_t cpu;
	struct kind kinds[NR_TRACE_TYPES];
	struct task tasks[TRACE_MAX_CPUS]; /* by CPU */
	uint64_t pfns[TRACE_MAX_CPUS];
};

struct trace_codec *trace_codec_create(struct arena *arena)
{
	return arena_alloc(arena, sizeof(struct trace_codec));
}

static unsigned char *put_varint(unsigned char *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*out++ = (unsigned char)(value | 0x80);
	*out++ = (unsigned char)value;
	return out;
}

/* NULL when the bytes end too early, or say a number of more than 64 bits. */
static const unsigned char *get_varint(const unsigned char *at, const unsigned char *end, uint64_t *out)
{
	uint64_t value = 0;

	for (int shift = 0; at < end && shift < 64; shift += 7) {
		const uint64_t bits = *at & 0x7f;

		if (bits << shift >> shift != bits)
			return NULL;
		value |= bits << shift;
		if (!(*at++ & 0x80)) {
			*out = value;
			return at;
		}
	}
	return NULL;
}

/* Differences wrap, so that any two numbers have one. */
static unsigned char *put_delta(unsigned char *out, uint64_t from, uint64_t to)
{
	const uint64_t delta = to - from;

	return put_varint(out, delta << 1 ^ (delta >> 63 ? UINT64_MAX : 0));
}

static const unsigned char *get_delta(const unsigned char *at, const unsigned char *end, uint64_t from, uint64_t *to)
{
	uint64_t zigzag;

	at = get_varint(at, end, &zigzag);
	if (at)
		*to = from + (zigzag >> 1 ^ (zigzag & 1 ? UINT64_MAX : 0));
	return at;
}

static bool same_task(const struct task *task, const struct trace_event *event)
{
	return task->pid == event->pid && memcmp(task->comm, event->comm, TRACE_COMM_BYTES) == 0;
}

static bool same_kind(const struct kind *kind, const struct trace_event *event)
{
	return kind->order == event->order && kind->migratetype == event->migratetype &&
	       kind->percpu_refill == event->percpu_refill;
}

static void remember(struct trace_codec *codec, const struct trace_event *event)
{
	struct task *task = &codec->tasks[event->cpu];

	codec->time_ns = event->time_ns;
	codec->cpu = event->cpu;
	codec->pfns[event->cpu] = event->pfn;
	codec->kinds[event->type] = (struct kind){ event->order, event->migratetype, event->percpu_refill };
	task->pid = event->pid;
	memcpy(task->comm, event->comm, TRACE_COMM_BYTES);
}

static unsigned char *put_task(unsigned char *out, const struct trace_event *event)
{
	const size_t bytes = strlen(event->comm);

	out = put_varint(out, (uint64_t)(event->pid + INT64_C(1)));
	*out++ = (unsigned char)bytes;
	memcpy(out, event->comm, bytes);
	return out + bytes;
}

size_t trace_codec_put(struct trace_codec *codec, const struct trace_event *event, unsigned char *out)
{
	unsigned char *at = out + 1;

	assert(trace_event_is_valid(event));
	*out = event->type;
	if (event->cpu != codec->cpu) {
		*out |= CPU_CHANGED;
		at = put_varint(at, event->cpu);
	}
	if (!same_task(&codec->tasks[event->cpu], event)) {
		*out |= TASK_CHANGED;
		at = put_task(at, event);
	}
	if (!same_kind(&codec->kinds[event->type], event)) {
		*out |= KIND_CHANGED;
		*at++ = event->order;
		*at++ = (unsigned char)(event->migratetype + 1);
		*at++ = (unsigned char)(event->percpu_refill + 1);
	}
	at = put_delta(at, (uint64_t)codec->time_ns, (uint64_t)event->time_ns);
	at = put_delta(at, codec->pfns[event->cpu], event->pfn);
	remember(codec, event);
	return (size_t)(at - out);
}

static const unsigned char *get_cpu(const unsigned char *at, const unsigned char *end, struct trace_event *event)
{
	uint64_t cpu;

	at = get_varint(at, end, &cpu);
	if (!at || cpu >= TRACE_MAX_CPUS)
		return NULL;
	event->cpu = (uint16_t)cpu;
	return at;
}

static const unsigned char *get_task(const unsigned char *at, const unsigned char *end, struct trace_event *event)
{
	uint64_t pid_plus_1;
	size_t bytes;

	at = get_varint(at, end, &pid_plus_1);
	if (!at || at == end || pid_plus_1 > (uint64_t)INT32_MAX + 1)
		return NULL;
	bytes = *at++;
	if (bytes >= TRACE_COMM_BYTES || (size_t)(end - at) < bytes || memchr(at, '\0', bytes))
		return NULL;
	event->pid = (int32_t)((int64_t)pid_plus_1 - 1);
	memset(event->comm, 0, TRACE_COMM_BYTES);
	memcpy(event->comm, at, bytes);
	return at + bytes;
}

static const unsigned char *get_kind(const unsigned char *at, const unsigned char *end, struct trace_event *event)
{
	if (end - at < 3 || at[1] > INT8_MAX || at[2] > INT8_MAX)
		return NULL;
	event->order = at[0];
	event->migratetype = (int8_t)(at[1] - 1);
	event->percpu_refill = (int8_t)(at[2] - 1);
	return at + 3;
}

/* What the event has in common with earlier ones, once its type and CPU are known. */
static void recall(const struct trace_codec *codec, struct trace_event *event)
{
	const struct kind *kind = &codec->kinds[event->type];

	event->pid = codec->tasks[event->cpu].pid;
	memcpy(event->comm, codec->tasks[event->cpu].comm, TRACE_COMM_BYTES);
	event->order = kind->order;
	event->migratetype = kind->migratetype;
	event->percpu_refill = kind->percpu_refill;
}

bool trace_codec_get(struct trace_codec *codec, const unsigned char **at, const unsigned char *end,
		     struct trace_event *event)
{
	const unsigned char *next = *at;
	unsigned char head;
	uint64_t time_ns;

	if (next == end)
		return false;
	head = *next++;
	event->type = head & TYPE_MASK;
	event->cpu = codec->cpu;
	if (head & RESERVED || event->type >= NR_TRACE_TYPES)
		return false;
	if (head & CPU_CHANGED)
		next = get_cpu(next, end, event);
	if (!next)
		return false;
	recall(codec, event);
	if (head & TASK_CHANGED)
		next = get_task(next, end, event);
	if (next && head & KIND_CHANGED)
		next = get_kind(next, end, event);
	if (next)
		next = get_delta(next, end, (uint64_t)codec->time_ns, &time_ns);
	if (next)
		next = get_delta(next, end, codec->pfns[event->cpu], &event->pfn);
	if (!next || time_ns > INT64_MAX)
		return false;
	event->time_ns = (int64_t)time_ns;
	if (!trace_event_is_valid(event))
		return false;
	remember(codec, event);
	*at = next;
	return true;
}
