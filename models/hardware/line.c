/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/hardware/line.h"

#include "models/hardware/line_state.h"

#define LINE_RNG_STREAM (UINT64_C(1) << 32) /* apart from the streams of the CPUs */

struct line *line_create(struct arena *arena, const struct machine *machine, struct engine *engine, const char *name,
			 int home_node, uint64_t seed)
{
	struct line *line = arena_alloc(arena, sizeof(*line));

	line->machine = machine;
	line->engine = engine;
	line->name = name;
	line->home_node = home_node;
	line->rng = rng_stream(seed, LINE_RNG_STREAM);
	line->epoch = 1; /* copies start at epoch 0: none is valid */
	line->old_copies_until = -1;
	line->copies = arena_calloc(arena, (size_t)machine->nr_cores, sizeof(*line->copies));
	line->cluster_copies = arena_calloc(arena, (size_t)machine->nr_clusters, sizeof(*line->cluster_copies));
	line->owner.core = NOBODY;
	line->old_owner.core = NOBODY;
	line->last_writer = NOBODY;
	line->copies_cluster = NOBODY;
	line_queue_init(&line->queue, arena, machine, seed);
	return line;
}

/* SMT siblings take turns: the next one waits for this write to end. */
static void share_core(struct line *line, struct cpu *cpu, sim_ps end)
{
	cpu->counters.transactions[DISTANCE_CORE] += line->last_writer != cpu->id;
	line->last_writer = cpu->id;
	line->hold_until = ps_max(line->hold_until, end);
}

static void acquire_for_write(struct cpu *cpu, struct line *line, enum line_want want, sim_ps own_hit_ps)
{
	const sim_ps commit = want == WANT_ATOMIC ? line->machine->atomic_commit_ps : 0;
	const int core = cpu->place->core;
	sim_ps hit_ps = own_hit_ps;
	sim_ps start;

	if (cpu->store.line)
		line_drain_store(cpu);
	start = cpu->date;
	if (cpu->core_shared || start + commit >= line_safe_until(line, core))
		cpu_sync(cpu);
	if (cpu->core_shared &&
	    line->last_writer != cpu->id) { /* a sibling wrote: after it, and a transfer in the core */
		start = ps_max(start, line->hold_until);
		hit_ps = ps_max(hit_ps, line->machine->core_cost.latency_ps);
	}
	if (!line_may_write(line, core, start, commit)) {
		cpu_sync(cpu);
		line_wait(cpu, line, want);
		cpu_work(cpu, own_hit_ps);
		if (line->spinners)
			line_wake_spinners(line, NOBODY, cpu->date);
		return;
	}
	if (cpu->core_shared) {
		share_core(line, cpu, start + hit_ps);
		cpu->counters.line_wait_ps += start - cpu->date;
		cpu_work(cpu, start - cpu->date);
		cpu_sync(cpu); /* the sibling's write comes first, and the line may still be on its way */
	}
	line->written = true;
	cpu_work(cpu, hit_ps);
	if (line->spinners)
		line_wake_spinners(line, NOBODY, cpu->date);
}

/* The former owner of a line that is now shared may write until the snoop reaches it; a copy of its copy waits for that. */
static void wait_for_old_owner(struct cpu *cpu, const struct line *line)
{
	const sim_ps wait_ps = line->old_owner.core == NOBODY ? 0 : line->old_owner.until - cpu->date;

	if (wait_ps <= 0)
		return;
	cpu->counters.line_wait_ps += wait_ps;
	cpu_work(cpu, wait_ps);
	cpu_sync(cpu);
}

uint64_t line_read(struct cpu *cpu, struct line *line, int word)
{
	const struct machine *machine = line->machine;
	const int core = cpu->place->core;
	uint64_t value;

	if (cpu->store.line == line)
		line_drain_store(cpu);
	if (cpu->core_shared || cpu->date >= line_safe_until(line, core))
		cpu_sync(cpu);
	if (!line_may_read(line, core, cpu->date)) {
		cpu_sync(cpu);
		if (line_cluster_may_read(line, cpu->place->cluster, cpu->date))
			wait_for_old_owner(cpu, line);
		if (line_cluster_may_read(line, cpu->place->cluster, cpu->date)) {
			const sim_ps latency = machine->cluster_cost.latency_ps - machine->atomic_hit_ps;

			value = line->words[word];
			line_add_copy(line, core, cpu->date + latency);
			cpu->counters.line_wait_ps += latency;
			cpu_work(cpu, latency + machine->load_hit_ps);
			return value;
		}
		line_wait(cpu, line, WANT_COPY);
	}
	value = line->words[word];
	cpu_work(cpu, machine->load_hit_ps);
	return value;
}

void line_write(struct cpu *cpu, struct line *line, int word, uint64_t value)
{
	acquire_for_write(cpu, line, WANT_OWNERSHIP, line->machine->store_hit_ps);
	line->words[word] = value;
}

void line_write_bits(struct cpu *cpu, struct line *line, int word, uint64_t mask, uint64_t value)
{
	acquire_for_write(cpu, line, WANT_OWNERSHIP, line->machine->store_hit_ps);
	line->words[word] = (line->words[word] & ~mask) | (value & mask);
}

void line_post_bits(struct cpu *cpu, struct line *line, int word, uint64_t mask, uint64_t value)
{
	const int core = cpu->place->core;

	if (cpu->core_shared || cpu->date >= line_safe_until(line, core))
		cpu_sync(cpu);
	if (!cpu->store.line && line_may_write(line, core, cpu->date, 0)) {
		line_write_bits(cpu, line, word, mask, value);
		return;
	}
	cpu_sync(cpu);
	line_post(cpu, line, (struct line_store_entry){ .word = word, .mask = mask, .value = value });
	cpu_work(cpu, line->machine->store_hit_ps);
}

/* The word of an atomic that takes effect now. */
static uint64_t *exclusive_word(struct cpu *cpu, struct line *line, int word)
{
	acquire_for_write(cpu, line, WANT_ATOMIC, line->machine->atomic_hit_ps);
	return &line->words[word];
}

uint64_t line_fetch_add(struct cpu *cpu, struct line *line, int word, uint64_t delta)
{
	uint64_t *const place = exclusive_word(cpu, line, word);
	const uint64_t old = *place;

	*place = old + delta;
	return old;
}

uint64_t line_fetch_or(struct cpu *cpu, struct line *line, int word, uint64_t bits)
{
	uint64_t *const place = exclusive_word(cpu, line, word);
	const uint64_t old = *place;

	*place = old | bits;
	return old;
}

uint64_t line_fetch_xor(struct cpu *cpu, struct line *line, int word, uint64_t bits)
{
	uint64_t *const place = exclusive_word(cpu, line, word);
	const uint64_t old = *place;

	*place = old ^ bits;
	return old;
}

uint64_t line_fetch_and(struct cpu *cpu, struct line *line, int word, uint64_t bits)
{
	uint64_t *const place = exclusive_word(cpu, line, word);
	const uint64_t old = *place;

	*place = old & bits;
	return old;
}

uint64_t line_swap(struct cpu *cpu, struct line *line, int word, uint64_t value)
{
	uint64_t *const place = exclusive_word(cpu, line, word);
	const uint64_t old = *place;

	*place = value;
	return old;
}

uint64_t line_swap_bits(struct cpu *cpu, struct line *line, int word, uint64_t mask, uint64_t value)
{
	uint64_t *const place = exclusive_word(cpu, line, word);
	const uint64_t old = *place;

	*place = (old & ~mask) | (value & mask);
	return old;
}

bool line_cas(struct cpu *cpu, struct line *line, int word, uint64_t *expected, uint64_t desired)
{
	const struct machine *machine = line->machine;
	bool won;

	acquire_for_write(cpu, line, WANT_ATOMIC, machine->atomic_hit_ps + machine->cmpxchg_extra_ps);
	won = line->words[word] == *expected;
	if (won)
		line->words[word] = desired;
	else
		*expected = line->words[word];
	cpu->counters.cas_failures += !won;
	return won;
}

void line_poke(struct line *line, int word, uint64_t value)
{
	line->words[word] = value;
}

uint64_t line_peek(const struct line *line, int word)
{
	return line->words[word];
}

bool line_held_for_read(const struct line *line, int core)
{
	return line_may_read(line, core, engine_now(line->engine));
}

bool line_held_for_write(const struct line *line, int core)
{
	return line_may_write(line, core, engine_now(line->engine), 0);
}

int line_nr_holders(const struct line *line)
{
	int nr = 0;

	for (int core = 0; core < line->machine->nr_cores; core++)
		nr += line_held_for_read(line, core);
	return nr;
}
