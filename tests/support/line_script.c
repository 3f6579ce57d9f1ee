/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/line_script.h"

#include "tests/support/unit.h"

#include <inttypes.h>

struct outcome {
	bool ran;
	uint64_t value;
	bool won;
	sim_ps end_ps;
};

/* The rows of one CPU. */
struct role {
	const struct line_script *script;
	struct outcome *outcomes; /* by row */
	struct line *line;
	int cpu;
};

static uint64_t look(const struct line *line, const struct line_step *step)
{
	switch (step->verb) {
	case PEEK:
		return line_peek(line, step->word);
	case READERS:
		return (uint64_t)line_nr_holders(line);
	case MAY_WRITE:
		return line_held_for_write(line, (int)step->operand);
	default:
		return line_held_for_read(line, (int)step->operand);
	}
}

static uint64_t compare_and_swap(struct cpu *cpu, struct line *line, const struct line_step *step, bool *won)
{
	uint64_t found = step->expected;

	*won = line_cas(cpu, line, step->word, &found, step->operand);
	return found;
}

static uint64_t take_step(struct cpu *cpu, struct line *line, const struct line_step *step, bool *won)
{
	*won = true;
	switch (step->verb) {
	case READ:
		return line_read(cpu, line, step->word);
	case WRITE:
		line_write(cpu, line, step->word, step->operand);
		return 0;
	case ADD:
		return line_fetch_add(cpu, line, step->word, step->operand);
	case OR:
		return line_fetch_or(cpu, line, step->word, step->operand);
	case XOR:
		return line_fetch_xor(cpu, line, step->word, step->operand);
	case AND:
		return line_fetch_and(cpu, line, step->word, step->operand);
	case SWAP:
		return line_swap(cpu, line, step->word, step->operand);
	case CAS:
	case LOSING_CAS:
		return compare_and_swap(cpu, line, step, won);
	default:
		return look(line, step);
	}
}

static void play_role(struct cpu *cpu, void *arg)
{
	const struct role *role = arg;

	for (int i = 0; i < role->script->nr_steps; i++) {
		const struct line_step *step = &role->script->steps[i];
		struct outcome *outcome = &role->outcomes[i];

		if (step->cpu != role->cpu)
			continue;
		if (step->at_ps > cpu->date)
			cpu_work(cpu, step->at_ps - cpu->date);
		if (role->cpu == OBSERVER)
			cpu_sync(cpu);
		outcome->value = take_step(cpu, role->line, step, &outcome->won);
		outcome->end_ps = cpu->date;
		outcome->ran = true;
	}
}

static bool is_first_of_cpu(const struct line_script *script, int row)
{
	for (int i = 0; i < row; i++)
		if (script->steps[i].cpu == script->steps[row].cpu)
			return false;
	return true;
}

static bool as_expected(const struct line_step *step, const struct outcome *outcome)
{
	return outcome->ran && outcome->value == step->value && outcome->won == (step->verb != LOSING_CAS) &&
	       (step->cpu == OBSERVER || outcome->end_ps == step->end_ps);
}

static int count_wrong_rows(const struct line_script *script, const struct outcome *outcomes)
{
	int nr_wrong = 0;

	for (int i = 0; i < script->nr_steps; i++) {
		const struct line_step *step = &script->steps[i];

		if (as_expected(step, &outcomes[i]))
			continue;
		nr_wrong++;
		print_error("%s: row %d, cpu %d: value %" PRIu64 ", end %" PRId64 " ps%s; expected value %" PRIu64
			    ", end %" PRId64 " ps%s\n",
			    script->what, i, step->cpu, outcomes[i].value, outcomes[i].end_ps,
			    outcomes[i].won ? "" : ", lost", step->value, step->end_ps,
			    step->verb == LOSING_CAS ? ", lost" : "");
	}
	return nr_wrong;
}

struct cpu_counters line_script_run(const struct machine_config *config, const struct line_script *script)
{
	struct error err = { .text = "" };
	struct cpu_counters counters;
	struct outcome *outcomes;
	struct line *line;
	struct rig rig;
	int nr_wrong;

	rig_create(&rig, config, 1);
	line = rig_line(&rig, script->home_node);
	outcomes = arena_calloc(rig.arena, (size_t)script->nr_steps, sizeof(*outcomes));
	for (int i = 0; i < script->nr_steps; i++) {
		struct role *role = arena_alloc(rig.arena, sizeof(*role));

		*role = (struct role){ script, outcomes, line, script->steps[i].cpu };
		if (is_first_of_cpu(script, i))
			rig_start(&rig, role->cpu, 1, play_role, role);
	}
	if (rig_run(&rig, &err))
		print_error("%s\n", err.text);
	nr_wrong = count_wrong_rows(script, outcomes) + (err.text[0] != '\0');
	counters = rig_counters(&rig);
	rig_destroy(&rig);
	assert_int_equal(nr_wrong, 0);
	return counters;
}
