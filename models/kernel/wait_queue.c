/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/kernel/wait_queue.h"

enum wait_queue_word {
	WAIT_QUEUE_SPINLOCK,
	WAIT_QUEUE_LIST,
};

struct wait_queue_head *wait_queue_create(struct arena *arena, const struct machine *machine, struct engine *engine,
					  int home_node, uint64_t seed)
{
	struct wait_queue_head *head = arena_alloc(arena, sizeof(*head));

	head->lock = line_create(arena, machine, engine, "the lock of a folio's wait queue", home_node, seed);
	return head;
}

static void append(struct wait_queue_entry **first, struct wait_queue_entry **last, struct wait_queue_entry *entry)
{
	entry->next = NULL;
	if (*first)
		(*last)->next = entry;
	else
		*first = entry;
	*last = entry;
}

static struct wait_queue_entry *take(struct wait_queue_entry **first)
{
	struct wait_queue_entry *entry = *first;

	if (entry)
		*first = entry->next;
	return entry;
}

void wait_queue_lock(struct wait_queue_head *head, struct cpu *cpu)
{
	struct wait_queue_entry self = { .cpu = cpu };

	line_swap(cpu, head->lock, WAIT_QUEUE_SPINLOCK, 1);
	cpu_sync(cpu);
	if (!head->locked) {
		head->locked = true;
		return;
	}
	append(&head->spinners_first, &head->spinners_last, &self);
	cpu_park(cpu, "the lock of a folio's wait queue");
}

/* How long the next spinner's line takes from the releaser to it. */
static sim_ps hand_over_ps(const struct cpu *from, const struct cpu *to)
{
	const struct machine_transfer *transfer = &machine_config_of(from->machine)->transfer;
	const double ns[NR_DISTANCES] = { transfer->core_ns, transfer->cluster_ns, transfer->socket_ns,
					  transfer->remote_ns };

	return ns_to_ps(ns[machine_distance(from->machine, from->id, to->id)]);
}

static bool pass_on(struct wait_queue_head *head, struct cpu *cpu)
{
	struct wait_queue_entry *next = take(&head->spinners_first);

	if (next)
		cpu_wake(cpu, next->cpu, hand_over_ps(cpu, next->cpu));
	return next;
}

void wait_queue_unlock(struct wait_queue_head *head, struct cpu *cpu)
{
	cpu_sync(cpu);
	if (pass_on(head, cpu))
		return;
	line_write(cpu, head->lock, WAIT_QUEUE_SPINLOCK, 0);
	cpu_sync(cpu);
	if (!pass_on(head, cpu)) /* somebody may have come while the store waited for the line */
		head->locked = false;
}

void wait_queue_add(struct wait_queue_head *head, struct cpu *cpu, struct wait_queue_entry *entry)
{
	line_write(cpu, head->lock, WAIT_QUEUE_LIST, 1);
	append(&head->first, &head->last, entry);
}

void wait_queue_remove(struct wait_queue_head *head, struct cpu *cpu, struct wait_queue_entry *entry)
{
	struct wait_queue_entry *before = NULL;

	line_write(cpu, head->lock, WAIT_QUEUE_LIST, 1);
	for (struct wait_queue_entry *each = head->first; each != entry; each = each->next)
		before = each;
	*(before ? &before->next : &head->first) = entry->next;
	if (head->last == entry)
		head->last = before;
}

struct wait_queue_entry *wait_queue_find(const struct wait_queue_head *head, const void *key)
{
	struct wait_queue_entry *entry = head->first;

	while (entry && entry->key != key)
		entry = entry->next;
	return entry;
}

void wait_queue_sleep(struct wait_queue_entry *entry, const char *waits_for)
{
	struct cpu *cpu = entry->cpu;

	cpu_sync(cpu);
	if (entry->woken) {
		cpu->date = ps_max(cpu->date, entry->woken_at);
		return;
	}
	entry->asleep = true;
	cpu_park(cpu, waits_for);
}

void wait_queue_wake(struct cpu *cpu, struct wait_queue_entry *entry, sim_ps latency)
{
	cpu_sync(cpu);
	entry->woken = true;
	entry->woken_at = cpu->date + latency;
	if (entry->asleep)
		cpu_wake(cpu, entry->cpu, latency);
}
