/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/engine/agenda.h"

#include <assert.h>

void agenda_init(struct agenda *agenda, struct arena *arena, int nr_cpus)
{
	agenda->cpus = arena_calloc(arena, (size_t)nr_cpus, sizeof(*agenda->cpus));
	agenda->nr_pending = 0;
	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		struct event *head = &agenda->cpus[cpu];

		/* the head comes before every event: no walk goes past it */
		*head = (struct event){ .prev = head, .next = head, .key = INT64_MIN };
	}
}

static bool comes_before(const struct event *a, const struct event *b)
{
	return a->key != b->key ? a->key < b->key : a->request < b->request;
}

void agenda_add(struct agenda *agenda, int cpu, struct event *event)
{
	struct event *before = agenda->cpus[cpu].prev;

	assert(!event_is_pending(event));
	while (comes_before(event, before))
		before = before->prev;
	event->prev = before;
	event->next = before->next;
	before->next->prev = event;
	before->next = event;
	agenda->nr_pending++;
}

void agenda_remove(struct agenda *agenda, struct event *event)
{
	assert(event_is_pending(event));
	event->prev->next = event->next;
	event->next->prev = event->prev;
	event->next = NULL;
	agenda->nr_pending--;
}
