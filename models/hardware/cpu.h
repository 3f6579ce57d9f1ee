/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A CPU as an actor sees it: a clock of its own, private work, sleeping.
 *
 * A CPU runs ahead of the engine over work that nobody else can observe:
 * cpu_work only moves the CPU's own clock. What others can observe (a line, a
 * wake) first brings the engine up to that clock by cpu_sync.
 */
#ifndef CONTEND_HARDWARE_CPU_H
#define CONTEND_HARDWARE_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "models/hardware/line_request.h"
#include "models/hardware/machine.h"
#include "sim/engine/engine.h"
#include "sim/util/rng.h"
#include "sim/util/units.h"

/* What a CPU counts while the run measures. */
struct cpu_counters {
	uint64_t cas_failures;
	uint64_t get_failures;
	uint64_t transactions[NR_DISTANCES];
	uint64_t invalidations;
	uint64_t sleeps;
	sim_ps line_wait_ps; /* from asking for a line to the start of the access */
};

struct cpu {
	int id; /* Linux CPU number */
	const struct cpu_place *place;
	const struct machine *machine;
	struct engine *engine;
	struct actor *actor;
	sim_ps date; /* this CPU's clock; >= engine_now while its actor runs */
	bool core_shared; /* another worker may run on an SMT sibling: accesses of the two are exact to each other */
	bool sibling_idle; /* a scheduler says that none does now: no slowdown */
	struct rng rng;
	struct cpu_counters counters;
	struct line_request request; /* a CPU waits for one line at a time */
	struct line_store store; /* and may have one store under way beside */
};

/* Private work of `duration` (>= 0). Never blocks; others do not notice. */
void cpu_work(struct cpu *cpu, sim_ps duration);

/* What work of `duration` takes now: longer by smt_slowdown_pct while a sibling is busy. Kept for all of the work. */
sim_ps cpu_slowed(const struct cpu *cpu, sim_ps duration);

/* How long work takes beside a busy sibling; and what work is done in so long there. */
sim_ps cpu_time_beside_sibling(const struct cpu *cpu, sim_ps work);
sim_ps cpu_work_beside_sibling(const struct cpu *cpu, sim_ps taken);

/*
 * Private work of `duration` +- pct percent, uniform, from the CPU's own stream;
 * longer by smt_slowdown_pct when the core is shared.
 */
void cpu_work_jittered(struct cpu *cpu, sim_ps duration, uint32_t pct);

/* Bring the engine up to the CPU's clock. May block. */
void cpu_sync(struct cpu *cpu);

/* Sleep until another CPU calls cpu_wake. Synchronises, blocks; `waits_for` as for actor_park. */
void cpu_park(struct cpu *cpu, const char *waits_for);

/* Let a parked CPU go on `delay` (>= 1 ps) after this CPU's clock. Synchronises. */
void cpu_wake(struct cpu *cpu, struct cpu *sleeper, sim_ps delay);

#endif
