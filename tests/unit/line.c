/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The line by scripts on the machine of rig_machine(): two sockets of two
 * clusters of two cores; an atomic costs 20 ns from the same cluster, 100 ns
 * from the same socket, 200 ns across; the owner keeps the line for 2, 25 or
 * 50 ns. What ends at T begins to fail at T - 1 ps, so dates come in pairs.
 */
#include "models/hardware/line.h"

#include "tests/support/line_script.h"
#include "tests/support/unit.h"

#include <string.h>

#define PS ((sim_ps)1)

static void assert_transactions(const struct cpu_counters *counters, uint64_t core, uint64_t cluster, uint64_t socket,
				uint64_t remote)
{
	assert_int_equal(counters->transactions[DISTANCE_CORE], core);
	assert_int_equal(counters->transactions[DISTANCE_CLUSTER], cluster);
	assert_int_equal(counters->transactions[DISTANCE_SOCKET], socket);
	assert_int_equal(counters->transactions[DISTANCE_REMOTE], remote);
}

/* ---- uncontended costs ---- */

/* clang-format off */
static void an_atomic_costs_the_latency_of_its_distance(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) }, /* from its home */
		{ 1, NS(2000), ADD, 1, .value = 1, .end_ps = NS(2020) },
		{ 2, NS(3000), ADD, 1, .value = 2, .end_ps = NS(3100) },
		{ 4, NS(4000), ADD, 1, .value = 3, .end_ps = NS(4200) },
		{ 5, NS(5000), ADD, 1, .value = 4, .end_ps = NS(5020) }, /* alone in a cluster: need not go home */
		{ 5, NS(6000), ADD, 1, .value = 5, .end_ps = NS(6005) }, /* a hit */
	};
	struct machine_config config = rig_machine(1);
	struct cpu_counters counters = LINE_STEPS(&config, steps);

	(void)state;
	assert_transactions(&counters, 0, 2, 2, 1);
	assert_int_equal(counters.line_wait_ps, NS(95 + 15 + 95 + 195 + 15));
}

static void every_access_costs_the_transfer_less_an_atomic_plus_its_own_hit(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), WRITE, 7, .end_ps = NS(1097) },
		{ 1, NS(2000), READ, .value = 7, .end_ps = NS(2016) },
		{ 0, NS(3000), WRITE, 9, .end_ps = NS(3017) },
		{ 1, NS(4000), OR, 6, .value = 9, .end_ps = NS(4020) },
		{ 0, NS(5000), XOR, 1, .value = 15, .end_ps = NS(5020) },
		{ 1, NS(6000), AND, 6, .value = 14, .end_ps = NS(6020) },
		{ 0, NS(7000), SWAP, 3, .value = 6, .end_ps = NS(7020) },
		{ 1, NS(8000), CAS, 4, .expected = 3, .value = 3, .end_ps = NS(8023) },
		{ 0, NS(9000), LOSING_CAS, 5, .expected = 3, .value = 4, .end_ps = NS(9023) },
		{ 4, NS(10000), READ, .value = 4, .end_ps = NS(10196) },
	};
	struct machine_config config = rig_machine(1);

	(void)state;
	LINE_STEPS(&config, steps);
}

static void hits_cost_what_the_core_takes(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 0, NS(1100), READ, .value = 1, .end_ps = NS(1101) },
		{ 0, NS(1200), WRITE, 2, .end_ps = NS(1202) },
		{ 0, NS(1300), OR, 1, .value = 2, .end_ps = NS(1305) },
		{ 0, NS(1400), SWAP, 8, .value = 3, .end_ps = NS(1405) },
		{ 0, NS(1500), CAS, 9, .expected = 8, .value = 8, .end_ps = NS(1508) },
		{ 0, NS(1600), LOSING_CAS, 1, .expected = 8, .value = 9, .end_ps = NS(1608) },
	};
	struct machine_config config = rig_machine(1);
	struct cpu_counters counters = LINE_STEPS(&config, steps);

	(void)state;
	assert_transactions(&counters, 0, 0, 1, 0);
	assert_int_equal(counters.cas_failures, 1);
}

/* ---- dates of a transaction ---- */

static void the_data_comes_one_atomic_before_the_latency_is_over(void **state)
{
	static const struct line_step steps[] = {
		{ 4, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1200) },
		{ OBSERVER, NS(1195) - PS, MAY_WRITE, 4, .value = 0 },
		{ OBSERVER, NS(1195) - PS, PEEK, .value = 0 },
		{ OBSERVER, NS(1195), MAY_WRITE, 4, .value = 1 },
		{ OBSERVER, NS(1195), PEEK, .value = 1 },
	};
	struct machine_config config = rig_machine(1);

	(void)state;
	LINE_STEPS(&config, steps);
}

static void the_owner_hits_until_the_snoop_reaches_it(void **state)
{
	static const struct line_step cluster[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 1, NS(2000), ADD, 1, .value = 2, .end_ps = NS(2020) },
		{ 0, NS(2002) - PS, ADD, 1, .value = 1, .end_ps = NS(2007) - PS },
	};
	static const struct line_step socket[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 2, NS(2000), ADD, 1, .value = 2, .end_ps = NS(2100) },
		{ 0, NS(2025) - PS, ADD, 1, .value = 1, .end_ps = NS(2030) - PS },
		{ OBSERVER, NS(2025) - PS, MAY_WRITE, 0, .value = 1 },
		{ OBSERVER, NS(2025), MAY_WRITE, 0, .value = 0 },
	};
	static const struct line_step remote[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 4, NS(2000), ADD, 1, .value = 2, .end_ps = NS(2200) },
		{ 0, NS(2050) - PS, ADD, 1, .value = 1, .end_ps = NS(2055) - PS },
	};
	struct machine_config config = rig_machine(1);

	(void)state;
	LINE_STEPS(&config, cluster);
	LINE_STEPS(&config, socket);
	LINE_STEPS(&config, remote);
}

static void the_owner_misses_once_the_snoop_has_reached_it(void **state)
{
	static const struct line_step cluster[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 1, NS(2000), ADD, 1, .value = 1, .end_ps = NS(2020) },
		{ 0, NS(2002), ADD, 1, .value = 2, .end_ps = NS(2040) },
	};
	static const struct line_step socket[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 2, NS(2000), ADD, 1, .value = 1, .end_ps = NS(2100) },
		{ 0, NS(2025), ADD, 1, .value = 2, .end_ps = NS(2200) },
	};
	static const struct line_step remote[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 4, NS(2000), ADD, 1, .value = 1, .end_ps = NS(2200) },
		{ 0, NS(2050), ADD, 1, .value = 2, .end_ps = NS(2400) },
	};
	struct machine_config config = rig_machine(1);

	(void)state;
	LINE_STEPS(&config, cluster);
	LINE_STEPS(&config, socket);
	LINE_STEPS(&config, remote);
}

/* Served at 1150, 150 % of 100 ns after the first, unless they ask later. */
static void the_next_request_is_served_when_the_occupancy_is_over(void **state)
{
	static const struct line_step early[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 2, NS(1001), ADD, 1, .value = 1, .end_ps = NS(1250) },
	};
	static const struct line_step just_before[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 2, NS(1150) - PS, ADD, 1, .value = 1, .end_ps = NS(1250) },
	};
	static const struct line_step on_time[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 2, NS(1150), ADD, 1, .value = 1, .end_ps = NS(1250) },
	};
	static const struct line_step just_after[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 2, NS(1150) + PS, ADD, 1, .value = 1, .end_ps = NS(1250) + PS },
	};
	struct machine_config config = rig_machine(1);

	(void)state;
	config.line.occupancy_socket_pct = 150;
	LINE_STEPS(&config, early);
	LINE_STEPS(&config, just_before);
	LINE_STEPS(&config, on_time);
	LINE_STEPS(&config, just_after);
}

static void a_read_has_an_occupancy_of_its_own(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 2, NS(2000), READ, .value = 1, .end_ps = NS(2096) },
		{ 4, NS(2010), ADD, 1, .value = 1, .end_ps = NS(2350) }, /* served at 2000 + 150 */
	};
	struct machine_config config = rig_machine(1);

	(void)state;
	config.line.read_occupancy_pct = 150;
	LINE_STEPS(&config, steps);
}

/* Served at 2050, but the owner's atomic goes on until 2100: the snoop, due at 2075, and all after it come 25 ns later. */
static void an_owner_in_its_first_atomic_finishes_it(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 2, NS(2000), ADD, 1, .value = 1, .end_ps = NS(2100) },
		{ 1, NS(2010), ADD, 1, .value = 2, .end_ps = NS(2175) },
		{ OBSERVER, NS(2100) - PS, MAY_WRITE, 2, .value = 1 },
		{ OBSERVER, NS(2100), MAY_WRITE, 2, .value = 0 },
		{ 4, NS(2020), ADD, 1, .value = 3, .end_ps = NS(2325) }, /* served at 2075 + 50 */
	};
	struct machine_config config = rig_machine(1);

	(void)state;
	config.line.occupancy_socket_pct = 50;
	config.line.snoop_remote_pct = 40;
	LINE_STEPS(&config, steps);
}

/*
 * Served at 2050, but the reader gets its copy at 2095 and keeps it until then:
 * the snoop, due at 2075, comes 20 ns later.
 */
static void a_reader_gets_the_copy_that_is_on_its_way(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 2, NS(2000), READ, .value = 1, .end_ps = NS(2096) },
		{ 1, NS(2010), ADD, 1, .value = 1, .end_ps = NS(2170) },
		{ OBSERVER, NS(2095) - PS, READERS, .value = 1 },
		{ OBSERVER, NS(2095), READERS, .value = 0 },
	};
	struct machine_config config = rig_machine(1);

	(void)state;
	config.line.read_occupancy_pct = 50;
	LINE_STEPS(&config, steps);
}

static void owner_changes_are_at_most_one_per_occupancy(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 2, NS(1001), ADD, 1, .value = 1, .end_ps = NS(1400) },
		{ 1, NS(1002), ADD, 1, .value = 2, .end_ps = NS(1700) },
		{ 3, NS(1003), ADD, 1, .value = 3, .end_ps = NS(2000) },
	};
	struct machine_config config = rig_machine(1);

	(void)state;
	config.line.occupancy_socket_pct = 300;
	LINE_STEPS(&config, steps);
}

/* ---- the way a transfer takes ---- */

struct route_case {
	const char *what;
	int home_node;
	bool home_routed;
	sim_ps latency_ps; /* of CPU 6's access to a line that CPU 4, in the same socket, holds */
};

static void a_transfer_costs_its_longest_leg(void **state)
{
	static const struct route_case cases[] = {
		{ "the home is in the other socket", 0, true, NS(200) },
		{ "the home is in this socket", 1, true, NS(100) },
		{ "transfers do not go through the home", 0, false, NS(100) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct line_step steps[] = {
			{ 4, NS(1000), ADD, 1, .value = 0, .end_ps = cases[i].home_node == 1 ? NS(1100) : NS(1200) },
			{ 6, NS(2000), ADD, 1, .value = 1, .end_ps = NS(2000) + cases[i].latency_ps },
		};
		struct machine_config config = rig_machine(1);

		config.line.home_routed = cases[i].home_routed;
		line_script_run(&config, &(struct line_script){ cases[i].what, steps, 2, cases[i].home_node });
	}
}

static void an_upgrade_waits_for_the_farthest_sharer(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 4, NS(2000), READ, .value = 1, .end_ps = NS(2196) },
		{ 0, NS(3000), ADD, 1, .value = 1, .end_ps = NS(3200) },
		{ 1, NS(4000), READ, .value = 2, .end_ps = NS(4016) },
		{ 0, NS(5000), ADD, 1, .value = 2, .end_ps = NS(5020) },
	};
	struct machine_config config = rig_machine(1);
	struct cpu_counters counters = LINE_STEPS(&config, steps);

	(void)state;
	assert_transactions(&counters, 0, 2, 1, 2);
	assert_int_equal(counters.invalidations, 2);
}

static void transfers_inside_a_cluster_are_short_only_while_no_other_waits(void **state)
{
	static const struct line_step alone[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 2, NS(2000), ADD, 1, .value = 1, .end_ps = NS(2100) },
		{ 3, NS(2001), ADD, 1, .value = 2, .end_ps = NS(2120) },
	};
	static const struct line_step another_waits[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 2, NS(2000), ADD, 1, .value = 1, .end_ps = NS(2100) },
		{ 3, NS(2001), ADD, 1, .value = 2, .end_ps = NS(2200) },
		{ 1, NS(2002), ADD, 1, .value = 3, .end_ps = NS(2300) },
	};
	struct machine_config config = rig_machine(1);

	(void)state;
	config.line.cluster_turn = 3;
	LINE_STEPS(&config, alone);
	LINE_STEPS(&config, another_waits);
}

/* ---- reads ---- */

static void waiting_reads_of_a_cluster_are_one_transaction(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 2, NS(2000), ADD, 1, .value = 1, .end_ps = NS(2100) },
		{ 4, NS(2010), READ, .value = 2, .end_ps = NS(2296) },
		{ 5, NS(2020), READ, .value = 2, .end_ps = NS(2296) },
		{ OBSERVER, NS(2150) - PS, MAY_WRITE, 2, .value = 1 },
		{ OBSERVER, NS(2150), MAY_WRITE, 2, .value = 0 },
		{ OBSERVER, NS(2295) - PS, READERS, .value = 1 },
		{ OBSERVER, NS(2295), READERS, .value = 3 },
		{ 4, NS(3000), READ, .value = 2, .end_ps = NS(3001) },
	};
	struct machine_config config = rig_machine(1);
	struct cpu_counters counters = LINE_STEPS(&config, steps);

	(void)state;
	assert_transactions(&counters, 0, 0, 2, 1);
	assert_int_equal(counters.invalidations, 1);
}

static void the_first_reader_from_home_may_write_at_once(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), READ, .value = 0, .end_ps = NS(1096) },
		{ OBSERVER, NS(1095) - PS, MAY_WRITE, 0, .value = 0 },
		{ OBSERVER, NS(1095), MAY_WRITE, 0, .value = 1 },
		{ 0, NS(2000), ADD, 1, .value = 0, .end_ps = NS(2005) },
	};
	struct machine_config config = rig_machine(1);

	(void)state;
	LINE_STEPS(&config, steps);
}

static void reads_near_a_copy_run_in_parallel_and_are_no_transaction(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 4, NS(2000), READ, .value = 1, .end_ps = NS(2096) },
		{ 1, NS(3000), READ, .value = 1, .end_ps = NS(3016) },
		{ 2, NS(3000), READ, .value = 1, .end_ps = NS(3016) },
		{ 3, NS(3000), READ, .value = 1, .end_ps = NS(3016) },
		{ OBSERVER, NS(3015) - PS, READERS, .value = 2 },
		{ OBSERVER, NS(3015), READERS, .value = 5 },
	};
	struct machine_config config = rig_machine(1);
	struct cpu_counters counters;

	(void)state;
	config.topology.cores_per_cluster = 4;
	counters = LINE_STEPS(&config, steps);
	assert_transactions(&counters, 0, 0, 2, 0);
	assert_int_equal(counters.line_wait_ps, NS(95 + 95 + 3 * 15));
}

static void a_read_near_a_former_owner_waits_until_it_may_write_no_more(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 4, NS(2000), READ, .value = 2, .end_ps = NS(2196) }, /* reaches the owner at 2050 */
		{ 1, NS(2010), READ, .value = 2, .end_ps = NS(2066) },
		{ 0, NS(2050) - PS, ADD, 1, .value = 1, .end_ps = NS(2055) - PS },
	};
	struct machine_config config = rig_machine(1);

	(void)state;
	LINE_STEPS(&config, steps);
}

static void every_sharer_beyond_the_first_adds_to_a_write(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 4, NS(2000), READ, .value = 1, .end_ps = NS(2096) },
		{ 0, NS(3000), ADD, 1, .value = 1, .end_ps = NS(3100) }, /* one sharer: nothing added */
		{ 4, NS(4000), READ, .value = 2, .end_ps = NS(4096) },
		{ 1, NS(5000), READ, .value = 2, .end_ps = NS(5016) },
		{ 2, NS(5000), READ, .value = 2, .end_ps = NS(5016) },
		{ 3, NS(5000), READ, .value = 2, .end_ps = NS(5016) },
		{ 0, NS(6000), ADD, 1, .value = 2, .end_ps = NS(6121) }, /* four: 100 + 3 * 7 */
		{ OBSERVER, NS(6025) - PS, READERS, .value = 4 }, /* all but the writer, which waits */
		{ OBSERVER, NS(6025), READERS, .value = 0 },
		{ OBSERVER, NS(6116), READERS, .value = 1 },
	};
	struct machine_config config = rig_machine(1);
	struct cpu_counters counters;

	(void)state;
	config.topology.cores_per_cluster = 4;
	config.line.invalidate_ns = 7;
	counters = LINE_STEPS(&config, steps);
	assert_int_equal(counters.invalidations, 5);
}

static void a_read_and_then_an_atomic_are_two_transactions(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 1, NS(2000), READ, .value = 1, .end_ps = NS(2016) },
		{ 1, NS(3000), ADD, 1, .value = 1, .end_ps = NS(3020) },
	};
	struct machine_config config = rig_machine(1);
	struct cpu_counters counters = LINE_STEPS(&config, steps);

	(void)state;
	assert_transactions(&counters, 0, 2, 1, 0);
}

struct migratory_case {
	enum migratory_reads where;
	int reader;
	sim_ps read_end_ps, add_end_ps; /* of the reader's access to a line that CPU 0 holds, and its atomic after it */
};

static void reads_take_the_line_over_where_the_machine_says_so(void **state)
{
	static const struct migratory_case cases[] = {
		{ MIGRATORY_NONE, 1, NS(2016), NS(3020) },    { MIGRATORY_NONE, 2, NS(2096), NS(3100) },
		{ MIGRATORY_CLUSTER, 1, NS(2016), NS(3005) }, { MIGRATORY_CLUSTER, 2, NS(2096), NS(3100) },
		{ MIGRATORY_ANY, 1, NS(2016), NS(3005) },     { MIGRATORY_ANY, 2, NS(2096), NS(3005) },
		{ MIGRATORY_ANY, 4, NS(2196), NS(3005) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct line_step steps[] = {
			{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
			{ cases[i].reader, NS(2000), READ, .value = 1, .end_ps = cases[i].read_end_ps },
			{ cases[i].reader, NS(3000), ADD, 1, .value = 1, .end_ps = cases[i].add_end_ps },
			{ OBSERVER, NS(2500), MAY_READ, 0, .value = cases[i].add_end_ps != NS(3005) },
		};
		struct machine_config config = rig_machine(1);

		config.line.migratory_reads = cases[i].where;
		LINE_STEPS(&config, steps);
	}
}

static void a_line_that_its_owner_only_read_is_shared(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 1, NS(2000), READ, .value = 1, .end_ps = NS(2016) }, /* takes it over, but writes nothing */
		{ 2, NS(3000), READ, .value = 1, .end_ps = NS(3096) },
		{ OBSERVER, NS(3500), READERS, .value = 2 },
		{ 1, NS(4000), ADD, 1, .value = 1, .end_ps = NS(4100) },
		{ 2, NS(5000), READ, .value = 2, .end_ps = NS(5096) }, /* takes it over again */
		{ OBSERVER, NS(5500), READERS, .value = 1 },
	};
	struct machine_config config = rig_machine(1);

	(void)state;
	config.line.migratory_reads = MIGRATORY_ANY;
	LINE_STEPS(&config, steps);
}

static void a_shared_line_is_not_taken_over_by_reads(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 2, NS(2000), READ, .value = 1, .end_ps = NS(2096) },
		{ 4, NS(3000), READ, .value = 1, .end_ps = NS(3196) },
		{ OBSERVER, NS(3500), READERS, .value = 3 },
	};
	struct machine_config config = rig_machine(1);

	(void)state;
	config.line.migratory_reads = MIGRATORY_CLUSTER;
	LINE_STEPS(&config, steps);
}

/* ---- compare-and-swap ---- */

static void a_lost_compare_and_swap_leaves_the_line_here(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), WRITE, 5, .end_ps = NS(1097) },
		{ 1, NS(2000), LOSING_CAS, 9, .expected = 4, .value = 5, .end_ps = NS(2023) },
		{ OBSERVER, NS(2023) - PS, PEEK, .value = 5 },
		{ OBSERVER, NS(2023), MAY_WRITE, 1, .value = 1 },
		{ 1, NS(2023), CAS, 6, .expected = 5, .value = 5, .end_ps = NS(2031) },
	};
	struct machine_config config = rig_machine(1);
	struct cpu_counters counters = LINE_STEPS(&config, steps);

	(void)state;
	assert_int_equal(counters.cas_failures, 1);
	assert_transactions(&counters, 0, 1, 1, 0);
}

static void a_compare_and_swap_fails_by_its_own_word_alone(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), WRITE, 5, .word = 2, .end_ps = NS(1097) },
		{ 1, NS(2000), ADD, 1, .word = 0, .value = 0, .end_ps = NS(2020) }, /* false sharing */
		{ 0, NS(3000), CAS, 6, .expected = 5, .word = 2, .value = 5, .end_ps = NS(3023) },
		{ 1, NS(4000), ADD, 1, .word = 2, .value = 6, .end_ps = NS(4020) },
		{ 0, NS(5000), LOSING_CAS, 7, .expected = 6, .word = 2, .value = 7, .end_ps = NS(5023) },
		{ OBSERVER, NS(6000), PEEK, .word = 0, .value = 1 },
		{ OBSERVER, NS(6000), PEEK, .word = 2, .value = 7 },
	};
	struct machine_config config = rig_machine(1);

	(void)state;
	LINE_STEPS(&config, steps);
}

/* ---- SMT siblings: CPUs n and n + 8 ---- */

static void a_line_that_a_sibling_wrote_costs_a_transfer_in_the_core(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 8, NS(2000), ADD, 1, .value = 1, .end_ps = NS(2010) },
		{ 8, NS(3000), ADD, 1, .value = 2, .end_ps = NS(3005) },
		{ 0, NS(4000), READ, .value = 3, .end_ps = NS(4001) }, /* the core has it */
		{ 0, NS(5000), ADD, 1, .value = 3, .end_ps = NS(5010) },
	};
	struct machine_config config = rig_machine(2);
	struct cpu_counters counters = LINE_STEPS(&config, steps);

	(void)state;
	assert_transactions(&counters, 2, 0, 1, 0);
}

static void a_sibling_waits_for_an_atomic_in_progress(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 0, NS(2000), ADD, 1, .value = 1, .end_ps = NS(2005) },
		{ 8, NS(2001), ADD, 1, .value = 2, .end_ps = NS(2015) },
	};
	struct machine_config config = rig_machine(2);

	(void)state;
	LINE_STEPS(&config, steps);
}

static void a_first_read_makes_no_sibling_of_the_reader_itself(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), READ, .value = 0, .end_ps = NS(1096) },
		{ 0, NS(2000), ADD, 1, .value = 0, .end_ps = NS(2005) },
		{ 8, NS(3000), READ, .value = 1, .end_ps = NS(3001) },
	};
	struct machine_config config = rig_machine(2);
	struct cpu_counters counters = LINE_STEPS(&config, steps);

	(void)state;
	assert_transactions(&counters, 0, 0, 1, 0);
}

/* CPU 8 waits behind CPU 4, but the line passes by its core: it is served in the visit to CPU 0. */
static void waiting_siblings_are_served_in_one_visit(void **state)
{
	static const struct line_step steps[] = {
		{ 2, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 0, NS(1010), ADD, 1, .value = 1, .end_ps = NS(1200) },
		{ 4, NS(1015), ADD, 1, .value = 3, .end_ps = NS(1400) },
		{ 8, NS(1020), ADD, 1, .value = 2, .end_ps = NS(1210) },
		{ OBSERVER, NS(1250) - PS, MAY_WRITE, 0, .value = 1 },
		{ OBSERVER, NS(1250), MAY_WRITE, 0, .value = 0 },
	};
	struct machine_config config = rig_machine(2);
	struct cpu_counters counters = LINE_STEPS(&config, steps);

	(void)state;
	assert_transactions(&counters, 1, 0, 2, 1);
}

static void a_sibling_that_asks_while_the_line_is_on_its_way_comes_second(void **state)
{
	static const struct line_step steps[] = {
		{ 2, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 0, NS(2000), ADD, 1, .value = 2, .end_ps = NS(2100) },
		{ 8, NS(2010), ADD, 1, .value = 3, .end_ps = NS(2110) },
		{ 2, NS(2020), ADD, 1, .value = 1, .end_ps = NS(2025) }, /* the owner still hits */
	};
	struct machine_config config = rig_machine(2);

	(void)state;
	LINE_STEPS(&config, steps);
}

/* The line is lost at 2025. An atomic of 5 ns must begin 5 ns before; a store need only begin before. */
static void an_atomic_needs_its_line_to_the_end_where_the_machine_says_so(void **state)
{
	static const struct line_step in_time[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 2, NS(2000), ADD, 1, .value = 2, .end_ps = NS(2100) },
		{ 0, NS(2020) - PS, ADD, 1, .value = 1, .end_ps = NS(2025) - PS },
	};
	static const struct line_step too_late[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 2, NS(2000), ADD, 1, .value = 1, .end_ps = NS(2100) },
		{ 0, NS(2020), ADD, 1, .value = 2, .end_ps = NS(2200) },
	};
	static const struct line_step store[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 2, NS(2000), ADD, 1, .value = 9, .end_ps = NS(2100) },
		{ 0, NS(2025) - PS, WRITE, 9, .end_ps = NS(2027) - PS },
	};
	struct machine_config config = rig_machine(1);

	(void)state;
	config.line.atomic_commit_pct = 100;
	LINE_STEPS(&config, in_time);
	LINE_STEPS(&config, too_late);
	LINE_STEPS(&config, store);
}

/* ---- atomics at the home ---- */

static void far_atomics_move_no_line_and_follow_each_other_closely(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), ADD, 1, .value = 0, .end_ps = NS(1100) },
		{ 2, NS(1000), ADD, 1, .value = 1, .end_ps = NS(1110) },
		{ 4, NS(1000), ADD, 1, .value = 2, .end_ps = NS(1220) },
		{ OBSERVER, NS(1100), READERS, .value = 0 },
		{ OBSERVER, NS(1500), READERS, .value = 0 },
		{ OBSERVER, NS(1500), PEEK, .value = 3 },
	};
	struct machine_config config = rig_machine(1);
	struct cpu_counters counters;

	(void)state;
	config.line.far_atomics = true;
	counters = LINE_STEPS(&config, steps);
	assert_transactions(&counters, 0, 0, 2, 1);
	assert_int_equal(counters.invalidations, 0);
}

static void a_far_atomic_first_takes_the_line_from_its_holders(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), READ, .value = 0, .end_ps = NS(1096) },
		{ 1, NS(2000), READ, .value = 0, .end_ps = NS(2016) },
		{ 2, NS(3000), ADD, 1, .value = 0, .end_ps = NS(3125) },
		{ OBSERVER, NS(3025) - PS, READERS, .value = 2 },
		{ OBSERVER, NS(3025), READERS, .value = 0 },
	};
	struct machine_config config = rig_machine(1);
	struct cpu_counters counters;

	(void)state;
	config.line.far_atomics = true;
	counters = LINE_STEPS(&config, steps);
	assert_int_equal(counters.invalidations, 2);
}
static void a_plain_store_takes_the_line_even_where_atomics_go_far(void **state)
{
	static const struct line_step steps[] = {
		{ 0, NS(1000), WRITE, 7, .end_ps = NS(1097) },
		{ OBSERVER, NS(1200), MAY_WRITE, 0, .value = 1 },
		{ OBSERVER, NS(1200), PEEK, .value = 7 },
	};
	struct machine_config config = rig_machine(1);

	(void)state;
	config.line.far_atomics = true;
	LINE_STEPS(&config, steps);
}

/* clang-format on */

/* ---- order ---- */

struct request {
	int cpu;
	sim_ps at_ps;
	uint64_t place; /* 1 for the first that is served */
};

struct asker {
	struct line *line;
	sim_ps at_ps;
	uint64_t found;
};

static void ask(struct cpu *cpu, void *arg)
{
	struct asker *asker = arg;

	cpu_work(cpu, asker->at_ps - cpu->date);
	asker->found = line_fetch_add(cpu, asker->line, 0, 1);
}

/* CPU 0 has the line served at 1000 ns; the others ask while it is busy. The places in which they come, by request. */
static void serve_order(const struct machine_config *config, uint64_t seed, const struct request *requests, int nr,
			uint64_t *places)
{
	struct asker askers[16];
	struct asker first;
	struct rig rig;

	rig_create(&rig, config, seed);
	first = (struct asker){ .line = rig_line(&rig, 0), .at_ps = NS(1000) };
	rig_start(&rig, 0, 1, ask, &first);
	for (int i = 0; i < nr; i++) {
		askers[i] = (struct asker){ .line = first.line, .at_ps = requests[i].at_ps };
		rig_start(&rig, requests[i].cpu, 1, ask, &askers[i]);
	}
	assert_int_equal(rig_run(&rig, NULL), 0);
	for (int i = 0; i < nr; i++)
		places[i] = askers[i].found;
	rig_destroy(&rig);
}

/* Clusters of four: CPUs 0 to 3, 4 to 7, and in the other socket 8 to 11. */
static struct machine_config wide_machine(enum arbitration arbitration, uint32_t cluster_turn)
{
	struct machine_config config = rig_machine(1);

	config.topology.cores_per_cluster = 4;
	config.line.arbitration = arbitration;
	config.line.cluster_turn = cluster_turn;
	return config;
}

struct order_case {
	const char *what;
	enum arbitration arbitration;
	uint32_t cluster_turn;
	struct request requests[6];
};

/* clang-format off */
static const struct order_case order_cases[] = {
	{ "clusters take turns", ARBITRATION_CLUSTER_TURNS, 1,
	  { { 8, NS(1010), 1 }, { 9, NS(1020), 4 }, { 1, NS(1030), 2 }, { 4, NS(1040), 3 }, { 2, NS(1050), 5 }, { 5, NS(1060), 6 } } },
	{ "the cluster that was served last comes last", ARBITRATION_CLUSTER_TURNS, 1,
	  { { 1, NS(1010), 3 }, { 2, NS(1020), 5 }, { 3, NS(1030), 6 }, { 4, NS(1040), 1 }, { 5, NS(1050), 4 }, { 8, NS(1060), 2 } } },
	{ "a turn of three", ARBITRATION_CLUSTER_TURNS, 3,
	  { { 8, NS(1010), 1 }, { 9, NS(1020), 2 }, { 10, NS(1030), 3 }, { 11, NS(1040), 6 }, { 4, NS(1050), 4 }, { 5, NS(1060), 5 } } },
	{ "a turn of three counts what it served before", ARBITRATION_CLUSTER_TURNS, 3,
	  { { 1, NS(1010), 1 }, { 2, NS(1020), 2 }, { 3, NS(1030), 6 }, { 4, NS(1040), 3 }, { 5, NS(1050), 4 }, { 8, NS(1060), 5 } } },
	{ "first come first served", ARBITRATION_FIFO, 1,
	  { { 8, NS(1010), 1 }, { 9, NS(1020), 2 }, { 1, NS(1030), 3 }, { 4, NS(1040), 4 }, { 2, NS(1050), 5 }, { 5, NS(1060), 6 } } },
	{ "nearest first", ARBITRATION_NEAREST, 1,
	  { { 8, NS(1010), 5 }, { 9, NS(1020), 6 }, { 1, NS(1030), 1 }, { 4, NS(1040), 3 }, { 2, NS(1050), 2 }, { 5, NS(1060), 4 } } },
	{ "newest first in a cluster", ARBITRATION_NEWEST, 1,
	  { { 8, NS(1010), 4 }, { 9, NS(1020), 1 }, { 1, NS(1030), 5 }, { 4, NS(1040), 6 }, { 2, NS(1050), 2 }, { 5, NS(1060), 3 } } },
};
/* clang-format on */

static void waiting_requests_are_served_in_the_machines_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(order_cases); i++) {
		const struct order_case *each = &order_cases[i];
		struct machine_config config = wide_machine(each->arbitration, each->cluster_turn);
		uint64_t places[6];

		serve_order(&config, 1, each->requests, 6, places);
		for (int j = 0; j < 6; j++) {
			if (places[j] != each->requests[j].place)
				print_error("%s: CPU %d\n", each->what, each->requests[j].cpu);
			assert_int_equal(places[j], each->requests[j].place);
		}
	}
}

static void random_order_keeps_the_turns_and_follows_the_seed(void **state)
{
	const struct request *requests = order_cases[0].requests;
	struct machine_config config = wide_machine(ARBITRATION_RANDOM, 1);
	int nr_swapped = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		uint64_t once[6], again[6];

		serve_order(&config, seed, requests, 6, once);
		serve_order(&config, seed, requests, 6, again);
		assert_memory_equal(once, again, sizeof(once));
		assert_true((once[0] == 1 && once[1] == 4) || (once[0] == 4 && once[1] == 1)); /* CPUs 8 and 9 */
		assert_true((once[2] == 2 && once[4] == 5) || (once[2] == 5 && once[4] == 2)); /* CPUs 1 and 2 */
		nr_swapped += once[0] == 4;
	}
	assert_in_range(nr_swapped, 3, 17);
}

/* ---- jitter ---- */

static void jitter_stays_within_its_percentage(void **state)
{
	static const struct request nobody[] = { { 2, NS(2000), 1 } };
	sim_ps shortest = SIM_PS_MAX, longest = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct machine_config config = rig_machine(1);
		struct asker asker;
		struct rig rig;
		sim_ps latency;

		config.line.jitter_pct = 20;
		rig_create(&rig, &config, seed);
		asker = (struct asker){ .line = rig_line(&rig, 0), .at_ps = nobody[0].at_ps };
		rig_start(&rig, 2, 1, ask, &asker);
		assert_int_equal(rig_run(&rig, NULL), 0);
		latency = rig.cpus[2].date - asker.at_ps;
		shortest = ps_min(shortest, latency);
		longest = ps_max(longest, latency);
		rig_destroy(&rig);
	}
	assert_in_range(shortest, NS(80), NS(84));
	assert_in_range(longest, NS(116), NS(120));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_atomic_costs_the_latency_of_its_distance),
		cmocka_unit_test(every_access_costs_the_transfer_less_an_atomic_plus_its_own_hit),
		cmocka_unit_test(hits_cost_what_the_core_takes),
		cmocka_unit_test(the_data_comes_one_atomic_before_the_latency_is_over),
		cmocka_unit_test(the_owner_hits_until_the_snoop_reaches_it),
		cmocka_unit_test(the_owner_misses_once_the_snoop_has_reached_it),
		cmocka_unit_test(the_next_request_is_served_when_the_occupancy_is_over),
		cmocka_unit_test(a_read_has_an_occupancy_of_its_own),
		cmocka_unit_test(an_owner_in_its_first_atomic_finishes_it),
		cmocka_unit_test(a_reader_gets_the_copy_that_is_on_its_way),
		cmocka_unit_test(owner_changes_are_at_most_one_per_occupancy),
		cmocka_unit_test(a_transfer_costs_its_longest_leg),
		cmocka_unit_test(an_upgrade_waits_for_the_farthest_sharer),
		cmocka_unit_test(transfers_inside_a_cluster_are_short_only_while_no_other_waits),
		cmocka_unit_test(waiting_reads_of_a_cluster_are_one_transaction),
		cmocka_unit_test(the_first_reader_from_home_may_write_at_once),
		cmocka_unit_test(reads_near_a_copy_run_in_parallel_and_are_no_transaction),
		cmocka_unit_test(a_read_near_a_former_owner_waits_until_it_may_write_no_more),
		cmocka_unit_test(every_sharer_beyond_the_first_adds_to_a_write),
		cmocka_unit_test(a_read_and_then_an_atomic_are_two_transactions),
		cmocka_unit_test(reads_take_the_line_over_where_the_machine_says_so),
		cmocka_unit_test(a_line_that_its_owner_only_read_is_shared),
		cmocka_unit_test(a_shared_line_is_not_taken_over_by_reads),
		cmocka_unit_test(a_lost_compare_and_swap_leaves_the_line_here),
		cmocka_unit_test(a_compare_and_swap_fails_by_its_own_word_alone),
		cmocka_unit_test(a_line_that_a_sibling_wrote_costs_a_transfer_in_the_core),
		cmocka_unit_test(a_sibling_waits_for_an_atomic_in_progress),
		cmocka_unit_test(a_first_read_makes_no_sibling_of_the_reader_itself),
		cmocka_unit_test(waiting_siblings_are_served_in_one_visit),
		cmocka_unit_test(a_sibling_that_asks_while_the_line_is_on_its_way_comes_second),
		cmocka_unit_test(an_atomic_needs_its_line_to_the_end_where_the_machine_says_so),
		cmocka_unit_test(far_atomics_move_no_line_and_follow_each_other_closely),
		cmocka_unit_test(a_plain_store_takes_the_line_even_where_atomics_go_far),
		cmocka_unit_test(a_far_atomic_first_takes_the_line_from_its_holders),
		cmocka_unit_test(waiting_requests_are_served_in_the_machines_order),
		cmocka_unit_test(random_order_keeps_the_turns_and_follows_the_seed),
		cmocka_unit_test(jitter_stays_within_its_percentage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
