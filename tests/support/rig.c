/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/rig.h"

#include "models/kernel/wait_queue.h"
#include "tests/support/run_setup.h"

/* What an actor runs. */
struct part {
	struct cpu *cpu;
	rig_fn *fn;
	void *arg;
};

struct machine_config rig_defaults(void)
{
	struct machine_config config = { .name = "rig", .description = "" };

	for (const struct param_section *section = machine_sections; section->name; section++)
		param_defaults(section->table, (char *)&config + section->offset);
	return config;
}

struct machine_config rig_machine(uint32_t smt)
{
	struct machine_config config = rig_defaults();

	config.topology = (struct machine_topology){
		.sockets = 2, .nodes_per_socket = 1, .clusters_per_node = 2, .cores_per_cluster = 2, .smt = smt
	};
	config.transfer =
		(struct machine_transfer){ .core_ns = 10, .cluster_ns = 20, .socket_ns = 100, .remote_ns = 200 };
	config.line = (struct machine_line){ .occupancy_core_pct = 100,
					     .occupancy_cluster_pct = 100,
					     .occupancy_socket_pct = 100,
					     .occupancy_remote_pct = 100,
					     .read_occupancy_pct = 100,
					     .snoop_cluster_pct = 10,
					     .snoop_socket_pct = 25,
					     .snoop_remote_pct = 25,
					     .cluster_turn = 1,
					     .home_routed = true,
					     .far_atomic_ns = 10 };
	config.core =
		(struct machine_core){ .load_hit_ns = 1, .store_hit_ns = 2, .atomic_hit_ns = 5, .cmpxchg_extra_ns = 3 };
	return config;
}

void rig_create_on(struct rig *rig, const struct machine_config *config, uint64_t seed, enum engine_kind engine)
{
	int nr_cpus;

	*rig = (struct rig){ .arena = arena_create(), .seed = seed };
	rig->machine = machine_create(rig->arena, config);
	nr_cpus = machine_nr_cpus(rig->machine);
	rig->engine = engine_create(engine, nr_cpus + 1, NULL);
	rig->cpus = arena_calloc(rig->arena, (size_t)nr_cpus + 1, sizeof(*rig->cpus));
	for (int id = 0; id <= nr_cpus; id++) {
		struct cpu *cpu = &rig->cpus[id];

		cpu->id = id;
		cpu->machine = rig->machine;
		cpu->engine = rig->engine;
		cpu->rng = rng_stream(seed, (uint64_t)id);
		cpu->place = id < nr_cpus ? machine_place(rig->machine, id) : NULL;
	}
}

void rig_create(struct rig *rig, const struct machine_config *config, uint64_t seed)
{
	rig_create_on(rig, config, seed, ENGINE_FAST);
}

void rig_destroy(struct rig *rig)
{
	engine_destroy(rig->engine);
	arena_destroy(rig->arena);
}

static void run_part(void *arg)
{
	struct part *part = arg;

	part->cpu->date = engine_now(part->cpu->engine);
	part->fn(part->cpu, part->arg);
	cpu_sync(part->cpu);
}

/* Siblings know of each other before either runs. */
static void note_siblings(struct rig *rig, struct cpu *cpu)
{
	for (int id = 0; id < machine_nr_cpus(rig->machine); id++) {
		struct cpu *other = &rig->cpus[id];

		if (other != cpu && other->actor && other->place->core == cpu->place->core)
			other->core_shared = cpu->core_shared = true;
	}
}

void rig_start(struct rig *rig, int id, sim_ps start, rig_fn *fn, void *arg)
{
	struct cpu *cpu = &rig->cpus[id == OBSERVER ? machine_nr_cpus(rig->machine) : id];
	struct part *part = arena_alloc(rig->arena, sizeof(*part));
	const char *name = arena_printf(rig->arena, "cpu %d", id);

	*part = (struct part){ .cpu = cpu, .fn = fn, .arg = arg };
	cpu->actor = engine_spawn(rig->engine, cpu->id, name, start, run_part, part);
	if (id != OBSERVER)
		note_siblings(rig, cpu);
}

int rig_run(struct rig *rig, struct error *err)
{
	return engine_run(rig->engine, err);
}

struct line *rig_line(struct rig *rig, int home_node)
{
	return line_create(rig->arena, rig->machine, rig->engine, "the line of the test", home_node, rig->seed);
}

struct folio *rig_folio(struct rig *rig, int home_node)
{
	struct folio *folio = arena_alloc(rig->arena, sizeof(*folio));

	folio->page = rig_line(rig, home_node);
	folio->data = rig_line(rig, home_node);
	folio->waitqueue = wait_queue_create(rig->arena, rig->machine, rig->engine, home_node, rig->seed);
	return folio;
}

void *rig_params(struct rig *rig, const struct param *table, size_t bytes, const char *values)
{
	return param_setup(rig->arena, table, bytes, values);
}

struct policy_choice rig_choice_with(struct rig *rig, const struct policy *policy, const char *values)
{
	const void *params = rig_params(rig, policy->params, policy->params_size, values);

	return (struct policy_choice){ .policy = policy, .params = params };
}

struct policy_choice rig_choice(struct rig *rig, const struct policy *policy)
{
	return rig_choice_with(rig, policy, NULL);
}

static void give_up(void *arg)
{
	engine_fail(arg, "the run is not over");
}

void rig_limit(struct rig *rig, sim_ps date)
{
	engine_call(rig->engine, 0, date, give_up, rig->engine);
}

struct cpu_counters rig_counters(const struct rig *rig)
{
	struct cpu_counters sum = { 0 };

	for (int id = 0; id < machine_nr_cpus(rig->machine); id++) {
		const struct cpu_counters *counters = &rig->cpus[id].counters;

		sum.cas_failures += counters->cas_failures;
		sum.get_failures += counters->get_failures;
		sum.invalidations += counters->invalidations;
		sum.sleeps += counters->sleeps;
		sum.line_wait_ps += counters->line_wait_ps;
		for (int distance = 0; distance < NR_DISTANCES; distance++)
			sum.transactions[distance] += counters->transactions[distance];
	}
	return sum;
}
