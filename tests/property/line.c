/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a line keeps on any machine, under any program of accesses: one writer
 * or many readers at any date, no access lost, every request answered, no date
 * before an earlier one, and owners that change at most once per occupancy. A
 * case that fails prints its seed.
 */
#include "models/hardware/line.h"

#include "models/hardware/machine_tables.h"
#include "tests/support/random_machine.h"
#include "tests/support/rig.h"
#include "tests/support/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NR_CASES 400
#define MAX_WORKERS 24
#define MAX_LINES 3
#define MAX_STEPS 40 /* of each worker */
#define MAX_LOOKS (MAX_WORKERS * MAX_STEPS)

/* Words of a line by what is done to them. */
enum word {
	WORD_COUNTER, /* fetch-and-add of 1, reads */
	WORD_CAS, /* compare-and-swap loops that add 1 */
	WORD_BITS, /* or, xor, and, swap, stores: false sharing */
};

/* A look at a counter: the value that it had just before (an add) or then (a read). */
struct look {
	bool is_add;
	uint64_t value;
	sim_ps start_ps, end_ps; /* by the CPU's clock */
};

struct shared {
	struct line *line;
	struct look looks[MAX_LOOKS];
	int nr_looks;
	uint64_t nr_adds, nr_cas;
};

struct program {
	uint64_t seed;
	struct arena *arena; /* of the configuration */
	struct machine_config config;
	struct rig rig;
	struct shared lines[MAX_LINES];
	int nr_lines;
	int nr_steps;
	sim_ps think_ps; /* at most, between two steps */
	int nr_running;
	int nr_two_writers, nr_writer_and_reader, nr_time_back;
	uint64_t hash; /* of all that happened */
};

/* ---- what holds at any date ---- */

static void check_holders(struct program *program, const struct line *line)
{
	int nr_writers = 0;
	int writer = 0;

	for (int core = 0; core < machine_nr_cores(program->rig.machine); core++) {
		if (!line_held_for_write(line, core))
			continue;
		nr_writers++;
		writer = core;
	}
	program->nr_two_writers += nr_writers > 1;
	if (nr_writers == 1)
		program->nr_writer_and_reader += line_nr_holders(line) > line_held_for_read(line, writer);
}

static void check_now(struct program *program)
{
	for (int i = 0; i < program->nr_lines; i++)
		check_holders(program, program->lines[i].line);
}

static void onlook(struct cpu *cpu, void *arg)
{
	struct program *program = arg;
	struct rng rng = rng_stream(program->seed, 1000);

	while (program->nr_running) {
		check_now(program);
		cpu_work(cpu, rng_between(&rng, 1, NS(20)));
		cpu_sync(cpu);
	}
}

/* ---- the programs ---- */

static void add_by_cas(struct cpu *cpu, struct shared *shared)
{
	uint64_t value = line_read(cpu, shared->line, WORD_CAS);

	while (!line_cas(cpu, shared->line, WORD_CAS, &value, value + 1))
		;
	shared->nr_cas++;
}

static void look_at_counter(struct cpu *cpu, struct shared *shared, bool add)
{
	struct look look = { .is_add = add, .start_ps = cpu->date };

	look.value =
		add ? line_fetch_add(cpu, shared->line, WORD_COUNTER, 1) : line_read(cpu, shared->line, WORD_COUNTER);
	look.end_ps = cpu->date;
	shared->nr_adds += add;
	shared->looks[shared->nr_looks++] = look;
}

static void change_bits(struct cpu *cpu, struct line *line)
{
	const uint64_t bits = rng_u64(&cpu->rng);

	switch (rng_below(&cpu->rng, 5)) {
	case 0:
		line_fetch_or(cpu, line, WORD_BITS, bits);
		break;
	case 1:
		line_fetch_and(cpu, line, WORD_BITS, bits);
		break;
	case 2:
		line_fetch_xor(cpu, line, WORD_BITS, bits);
		break;
	case 3:
		line_swap(cpu, line, WORD_BITS, bits);
		break;
	default:
		line_write(cpu, line, WORD_BITS, bits);
	}
}

static void take_step(struct program *program, struct cpu *cpu)
{
	struct shared *shared = &program->lines[rng_below(&cpu->rng, (uint64_t)program->nr_lines)];

	switch (rng_below(&cpu->rng, 6)) {
	case 0:
		add_by_cas(cpu, shared);
		break;
	case 1:
		change_bits(cpu, shared->line);
		break;
	case 2:
	case 3:
		look_at_counter(cpu, shared, true);
		break;
	default:
		look_at_counter(cpu, shared, false);
	}
}

static void work(struct cpu *cpu, void *arg)
{
	struct program *program = arg;

	for (int i = 0; i < program->nr_steps; i++) {
		const sim_ps before = cpu->date;

		take_step(program, cpu);
		program->nr_time_back += cpu->date < before || cpu->date < engine_now(cpu->engine);
		program->hash = rng_mix(program->hash ^ (uint64_t)cpu->date ^ ((uint64_t)cpu->id << 48));
		check_now(program);
		if (program->think_ps)
			cpu_work_jittered(cpu, rng_between(&cpu->rng, 0, program->think_ps), 10);
	}
	program->nr_running--;
}

static struct program *program_create(uint64_t seed)
{
	struct program *program = calloc(1, sizeof(*program));
	struct rng rng = rng_stream(seed, 2000);
	int cpus[MAX_WORKERS];
	int nr_cpus, nr_workers;

	program->seed = seed;
	program->arena = arena_create();
	program->config = random_machine(&rng, program->arena);
	rig_create(&program->rig, &program->config, seed);
	nr_cpus = machine_nr_cpus(program->rig.machine);
	nr_workers = (int)rng_between(&rng, 1, nr_cpus < MAX_WORKERS ? nr_cpus : MAX_WORKERS);
	program->nr_lines = (int)rng_between(&rng, 1, MAX_LINES);
	program->nr_steps = (int)rng_between(&rng, 2, MAX_STEPS);
	program->think_ps = (sim_ps)(rng_below(&rng, 4) * rng_below(&rng, NS(200)));
	for (int i = 0; i < program->nr_lines; i++) {
		int home = (int)rng_below(&rng, (uint64_t)machine_nr_nodes(program->rig.machine));

		program->lines[i].line = rig_line(&program->rig, home);
	}
	random_cpus(&rng, nr_cpus, cpus, nr_workers);
	program->nr_running = nr_workers;
	for (int i = 0; i < nr_workers; i++)
		rig_start(&program->rig, cpus[i], rng_between(&rng, 1, NS(100)), work, program);
	rig_start(&program->rig, OBSERVER, 1, onlook, program);
	rig_limit(&program->rig, PS_PER_S);
	return program;
}

static void program_destroy(struct program *program)
{
	rig_destroy(&program->rig);
	arena_destroy(program->arena);
	free(program);
}

/* ---- what holds after the run ---- */

static int by_end(const void *a, const void *b)
{
	const struct look *x = a, *y = b;

	return (x->end_ps > y->end_ps) - (x->end_ps < y->end_ps);
}

/* Every add found another value, and together they are 0, 1, 2, ... */
static int count_lost_adds(const struct shared *shared)
{
	bool seen[MAX_LOOKS] = { false };
	int nr_lost = 0;

	for (int i = 0; i < shared->nr_looks; i++) {
		const struct look *look = &shared->looks[i];

		if (!look->is_add)
			continue;
		if (look->value >= shared->nr_adds || seen[look->value])
			nr_lost++;
		else
			seen[look->value] = true;
	}
	nr_lost += line_peek(shared->line, WORD_COUNTER) != shared->nr_adds;
	return nr_lost + (line_peek(shared->line, WORD_CAS) != shared->nr_cas);
}

/* A look that begins after an add has ended sees it. */
static int count_stale_looks(struct shared *shared)
{
	int nr_stale = 0;

	qsort(shared->looks, (size_t)shared->nr_looks, sizeof(*shared->looks), by_end);
	for (int i = 0; i < shared->nr_looks; i++) {
		for (int j = 0; j < shared->nr_looks && shared->looks[j].end_ps < shared->looks[i].start_ps; j++) {
			const struct look *before = &shared->looks[j];

			nr_stale += shared->looks[i].value < before->value + before->is_add;
		}
	}
	return nr_stale;
}

static sim_ps shortest_occupancy(const struct machine *machine, const struct transfer_cost *cost)
{
	const struct machine_line *line = &machine->config.line;
	sim_ps occupancy = ps_min(cost->occupancy_ps, cost->read_occupancy_ps);

	occupancy -= cost->latency_ps * (sim_ps)line->jitter_pct / 100;
	if (line->far_atomics)
		occupancy = ps_min(occupancy, machine->far_atomic_ps);
	return ps_max(occupancy, 0);
}

/* By class: no transaction of it keeps the line busy for less. */
static void shortest_occupancies(const struct machine *machine, sim_ps shortest[NR_DISTANCES])
{
	shortest[DISTANCE_CORE] = 0; /* moves no line between cores */
	shortest[DISTANCE_CLUSTER] = shortest_occupancy(machine, &machine->cluster_cost);
	shortest[DISTANCE_SOCKET] = shortest[DISTANCE_REMOTE] = SIM_PS_MAX;
	for (int i = 0; i < machine->nr_nodes * machine->nr_nodes; i++) {
		const struct transfer_cost *cost = &machine->routes[i];

		shortest[cost->distance] = ps_min(shortest[cost->distance], shortest_occupancy(machine, cost));
	}
	if (shortest[DISTANCE_REMOTE] == SIM_PS_MAX)
		shortest[DISTANCE_REMOTE] = 0; /* one socket: never used */
}

/* All lines together were busy for no longer than the run lasted, but for each one's last transaction. */
static bool too_many_transactions(const struct program *program)
{
	const struct cpu_counters counters = rig_counters(&program->rig);
	sim_ps shortest[NR_DISTANCES];
	sim_ps busy_ps = 0, longest = 0, lasted_ps = 0;

	shortest_occupancies(program->rig.machine, shortest);
	for (int distance = 0; distance < NR_DISTANCES; distance++) {
		busy_ps += (sim_ps)counters.transactions[distance] * shortest[distance];
		longest = ps_max(longest, shortest[distance]);
	}
	for (int cpu = 0; cpu < machine_nr_cpus(program->rig.machine); cpu++)
		lasted_ps = ps_max(lasted_ps, program->rig.cpus[cpu].date);
	return busy_ps > program->nr_lines * (lasted_ps + longest);
}

static int count_wrong(struct program *program, const struct error *err)
{
	int nr_lost = 0, nr_stale = 0;
	char text[256];
	int nr_wrong;

	for (int i = 0; i < program->nr_lines; i++) {
		nr_lost += count_lost_adds(&program->lines[i]);
		nr_stale += count_stale_looks(&program->lines[i]);
	}
	nr_wrong = (err->text[0] != '\0') + program->nr_running + nr_lost + nr_stale + program->nr_two_writers +
		   program->nr_writer_and_reader + program->nr_time_back + too_many_transactions(program);
	if (nr_wrong)
		print_error("seed %" PRIu64
			    " (%s): %d lost, %d stale, %d times two writers, %d times a writer and readers, %d "
			    "times back in time, %d never ended, %s; %s\n",
			    program->seed, random_machine_text(&program->config, text, sizeof(text)), nr_lost, nr_stale,
			    program->nr_two_writers, program->nr_writer_and_reader, program->nr_time_back,
			    program->nr_running, too_many_transactions(program) ? "too many transactions" : "",
			    err->text);
	return nr_wrong;
}

static void random_programs_keep_a_line_coherent(void **state)
{
	int nr_wrong = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= NR_CASES; seed++) {
		struct error err = { .text = "" };
		struct program *program = program_create(seed);

		rig_run(&program->rig, &err);
		nr_wrong += count_wrong(program, &err) != 0;
		program_destroy(program);
	}
	assert_int_equal(nr_wrong, 0);
}

static uint64_t hash_of_run(uint64_t seed)
{
	struct program *program = program_create(seed);
	uint64_t hash;

	assert_int_equal(rig_run(&program->rig, NULL), 0);
	hash = program->hash;
	program_destroy(program);
	return hash;
}

static void the_same_seed_gives_the_same_run(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		uint64_t once = hash_of_run(seed);
		uint64_t again = hash_of_run(seed);

		if (once != again)
			print_error("seed %" PRIu64 "\n", seed);
		assert_int_equal(once, again);
		assert_int_not_equal(once, hash_of_run(seed + 1000));
	}
}

/* ---- uncontended ---- */

struct single {
	struct line *line;
	sim_ps at_ps;
};

static void add_once(struct cpu *cpu, void *arg)
{
	const struct single *single = arg;

	cpu_work(cpu, single->at_ps - cpu->date);
	line_fetch_add(cpu, single->line, 0, 1);
}

static double leg_ns(const struct machine_config *config, int node_a, int node_b)
{
	const int per_socket = (int)config->topology.nodes_per_socket;

	if (config->matrix_ns)
		return config->matrix_ns[node_a * (int)config->topology.sockets * per_socket + node_b];
	return node_a / per_socket == node_b / per_socket ? config->transfer.socket_ns : config->transfer.remote_ns;
}

static double longest_ns(double a, double b)
{
	return a > b ? a : b;
}

/* What an atomic by one CPU costs after another's, the line's home being at a node. */
static double expected_ns(const struct machine_config *config, const struct cpu_place *to, const struct cpu_place *from,
			  int home)
{
	const double direct_ns = leg_ns(config, to->node, from->node);

	if (to->core == from->core)
		return config->transfer.core_ns;
	if (to->cluster == from->cluster)
		return config->transfer.cluster_ns;
	if (!config->line.home_routed)
		return direct_ns;
	return longest_ns(direct_ns, longest_ns(leg_ns(config, to->node, home), leg_ns(config, home, from->node)));
}

static void an_uncontended_atomic_costs_its_longest_leg_on_any_machine(void **state)
{
	int nr_core = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct rng rng = rng_stream(seed, 3000);
		struct arena *arena = arena_create();
		struct machine_config config = random_machine(&rng, arena);
		struct single first = { .at_ps = PS_PER_US }, second = { .at_ps = 10 * PS_PER_US };
		struct rig rig;
		int cpus[2], home;
		double ns;

		config.topology.smt = 2;
		config.line.jitter_pct = config.line.snoop_jitter_pct = 0;
		config.line.far_atomics = false;
		rig_create(&rig, &config, seed);
		home = (int)rng_below(&rng, (uint64_t)machine_nr_nodes(rig.machine));
		random_cpus(&rng, machine_nr_cpus(rig.machine), cpus, 2);
		first.line = second.line = rig_line(&rig, home);
		rig_start(&rig, cpus[0], 1, add_once, &first);
		rig_start(&rig, cpus[1], 1, add_once, &second);
		assert_int_equal(rig_run(&rig, NULL), 0);
		ns = expected_ns(&config, rig.cpus[cpus[1]].place, rig.cpus[cpus[0]].place, home);
		nr_core += rig.cpus[cpus[0]].place->core == rig.cpus[cpus[1]].place->core;
		if (rig.cpus[cpus[1]].date != second.at_ps + ns_to_ps(ns))
			print_error("seed %" PRIu64 "\n", seed);
		assert_int_equal(rig.cpus[cpus[1]].date, second.at_ps + ns_to_ps(ns));
		rig_destroy(&rig);
		arena_destroy(arena);
	}
	assert_true(nr_core > 5);
}

/* ---- labels ---- */

#define NR_SEEDS 16
#define NR_ADDS 60

struct adder {
	struct line *line;
};

static void add_often(struct cpu *cpu, void *arg)
{
	const struct adder *adder = arg;

	for (int i = 0; i < NR_ADDS; i++) {
		line_fetch_add(cpu, adder->line, 0, 1);
		cpu_work_jittered(cpu, NS(150), 20);
	}
}

/* When the last of eight CPUs, two in each cluster, has done its adds. */
static double time_of_adds(const struct machine_config *config, const int *cpus, uint64_t seed)
{
	sim_ps last = 0;
	struct adder adder;
	struct rig rig;

	rig_create(&rig, config, seed);
	adder.line = rig_line(&rig, 0);
	for (int i = 0; i < 8; i++)
		rig_start(&rig, cpus[i], 1, add_often, &adder);
	assert_int_equal(rig_run(&rig, NULL), 0);
	for (int i = 0; i < 8; i++)
		last = ps_max(last, rig.cpus[cpus[i]].date);
	rig_destroy(&rig);
	return ps_to_ns(last);
}

struct spread {
	double mean, variance_of_mean;
};

static struct spread spread_of_times(const struct machine_config *config, const int *cpus)
{
	struct spread spread = { 0 };
	double times[NR_SEEDS];

	for (int i = 0; i < NR_SEEDS; i++) {
		times[i] = time_of_adds(config, cpus, (uint64_t)i + 1);
		spread.mean += times[i] / NR_SEEDS;
	}
	for (int i = 0; i < NR_SEEDS; i++)
		spread.variance_of_mean +=
			(times[i] - spread.mean) * (times[i] - spread.mean) / (NR_SEEDS * (NR_SEEDS - 1.0));
	return spread;
}

/* Another number inside the same cluster means nothing but other events at equal dates and other random streams. */
static void renaming_cpus_inside_a_cluster_changes_nothing_beyond_noise(void **state)
{
	static const int cpus[2][8] = { { 0, 1, 4, 5, 8, 9, 12, 13 }, { 3, 2, 7, 5, 11, 10, 12, 14 } };

	(void)state;
	for (int order = ARBITRATION_CLUSTER_TURNS; order <= ARBITRATION_RANDOM; order++) {
		struct machine_config config = rig_machine(1);
		struct spread a, b;
		double difference;

		config.topology.cores_per_cluster = 4;
		config.line.arbitration = order;
		config.line.jitter_pct = 10;
		config.line.snoop_jitter_pct = 50;
		a = spread_of_times(&config, cpus[0]);
		b = spread_of_times(&config, cpus[1]);
		difference = a.mean - b.mean;
		if (difference * difference > 16 * (a.variance_of_mean + b.variance_of_mean))
			print_error("order %d: %g ns and %g ns\n", order, a.mean, b.mean);
		assert_true(difference * difference <= 16 * (a.variance_of_mean + b.variance_of_mean));
		assert_true(a.variance_of_mean + b.variance_of_mean <
			    1e-4 * a.mean * a.mean); /* and the noise is small */
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_programs_keep_a_line_coherent),
		cmocka_unit_test(the_same_seed_gives_the_same_run),
		cmocka_unit_test(an_uncontended_atomic_costs_its_longest_leg_on_any_machine),
		cmocka_unit_test(renaming_cpus_inside_a_cluster_changes_nothing_beyond_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
