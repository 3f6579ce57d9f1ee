/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/hardware/cpu.h"

#include <assert.h>

#include "models/hardware/machine_tables.h"

#define PERMYRIAD 10000

void cpu_work(struct cpu *cpu, sim_ps duration)
{
	assert(duration >= 0);
	cpu->date += duration;
}

sim_ps cpu_time_beside_sibling(const struct cpu *cpu, sim_ps work)
{
	return work + work * cpu->machine->smt_slowdown_permyriad / PERMYRIAD;
}

sim_ps cpu_work_beside_sibling(const struct cpu *cpu, sim_ps taken)
{
	return taken * PERMYRIAD / (PERMYRIAD + cpu->machine->smt_slowdown_permyriad);
}

sim_ps cpu_slowed(const struct cpu *cpu, sim_ps duration)
{
	return cpu->core_shared && !cpu->sibling_idle ? cpu_time_beside_sibling(cpu, duration) : duration;
}

void cpu_work_jittered(struct cpu *cpu, sim_ps duration, uint32_t pct)
{
	cpu_work(cpu, cpu_slowed(cpu, rng_jitter(&cpu->rng, duration, pct)));
}

void cpu_sync(struct cpu *cpu)
{
	if (cpu->date > engine_now(cpu->engine))
		actor_sleep_until(cpu->engine, cpu->date);
}

void cpu_park(struct cpu *cpu, const char *waits_for)
{
	cpu_sync(cpu);
	actor_park(cpu->engine, waits_for);
	cpu->date = engine_now(cpu->engine);
}

void cpu_wake(struct cpu *cpu, struct cpu *sleeper, sim_ps delay)
{
	cpu_sync(cpu);
	actor_wake(cpu->engine, sleeper->actor, cpu->date + delay);
}
