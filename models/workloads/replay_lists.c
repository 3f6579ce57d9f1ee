/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/workloads/replay_lists.h"

#include <string.h>

#define ROOM_BELOW 2048 /* for a refill: at most 2016 blocks */

/* Empty, with room at the tail. */
static void restart(struct replay_list *list, struct arena *arena)
{
	while (list->max <= ROOM_BELOW)
		list->pfns = arena_grow(arena, list->pfns, list->max, &list->max, sizeof(*list->pfns));
	list->first = list->end = ROOM_BELOW;
}

void replay_list_push(struct replay_list *list, struct arena *arena, uint64_t pfn)
{
	if (list->first == list->end)
		restart(list, arena);
	list->pfns = arena_grow(arena, list->pfns, list->end, &list->max, sizeof(*list->pfns));
	list->pfns[list->end++] = pfn;
}

void replay_list_append(struct replay_list *list, struct arena *arena, uint64_t pfn)
{
	if (list->first == list->end)
		restart(list, arena);
	if (list->first > 0)
		list->pfns[--list->first] = pfn;
}

bool replay_list_pop(struct replay_list *list, uint64_t *pfn)
{
	if (list->first == list->end)
		return false;
	*pfn = list->pfns[--list->end];
	return true;
}

/* Most often it is at one of the ends. -1: nowhere. */
static int find(const struct replay_list *list, uint64_t pfn)
{
	if (list->first < list->end && list->pfns[list->first] == pfn)
		return list->first;
	for (int i = list->end - 1; i >= list->first; i--)
		if (list->pfns[i] == pfn)
			return i;
	return -1;
}

bool replay_list_has(const struct replay_list *list, uint64_t pfn)
{
	return find(list, pfn) >= 0;
}

void replay_list_remove(struct replay_list *list, uint64_t pfn)
{
	const int i = find(list, pfn);

	if (i < 0)
		return;
	memmove(list->pfns + list->first + 1, list->pfns + list->first,
		(size_t)(i - list->first) * sizeof(*list->pfns));
	list->first++;
}
