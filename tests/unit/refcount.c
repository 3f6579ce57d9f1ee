/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The refcount policies on one CPU: the contract of refcount.h for each of the
 * registry, and what each costs, access by access. Sources of the costs: the
 * kernel's page_ref.h, see the policies' own comments.
 */
#include "models/kernel/refcount.h"

#include "models/registry.h"
#include "tests/support/rig.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FROZEN UINT64_C(0x80000000) /* of fetch-add */
#define JUNK_LIMIT (FROZEN + UINT64_C(0x40000000))

/*
 * Steps of one CPU: "S2" sets a count of 2, "G" is a try_get that must succeed, "g" one that must fail, "p" a put, "P"
 * a put that must be the last, "F2" a freeze at 2 that must succeed, "f2" one that must fail, "=2" a look at the count.
 */
struct script {
	const struct refcount_policy *policy;
	const void *params;
	struct folio *folio;
	const char *steps;
	char failed[32]; /* the first step that went wrong */
	sim_ps spent_ps; /* by the last step */
};

static bool take_step(struct script *script, struct cpu *cpu, char verb, int count)
{
	const struct refcount_policy *policy = script->policy;

	switch (verb) {
	case 'S':
		policy->set(script->params, cpu, script->folio, count);
		return true;
	case 'G':
	case 'g':
		return policy->try_get(script->params, cpu, script->folio) == (verb == 'G');
	case 'P':
	case 'p':
		return policy->put(script->params, cpu, script->folio) == (verb == 'P');
	case 'F':
	case 'f':
		return policy->freeze(script->params, cpu, script->folio, count) == (verb == 'F');
	default:
		return policy->count(script->folio) == count;
	}
}

static void run_steps(struct cpu *cpu, void *arg)
{
	struct script *script = arg;
	const char *step = script->steps;

	while (*step) {
		const sim_ps before = cpu->date;
		const char verb = *step++;
		char *end;
		int count = (int)strtol(step, &end, 10);

		if (!take_step(script, cpu, verb, count) && !script->failed[0])
			snprintf(script->failed, sizeof(script->failed), "%c%d, step %d", verb, count,
				 (int)(step - script->steps));
		script->spent_ps = cpu->date - before;
		step = end + (*end == ' ');
	}
}

/* Run a script on a fresh folio whose refcount word is `word`. The word afterwards. */
static uint64_t run_script(const struct machine_config *config, const struct policy *policy, const char *params,
			   struct script *script, uint64_t word)
{
	const struct policy_choice choice = { .policy = policy };
	struct rig rig;

	rig_create(&rig, config, 1);
	script->policy = refcount_policy(&choice);
	script->params = rig_choice_with(&rig, policy, params).params;
	script->folio = rig_folio(&rig, 0);
	line_poke(script->folio->page, FOLIO_REFCOUNT, word);
	rig_start(&rig, 0, 1, run_steps, script);
	assert_int_equal(rig_run(&rig, NULL), 0);
	word = line_peek(script->folio->page, FOLIO_REFCOUNT);
	rig_destroy(&rig);
	return word;
}

/* ---- the contract ---- */

struct contract_case {
	const char *what;
	const char *steps;
};

static void every_counted_policy_keeps_the_contract(void **state)
{
	static const struct contract_case cases[] = {
		{ "set is what count says", "S1 =1 S5 =5" },
		{ "gets add and puts take", "S1 G =2 G =3 p =2 p =1" },
		{ "the last put says so", "S2 p =1 P =0" },
		{ "a dead folio refuses", "S1 P g g =0" },
		{ "a fresh one takes its place", "S1 P g g S1 =1 G =2 p P =0" },
		{ "a freeze takes exactly the references there are", "S2 F2 =0" },
		{ "a freeze with others fails and changes nothing", "S2 f1 =2 f3 =2 F2 =0" },
		{ "a frozen folio refuses until it is set", "S2 F2 g g g =0 S2 =2 G =3 p p P" },
		{ "a frozen folio is not frozen again", "S2 F2 f2 f1 =0" },
		{ "freezes and gets in turn", "S1 F1 g S1 G F2 g S2 p F1 g S1 P" },
	};
	const struct machine_config config = rig_machine(1);

	(void)state;
	for (int i = 0; registry_policy_at(AXIS_REFCOUNT, i); i++) {
		const struct policy *policy = registry_policy_at(AXIS_REFCOUNT, i);
		const struct policy_choice choice = { .policy = policy };

		for (size_t j = 0; j < ARRAY_SIZE(cases); j++) {
			struct script script = { .steps = cases[j].steps };

			if (!refcount_policy(&choice)->counted)
				continue;
			run_script(&config, policy, NULL, &script, 0);
			if (script.failed[0])
				print_error("%s: %s: %s\n", policy->name, cases[j].what, script.failed);
			assert_string_equal(script.failed, "");
		}
	}
}

static void without_a_count_gets_succeed_and_nothing_freezes_or_dies(void **state)
{
	const struct machine_config config = rig_machine(1);
	struct script script = { .steps = "=1 G G p p p f1 f2 G S0 G =1" };

	(void)state;
	assert_int_equal(run_script(&config, registry_policy(AXIS_REFCOUNT, "none"), NULL, &script, 0), 0);
	assert_string_equal(script.failed, "");
	assert_int_equal(script.spent_ps, 0);
}

/* ---- junk of failed gets ---- */

struct junk_case {
	const char *what;
	uint64_t before;
	const char *steps;
	uint64_t after;
};

static void junk_of_failed_gets_never_thaws_a_folio(void **state)
{
	static const struct junk_case cases[] = {
		{ "failed gets stay in the low bits", FROZEN, "g g g =0", FROZEN + 3 },
		{ "setting the count clears them", FROZEN + 3, "S1 =1", 1 },
		{ "setting it to nothing, too", FROZEN + 3, "S0 =0", FROZEN },
		{ "one below the limit stays", JUNK_LIMIT - 2, "g =0", JUNK_LIMIT - 1 },
		{ "at the limit only the mark is left", JUNK_LIMIT - 1, "g =0", FROZEN },
		{ "beyond it, too", JUNK_LIMIT + 5, "g =0 g", FROZEN + 1 },
	};
	const struct machine_config config = rig_machine(1);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct script script = { .steps = cases[i].steps };
		uint64_t word = run_script(&config, registry_policy(AXIS_REFCOUNT, "fetch-add"), NULL, &script,
					   cases[i].before);

		if (word != cases[i].after || script.failed[0])
			print_error("%s: %s\n", cases[i].what, script.failed);
		assert_string_equal(script.failed, "");
		assert_int_equal(word, cases[i].after);
	}
}

/* ---- costs on a line that is here ---- */

/* What the last step costs when an atomic costs 1 us, a compare-and-swap 10 us more, a load 1 ns and a store 2 ns. */
struct hit_case {
	const char *policy;
	const char *params;
	const char *steps;
	sim_ps cost_ps;
};

#define LOAD NS(1)
#define STORE NS(2)
#define ATOMIC NS(1000)
#define COMPARE_AND_SWAP NS(11000)

/* clang-format off */
static void each_operation_makes_the_accesses_of_the_kernel(void **state)
{
	static const struct hit_case cases[] = {
		{ "cas", "reload_ns 0", "S1 G", LOAD + COMPARE_AND_SWAP },
		{ "cas", "reload_ns 7", "S1 G", LOAD + NS(7) + COMPARE_AND_SWAP },
		{ "cas", "backoff_ns 50 reload_ns 0", "S1 G", LOAD + COMPARE_AND_SWAP }, /* no failure, no pause */
		{ "cas", NULL, "S1 P g", LOAD },
		{ "cas", NULL, "S2 p", ATOMIC },
		{ "cas", NULL, "S1 P", ATOMIC },
		{ "cas", NULL, "S1 F1", COMPARE_AND_SWAP },
		{ "cas", NULL, "S2 f1", COMPARE_AND_SWAP },
		{ "cas", NULL, "S2 F2 S2", STORE },
		{ "cas-optimistic", "reload_ns 0", "S1 G", COMPARE_AND_SWAP }, /* guessed right */
		{ "cas-optimistic", "reload_ns 0", "S2 G", 2 * COMPARE_AND_SWAP },
		{ "cas-optimistic", "guess 2 reload_ns 0", "S2 G", COMPARE_AND_SWAP },
		{ "cas-optimistic", "reload_ns 7", "S2 G", 2 * (NS(7) + COMPARE_AND_SWAP) },
		{ "cas-optimistic", "reload_ns 0", "S1 P g", COMPARE_AND_SWAP },
		{ "cas-optimistic", NULL, "S1 P", ATOMIC },
		{ "fetch-add", NULL, "S1 G", ATOMIC },
		{ "fetch-add", NULL, "S1 P g", ATOMIC }, /* a failed get undoes nothing */
		{ "fetch-add", NULL, "S2 p", ATOMIC },
		{ "fetch-add", NULL, "S1 P", ATOMIC + COMPARE_AND_SWAP },
		{ "fetch-add", NULL, "S1 F1", COMPARE_AND_SWAP },
		{ "fetch-add", NULL, "S2 f1", COMPARE_AND_SWAP },
		{ "fetch-add", NULL, "S2 F2 S2", STORE },
		{ "none", NULL, "G", 0 },
		{ "none", NULL, "p", 0 },
	};
	struct machine_config config = rig_machine(1);

	(void)state;
	config.core.atomic_hit_ns = 1000;
	config.core.cmpxchg_extra_ns = 10000;
	config.transfer = (struct machine_transfer){ 1000, 1000, 1000, 1000 };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct policy *policy = registry_policy(AXIS_REFCOUNT, cases[i].policy);
		struct script script = { .steps = cases[i].steps };

		run_script(&config, policy, cases[i].params, &script, 0);
		if (script.failed[0] || script.spent_ps != cases[i].cost_ps)
			print_error("%s: %s: %s\n", cases[i].policy, cases[i].steps, script.failed);
		assert_string_equal(script.failed, "");
		assert_int_equal(script.spent_ps, cases[i].cost_ps);
	}
}
/* clang-format on */

/* ---- transactions on a line that another CPU holds ---- */

/* CPU 0 sets the count; 10 us later CPU 1, of the same cluster, does a step. */
struct miss_case {
	const char *policy;
	enum migratory_reads migratory;
	int count;
	const char *step;
	uint64_t transactions; /* of CPU 1 */
	uint64_t cas_failures;
	sim_ps cost_ps; /* the cluster's transfer is 20 ns, an atomic 5, a compare-and-swap 8, a load 1, the reload none */
};

static void run_second(struct cpu *cpu, void *arg)
{
	cpu_work(cpu, 10 * PS_PER_US - cpu->date);
	run_steps(cpu, arg);
}

static void set_count(struct cpu *cpu, void *arg)
{
	const struct script *script = arg;

	script->policy->set(script->params, cpu, script->folio, (int)strtol(script->steps, NULL, 10));
}

/* clang-format off */
static void a_get_by_compare_and_swap_is_a_read_and_an_upgrade(void **state)
{
	static const struct miss_case cases[] = {
		{ "cas", MIGRATORY_NONE, 1, "G", 2, 0, NS(20 + 23) }, /* the upgrade is served when the read's 20 ns are over */
		{ "cas", MIGRATORY_ANY, 1, "G", 1, 0, NS(16 + 8) },
		{ "cas", MIGRATORY_NONE, 2, "p", 1, 0, NS(20) },
		{ "cas", MIGRATORY_NONE, 1, "P", 1, 0, NS(20) },
		{ "cas", MIGRATORY_NONE, 1, "F1", 1, 0, NS(23) },
		{ "cas", MIGRATORY_NONE, 0, "g", 1, 0, NS(16) },
		{ "cas-optimistic", MIGRATORY_NONE, 1, "G", 1, 0, NS(23) },
		{ "cas-optimistic", MIGRATORY_NONE, 2, "G", 1, 1, NS(23 + 8) }, /* the retry hits */
		{ "cas-optimistic", MIGRATORY_NONE, 0, "g", 1, 1, NS(23) },
		{ "fetch-add", MIGRATORY_NONE, 1, "G", 1, 0, NS(20) },
		{ "fetch-add", MIGRATORY_NONE, 0, "g", 1, 0, NS(20) },
		{ "fetch-add", MIGRATORY_NONE, 1, "P", 1, 0, NS(20 + 8) },
		{ "none", MIGRATORY_NONE, 1, "G", 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct policy *policy = registry_policy(AXIS_REFCOUNT, cases[i].policy);
		const char *params = strncmp(policy->name, "cas", 3) ? NULL : "reload_ns 0";
		struct policy_choice choice = { .policy = policy };
		struct machine_config config = rig_machine(1);
		struct script first = { .policy = refcount_policy(&choice) };
		struct script second;
		uint64_t transactions;
		char count[16];
		struct rig rig;

		snprintf(count, sizeof(count), "%d", cases[i].count);
		config.line.migratory_reads = (int)cases[i].migratory;
		rig_create(&rig, &config, 1);
		first.params = rig_choice_with(&rig, policy, params).params;
		first.folio = rig_folio(&rig, 0);
		second = first;
		first.steps = count;
		second.steps = cases[i].step;
		rig_start(&rig, 0, 1, set_count, &first);
		rig_start(&rig, 1, 1, run_second, &second);
		assert_int_equal(rig_run(&rig, NULL), 0);
		transactions = rig.cpus[1].counters.transactions[DISTANCE_CLUSTER];
		if (second.failed[0] || transactions != cases[i].transactions || second.spent_ps != cases[i].cost_ps)
			print_error("%s, %s at %s: %s\n", policy->name, cases[i].step, count, second.failed);
		assert_string_equal(second.failed, "");
		assert_int_equal(transactions, cases[i].transactions);
		assert_int_equal(rig.cpus[1].counters.cas_failures, cases[i].cas_failures);
		assert_int_equal(second.spent_ps, cases[i].cost_ps);
		rig_destroy(&rig);
	}
}
/* clang-format on */

/* ---- a compare-and-swap that loses ---- */

static void get_at(struct cpu *cpu, void *arg)
{
	struct script *script = arg;

	cpu_work(cpu, PS_PER_US - cpu->date);
	run_steps(cpu, script);
}

/* Two CPUs of one cluster read the count, and both try to make 2 of 1: the second loses and tries again on its own line. */
static void a_lost_compare_and_swap_is_tried_again_with_the_value_found(void **state)
{
	static const char *const params[] = { "reload_ns 0", "reload_ns 0 backoff_ns 30" };
	static const sim_ps backoff_ps[] = { 0, NS(30) };

	(void)state;
	for (int i = 0; i < 2; i++) {
		const struct policy *policy = registry_policy(AXIS_REFCOUNT, "cas");
		const struct policy_choice choice = { .policy = policy };
		struct machine_config config = rig_machine(1);
		struct script scripts[2], setter;
		struct rig rig;

		rig_create(&rig, &config, 1);
		scripts[0] = (struct script){ .policy = refcount_policy(&choice), .steps = "G" };
		scripts[0].params = rig_choice_with(&rig, policy, params[i]).params;
		scripts[0].folio = rig_folio(&rig, 0);
		scripts[1] = scripts[0];
		setter = scripts[0];
		setter.steps = "1";
		rig_start(&rig, 0, 1, set_count, &setter);
		rig_start(&rig, 2, 1, get_at, &scripts[0]);
		rig_start(&rig, 3, 1, get_at, &scripts[1]);
		assert_int_equal(rig_run(&rig, NULL), 0);
		assert_string_equal(scripts[0].failed, "");
		assert_string_equal(scripts[1].failed, "");
		assert_int_equal(line_peek(scripts[0].folio->page, FOLIO_REFCOUNT), 3);
		assert_int_equal(rig_counters(&rig).cas_failures, 1);
		assert_int_equal(scripts[1].spent_ps - scripts[0].spent_ps, NS(20) + NS(8) + backoff_ps[i]);
		rig_destroy(&rig);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_counted_policy_keeps_the_contract),
		cmocka_unit_test(without_a_count_gets_succeed_and_nothing_freezes_or_dies),
		cmocka_unit_test(junk_of_failed_gets_never_thaws_a_folio),
		cmocka_unit_test(each_operation_makes_the_accesses_of_the_kernel),
		cmocka_unit_test(a_get_by_compare_and_swap_is_a_read_and_an_upgrade),
		cmocka_unit_test(a_lost_compare_and_swap_is_tried_again_with_the_value_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
