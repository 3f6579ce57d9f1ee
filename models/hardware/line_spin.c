/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Spinning without events: a CPU whose copy of a line is valid sees nothing new
 * until a write takes the copy away. It stands in the line's list of spinners
 * meanwhile.
 *
 *	a new epoch is served    spinners of other cores read again when they lose their copies
 *	a write takes effect     those that are still there read again: the copy that they spin on has changed
 */
#include "models/hardware/line_state.h"

void line_wake_spinners(struct line *line, int keeper, sim_ps date)
{
	struct line_request *stay = NULL;

	for (struct line_request *each = line->spinners, *next; each; each = next) {
		next = each->next;
		if (each->cpu->place->core == keeper) {
			each->next = stay;
			stay = each;
		} else {
			actor_wake(line->engine, each->cpu->actor, date);
		}
	}
	line->spinners = stay;
}

void line_await_change(struct cpu *cpu, struct line *line, int word, uint64_t seen, const char *waits_for)
{
	const struct copy *copy = &line->copies[cpu->place->core];

	cpu_sync(cpu);
	if (copy->epoch == line->epoch && line->words[word] == seen) {
		cpu->request = (struct line_request){ .cpu = cpu, .next = line->spinners };
		line->spinners = &cpu->request;
		cpu_park(cpu, waits_for);
	} else if (copy->epoch == line->epoch - 1 && cpu->date < line->old_copies_until) {
		cpu_work(cpu, line->old_copies_until - cpu->date);
		cpu_sync(cpu);
	}
}
