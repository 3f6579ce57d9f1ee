/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * atomics: every worker does one kind of access to one word of one line, with
 * a think time between: the microbenchmark by which the literature describes a
 * contended line (Schweizer, Besta, Hoefler, PACT 2015; David, Guerraoui,
 * Trigonakis, SOSP 2013), and the one that calibrates a machine file.
 *
 * Abstracts: loop overhead is part of the machine's hit costs, as it is in
 * published figures.
 */
#include "models/workloads/workload.h"

#include "models/hardware/line.h"

enum operation {
	OPERATION_FETCH_ADD,
	OPERATION_CAS_LOOP,
	OPERATION_SWAP,
	OPERATION_READ,
};

static const char *const operation_names[] = { "fetch-add", "cas-loop", "swap", "read", NULL };

struct atomics_params {
	int operation; /* enum operation */
	double think_ns;
	uint32_t jitter_pct;
};

static const struct param atomics_params[] = {
	PARAM_ONE_OF(struct atomics_params, operation, operation_names, OPERATION_FETCH_ADD,
		     "what each worker does to the line"),
	PARAM(struct atomics_params, think_ns, "ns", 0, 0, 1e9, "private work between two operations"),
	PARAM(struct atomics_params, jitter_pct, "pct", 10, 0, 100, "spread of the think time, uniform"),
	PARAM_END,
};

struct atomics_state {
	const struct atomics_params *params;
	struct line *line;
};

static void *atomics_create(const struct workload_site *site, const void *params)
{
	struct atomics_state *state = arena_alloc(site->arena, sizeof(*state));

	state->params = params;
	state->line = line_create(site->arena, site->machine, site->engine, "the shared counter", site->home_node,
				  site->seed);
	return state;
}

static void increment_by_cas(struct cpu *cpu, struct line *line)
{
	uint64_t value = line_read(cpu, line, 0);

	while (!line_cas(cpu, line, 0, &value, value + 1))
		;
}

static uint64_t atomics_operation(void *arg, struct task *task)
{
	const struct atomics_state *state = arg;
	struct cpu *cpu = task->cpu;

	cpu_work_jittered(cpu, ns_to_ps(state->params->think_ns), state->params->jitter_pct);
	switch (state->params->operation) {
	case OPERATION_FETCH_ADD:
		line_fetch_add(cpu, state->line, 0, 1);
		break;
	case OPERATION_CAS_LOOP:
		increment_by_cas(cpu, state->line);
		break;
	case OPERATION_SWAP:
		line_swap(cpu, state->line, 0, (uint64_t)cpu->id);
		break;
	default:
		line_read(cpu, state->line, 0);
		break;
	}
	return 1;
}

const struct workload workload_atomics = {
	.name = "atomics",
	.summary = "one kind of access to one shared word, with a think time (the microbenchmark of the literature)",
	.params = atomics_params,
	.params_size = sizeof(struct atomics_params),
	.create = atomics_create,
	.operation = atomics_operation,
};
