/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Locks on lines against the birth-death chain of Boyd-Wickizer, Kaashoek,
 * Morris and Zeldovich, Non-scalable locks are dangerous, OLS 2012: k cores of
 * n wait for the lock or hold it, the others think for a on average, so one
 * more comes at rate (n - k) / a; a serial section of s and the hand-over to
 * the next end at rate s_k. The distribution follows by balance,
 * P_{k+1} = P_k a_k / s_{k+1}, and n - sum k P_k cores think.
 *
 * What s_k is on our line, where each transaction takes c and one is served
 * after the other (every core is a cluster of its own, since reads of one
 * cluster are served together; first in first out; no jitter):
 *
 *	alone       the draw of the ticket, or the swap of the tail:        1 / (s + c)
 *	ticket      the holder's store takes the line back (c); the k - 1 others read again in any order, so the next owner
 *	            is served k / 2 reads later on average:                 1 / (s + c + c k / 2)
 *	mcs         the store takes the next one's node, who reads it back: 1 / (s + 2 c)
 *
 * The paper's s_k is 1 / (s + c k / 2) for a ticket and 1 / (s + c) for a queue:
 * it does not count the holder's store. Thinking and serial time are
 * exponential, as the chain's are. Not in the chain: a ticket that is drawn
 * while the lock is held makes all waiters read again, and the holder's store
 * waits behind such reads; so s is long beside n c here.
 */
#include "models/kernel/spinlock.h"

#include "models/registry.h"
#include "tests/support/numbers.h"
#include "tests/support/rig.h"
#include "tests/support/unit.h"

#include <math.h>

#define C_NS 10.0
#define WARMUP_SHARE 10 /* of the measured time */

struct chain_case {
	int nr_cores;
	double serial_ns, think_ns; /* means */
};

struct trial {
	const struct chain_case *at;
	struct rig rig;
	struct policy_choice choice;
	struct spinlock lock;
	sim_ps start_ps, end_ps; /* of measuring */
	uint64_t nr_sections; /* serial ones that ended then */
};

static sim_ps exponential(struct cpu *cpu, double mean_ns)
{
	const double uniform = ((double)(rng_u64(&cpu->rng) >> 11) + 0.5) / 9007199254740992.0; /* 2^53 */

	return ns_to_ps(-mean_ns * log(uniform));
}

static void think_and_lock(struct cpu *cpu, void *arg)
{
	struct trial *trial = arg;

	while (cpu->date < trial->end_ps) {
		cpu_work(cpu, exponential(cpu, trial->at->think_ns));
		spin_lock(cpu, &trial->lock);
		cpu_work(cpu, exponential(cpu, trial->at->serial_ns));
		cpu_sync(cpu);
		trial->nr_sections += cpu->date >= trial->start_ps && cpu->date < trial->end_ps;
		spin_unlock(cpu, &trial->lock);
	}
}

/* Every transaction takes C_NS, what hits takes nothing. */
static struct machine_config chain_machine(int nr_cores)
{
	struct machine_config config = rig_machine(1);

	config.topology = (struct machine_topology){ .sockets = 1,
						     .nodes_per_socket = 1,
						     .clusters_per_node = (uint32_t)nr_cores,
						     .cores_per_cluster = 1,
						     .smt = 1 };
	config.transfer =
		(struct machine_transfer){ .core_ns = C_NS, .cluster_ns = C_NS, .socket_ns = C_NS, .remote_ns = C_NS };
	config.core = (struct machine_core){ .load_hit_ns = 0.001, .store_hit_ns = 0.001, .atomic_hit_ns = 0.001 };
	config.line.arbitration = ARBITRATION_FIFO;
	return config;
}

/* Cores that think, on average: sections per time, each after a think time. */
static double simulated_thinking(const struct chain_case *at, const char *policy, sim_ps length_ps)
{
	const struct machine_config config = chain_machine(at->nr_cores);
	struct trial trial = { .at = at, .start_ps = length_ps / WARMUP_SHARE };
	struct spinlock_site site;

	trial.end_ps = trial.start_ps + length_ps;
	rig_create(&trial.rig, &config, 1);
	site = (struct spinlock_site){
		.arena = trial.rig.arena, .machine = trial.rig.machine, .engine = trial.rig.engine, .seed = 1
	};
	trial.choice = rig_choice_with(&trial.rig, registry_policy(AXIS_ZONE_LOCK, policy), "pause_ns 0");
	spinlock_init(&trial.lock, &site, &trial.choice, "the lock of the test", rig_line(&trial.rig, 0), 0);
	for (int cpu = 0; cpu < at->nr_cores; cpu++)
		rig_start(&trial.rig, cpu, 1, think_and_lock, &trial);
	assert_int_equal(rig_run(&trial.rig, NULL), 0);
	rig_destroy(&trial.rig);
	return (double)trial.nr_sections * at->think_ns / ps_to_ns(length_ps);
}

typedef double service_fn(const struct chain_case *at, int k);

static double ticket_rate(const struct chain_case *at, int k)
{
	return 1 / (at->serial_ns + C_NS + (k > 1 ? C_NS * k / 2 : 0));
}

static double queue_rate(const struct chain_case *at, int k)
{
	return 1 / (at->serial_ns + C_NS + (k > 1 ? C_NS : 0));
}

/* n - sum k P_k */
static double chain_thinking(const struct chain_case *at, service_fn *rate)
{
	double weight = 1, sum = 1, sum_k = 0;

	for (int k = 0; k < at->nr_cores; k++) {
		weight *= (at->nr_cores - k) / at->think_ns / rate(at, k + 1);
		sum += weight;
		sum_k += weight * (k + 1);
	}
	return at->nr_cores - sum_k / sum;
}

/* From seldom to always contended. */
static const struct chain_case cases[] = {
	{ 2, 200, 1000 },   { 4, 200, 1000 },  { 8, 300, 3000 },    { 8, 300, 1000 },
	{ 16, 600, 12000 }, { 16, 600, 6000 }, { 24, 1000, 24000 }, { 24, 1000, 6000 },
};

/* Sections of a trial; the spread of a share of n by chance is below 1 %. */
#define NR_SECTIONS 20000

static void a_ticket_lock_follows_its_chain(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const double thinking = chain_thinking(&cases[i], ticket_rate);
		const sim_ps length_ps = ns_to_ps(NR_SECTIONS * cases[i].think_ns / thinking);

		assert_about(simulated_thinking(&cases[i], "ticket", length_ps), thinking, 5);
	}
}

/* The longest queue: one chain is 8 % from the other, and the lock follows its own. */
static void the_chain_of_a_queue_is_not_that_of_a_ticket_lock(void **state)
{
	const struct chain_case *longest = &cases[ARRAY_SIZE(cases) - 1];

	(void)state;
	assert_true(chain_thinking(longest, ticket_rate) < 0.95 * chain_thinking(longest, queue_rate));
}

/* "Measured collapse is steeper than the model": a short section ends while waiters still read, and its store queues up. */
static void short_sections_collapse_below_the_chain(void **state)
{
	static const struct chain_case at = { 24, 50, 1200 };
	const sim_ps length_ps = ns_to_ps(NR_SECTIONS * at.think_ns / chain_thinking(&at, ticket_rate));
	const double ticket = simulated_thinking(&at, "ticket", length_ps);

	(void)state;
	assert_true(ticket < 0.95 * chain_thinking(&at, ticket_rate));
	assert_true(ticket < 0.5 * simulated_thinking(&at, "mcs", length_ps));
}

static void an_mcs_lock_follows_its_chain(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const double thinking = chain_thinking(&cases[i], queue_rate);
		const sim_ps length_ps = ns_to_ps(NR_SECTIONS * cases[i].think_ns / thinking);

		assert_about(simulated_thinking(&cases[i], "mcs", length_ps), thinking, 5);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ticket_lock_follows_its_chain),
		cmocka_unit_test(the_chain_of_a_queue_is_not_that_of_a_ticket_lock),
		cmocka_unit_test(short_sections_collapse_below_the_chain),
		cmocka_unit_test(an_mcs_lock_follows_its_chain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
