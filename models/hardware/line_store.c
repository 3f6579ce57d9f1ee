/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A store buffer: stores to one line by a CPU that has gone on.
 *
 *	empty -> under way   line_post_bits: its request waits for the line as any other; further stores join
 *	      -> empty       the line is here: they take effect; a CPU that waits for that goes on when they are through
 */
#include "models/hardware/line_state.h"

void line_complete_store(void *arg)
{
	struct cpu *cpu = arg;
	struct line_store *store = &cpu->store;
	struct line *line = store->line;
	const sim_ps through = engine_now(line->engine) + store->nr * line->machine->store_hit_ps;

	for (int i = 0; i < store->nr; i++) {
		const struct line_store_entry *entry = &store->entries[i];
		uint64_t *const word = &line->words[entry->word];

		*word = (*word & ~entry->mask) | (entry->value & entry->mask);
	}
	if (line->spinners)
		line_wake_spinners(line, NOBODY, through);
	store->line = NULL;
	if (store->awaited)
		actor_wake(line->engine, cpu->actor, through);
}

void line_drain_store(struct cpu *cpu)
{
	const sim_ps asked = cpu->date;

	cpu_sync(cpu);
	if (!cpu->store.line)
		return;
	cpu->store.awaited = true;
	cpu_park(cpu, cpu->store.line->name);
	cpu->counters.line_wait_ps += cpu->date - asked;
}

void line_post(struct cpu *cpu, struct line *line, struct line_store_entry entry)
{
	struct line_store *store = &cpu->store;

	if (store->line && (store->line != line || store->nr == LINE_STORES))
		line_drain_store(cpu);
	if (!store->line) {
		store->line = line;
		store->nr = 0;
		store->awaited = false;
		line_post_request(cpu, line);
	}
	store->entries[store->nr++] = entry;
}
