/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The agenda: what is still to happen on each CPU, in the order in which it
 * must happen. An event's key is its date and CPU in one number, so events of
 * one CPU with equal keys are those of one date, and they follow in the order
 * of their request numbers.
 *
 * Adding costs a walk from the end of one CPU's list: usually no step at all,
 * since a CPU has few events pending and the newest is mostly the latest.
 */
#ifndef CONTEND_ENGINE_AGENDA_H
#define CONTEND_ENGINE_AGENDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/util/arena.h"

struct event {
	struct event *prev;
	struct event *next; /* NULL: not on the agenda */
	int64_t key;
	uint64_t request;
};

struct agenda {
	struct event *cpus; /* one list head per CPU */
	size_t nr_pending;
};

void agenda_init(struct agenda *agenda, struct arena *arena, int nr_cpus);

/* The event must not be on the agenda, and stays the caller's memory. */
void agenda_add(struct agenda *agenda, int cpu, struct event *event);
void agenda_remove(struct agenda *agenda, struct event *event);

/* The event of a CPU that comes first, or NULL. */
static inline struct event *agenda_first(const struct agenda *agenda, int cpu)
{
	struct event *head = &agenda->cpus[cpu];

	return head->next == head ? NULL : head->next;
}

static inline bool event_is_pending(const struct event *event)
{
	return event->next;
}

#endif
