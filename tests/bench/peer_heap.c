/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ceiling: a bare heap of dates and callbacks, four children per node, and
 * nothing else. A callback mostly schedules one event, so the heap keeps the
 * place of the event that runs open for it instead of closing the gap first.
 */
#include "tests/bench/work.h"

struct cpu;

typedef void event_fn(struct cpu *cpu);

struct event {
	int64_t date;
	struct cpu *cpu;
};

struct heap {
	struct event *events;
	int nr_events;
	bool open; /* events[0] is the one that runs */
	int64_t now;
};

struct bench {
	struct heap heap;
	struct cpu *holder;
	struct cpu *first_waiting, *last_waiting;
};

struct cpu {
	event_fn *fn; /* what its event does */
	struct bench *bench;
	struct cpu *next_waiting;
	uint64_t random;
	int id;
	int nr_left;
};

static void sift_down(struct heap *heap, struct event event)
{
	struct event *events = heap->events;
	int place = 0;

	for (;;) {
		int child = 4 * place + 1;
		int last = child + 3 < heap->nr_events ? child + 3 : heap->nr_events - 1;
		int first = child;

		for (int other = child + 1; other <= last; other++)
			first = events[other].date < events[first].date ? other : first;
		if (child >= heap->nr_events || event.date <= events[first].date)
			break;
		events[place] = events[first];
		place = first;
	}
	events[place] = event;
}

static void sift_up(struct heap *heap, struct event event)
{
	struct event *events = heap->events;
	int place = heap->nr_events++;

	while (place > 0 && event.date < events[(place - 1) / 4].date) {
		events[place] = events[(place - 1) / 4];
		place = (place - 1) / 4;
	}
	events[place] = event;
}

static void schedule(struct cpu *cpu, int64_t date, event_fn *fn)
{
	struct heap *heap = &cpu->bench->heap;
	struct event event = { date, cpu };

	cpu->fn = fn;
	if (heap->open) {
		heap->open = false;
		sift_down(heap, event);
	} else {
		sift_up(heap, event);
	}
}

static void run(struct heap *heap)
{
	while (heap->nr_events > 0) {
		struct event event = heap->events[0];

		heap->now = event.date;
		heap->open = true;
		event.cpu->fn(event.cpu);
		if (heap->open) {
			heap->open = false;
			sift_down(heap, heap->events[--heap->nr_events]);
		}
	}
}

static void think(struct cpu *cpu, event_fn *then)
{
	if (cpu->nr_left-- > 0)
		schedule(cpu, think_until(&cpu->random, cpu->id, cpu->bench->heap.now), then);
}

static void hold_think(struct cpu *cpu)
{
	think(cpu, hold_think);
}

static void lock_wait(struct bench *bench, struct cpu *cpu)
{
	cpu->next_waiting = NULL;
	if (bench->first_waiting)
		bench->last_waiting->next_waiting = cpu;
	else
		bench->first_waiting = cpu;
	bench->last_waiting = cpu;
}

/* A CPU that holds the lock is done with it; any other wants it. */
static void lock_step(struct cpu *cpu)
{
	struct bench *bench = cpu->bench;

	if (bench->holder && bench->holder != cpu) {
		lock_wait(bench, cpu);
		return;
	}
	if (bench->holder) {
		bench->holder = bench->first_waiting;
		if (bench->holder)
			bench->first_waiting = bench->holder->next_waiting;
		think(cpu, lock_step);
	} else {
		bench->holder = cpu;
	}
	if (bench->holder)
		schedule(bench->holder, bench->heap.now + HOLD_PS, lock_step);
}

int main(int argc, char **argv)
{
	const struct work work = work_parse(argc, argv);
	struct bench bench = { .holder = NULL };
	struct cpu *cpus = calloc((size_t)work.nr_cpus, sizeof(*cpus));
	double started;

	bench.heap.events = calloc((size_t)work.nr_cpus, sizeof(*bench.heap.events));
	if (!cpus || !bench.heap.events)
		return 1;
	for (int i = 0; i < work.nr_cpus; i++) {
		cpus[i] = (struct cpu){ .bench = &bench, .id = i, .nr_left = work.nr_rounds };
		cpus[i].random = think_seed(i);
		think(&cpus[i], work.lock ? lock_step : hold_think);
	}
	started = work_seconds();
	run(&bench.heap);
	work_print(&work, bench.heap.now, work_seconds() - started);
	free(bench.heap.events);
	free(cpus);
	return 0;
}
