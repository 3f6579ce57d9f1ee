/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pread workload: what one read costs, access by access, and that every
 * folio is alive, unlocked and without users after any mix of reads, freezes
 * and drops, whatever the policies.
 */
#include "models/kernel/folio.h"
#include "models/kernel/folio_lock.h"
#include "models/kernel/refcount.h"
#include "models/registry.h"
#include "models/workloads/workload.h"
#include "tests/support/rig.h"
#include "tests/support/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_FOLIOS 8

/* A refcount policy that passes all on to another and remembers the folios. */
struct spy {
	struct policy_choice real;
	struct folio *folios[MAX_FOLIOS];
	int nr_folios;
	int nr_freezes, nr_last_puts; /* that succeeded */
};

static const struct refcount_policy *real_policy(const struct spy *spy)
{
	return refcount_policy(&spy->real);
}

/* The policy's parameters are the spy, which lives on the test's stack. */
static struct spy *spy_of(const void *params)
{
	return *(struct spy *const *)params;
}

static void spy_set(const void *params, struct cpu *cpu, struct folio *folio, int count)
{
	const struct spy *spy = spy_of(params);

	real_policy(spy)->set(spy->real.params, cpu, folio, count);
}

static void remember(struct spy *spy, struct folio *folio)
{
	for (int i = 0; i < spy->nr_folios; i++)
		if (spy->folios[i] == folio)
			return;
	spy->folios[spy->nr_folios++] = folio;
}

static bool spy_try_get(const void *params, struct cpu *cpu, struct folio *folio)
{
	struct spy *spy = spy_of(params);

	remember(spy, folio);
	return real_policy(spy)->try_get(spy->real.params, cpu, folio);
}

static bool spy_put(const void *params, struct cpu *cpu, struct folio *folio)
{
	struct spy *spy = spy_of(params);
	bool last = real_policy(spy)->put(spy->real.params, cpu, folio);

	spy->nr_last_puts += last;
	return last;
}

static bool spy_freeze(const void *params, struct cpu *cpu, struct folio *folio, int count)
{
	struct spy *spy = spy_of(params);
	bool frozen = real_policy(spy)->freeze(spy->real.params, cpu, folio, count);

	spy->nr_freezes += frozen;
	return frozen;
}

static struct refcount_policy spy_policy(const struct spy *spy)
{
	struct refcount_policy policy = *real_policy(spy);

	policy.set = spy_set;
	policy.try_get = spy_try_get;
	policy.put = spy_put;
	policy.freeze = spy_freeze;
	return policy;
}

/* Some workers that read, each so many times. */
struct reading {
	const char *what;
	const char *params;
	int nr_cpus;
	int nr_reads; /* of each */
	uint64_t seed;
};

struct reader {
	const struct workload *workload;
	void *state;
	int nr_reads;
};

static void read_often(struct cpu *cpu, void *arg)
{
	const struct reader *reader = arg;
	struct task task = { .cpu = cpu };

	for (int i = 0; i < reader->nr_reads; i++) {
		reader->workload->operation(reader->state, &task);
		cpu_sync(cpu);
	}
}

/*
 * Wrong things about a folio at rest; 0 when it is alive, unlocked and only in the page cache. PG_waiters may stay on
 * one of several folios of a wait queue.
 */
static int count_leftovers(const struct spy *spy, const struct folio *folio)
{
	int count = real_policy(spy)->count(folio);
	uint64_t flags = line_peek(folio->page, FOLIO_FLAGS) & (spy->nr_folios > 1 ? PG_LOCKED : ~UINT64_C(0));

	if (count != 1 || flags)
		print_error("a folio is left with count %d, flags %" PRIu64 "\n", count, flags);
	return (count != 1) + (flags != 0);
}

/* Run it with these policies; the number of wrong things. */
static int run_reading(const struct reading *reading, struct spy *spy, const struct policy *refcount,
		       const struct policy *folio_lock)
{
	const struct workload *workload = registry_workload("pread");
	struct machine_config config = rig_machine(2);
	struct policy_choice policies[NR_POLICY_AXES];
	struct workload_site site = { .policies = policies, .seed = reading->seed };
	struct error err = { .text = "" };
	struct reader reader = { .workload = workload, .nr_reads = reading->nr_reads };
	struct refcount_policy spying;
	struct rig rig;
	int nr_wrong;

	config.line.jitter_pct = 10;
	rig_create(&rig, &config, reading->seed);
	*spy = (struct spy){ .real = rig_choice(&rig, refcount) };
	spying = spy_policy(spy);
	policies[AXIS_REFCOUNT] = (struct policy_choice){ .policy = &spying.policy, .params = &spy };
	policies[AXIS_FOLIO_LOCK] = rig_choice(&rig, folio_lock);
	site.arena = rig.arena;
	site.machine = rig.machine;
	site.engine = rig.engine;
	reader.state =
		workload->create(&site, rig_params(&rig, workload->params, workload->params_size, reading->params));
	for (int cpu = 0; cpu < reading->nr_cpus; cpu++)
		rig_start(&rig, cpu, 1 + cpu * NS(10), read_often, &reader);
	rig_limit(&rig, 20 * PS_PER_MS);
	nr_wrong = rig_run(&rig, &err) != 0;
	for (int i = 0; i < spy->nr_folios; i++)
		nr_wrong += count_leftovers(spy, spy->folios[i]);
	if (nr_wrong)
		print_error("%s, %s, %s, seed %" PRIu64 ": %s\n", reading->what, refcount->name, folio_lock->name,
			    reading->seed, err.text);
	rig_destroy(&rig);
	return nr_wrong;
}

static void every_folio_ends_alive_and_unlocked_and_no_worker_is_lost(void **state)
{
	static const struct reading readings[] = {
		{ "reads alone", "private_ns 50", 16, 12, 0 },
		{ "the page cache's way", "filesystem pagecache private_ns 50 freeze_every 3 drop_every 4", 16, 12, 0 },
		{ "freezes", "private_ns 2000 freeze_every 2", 4, 40, 0 },
		{ "drops", "private_ns 50 drop_every 3", 16, 12, 0 },
		{ "freezes and drops", "private_ns 300 freeze_every 2 drop_every 3", 6, 40, 0 },
		{ "drops of a folio that few use", "private_ns 1000 drop_every 1 freeze_every 1 free_ns 0", 3, 40, 0 },
		{ "many folios, one wait queue", "folios 8 private_ns 20 drop_every 5 freeze_every 7", 16, 12, 0 },
		{ "many folios, some hotter", "folios 8 skew_pct 50 private_ns 20", 16, 12, 0 },
	};

	(void)state;
	for (int i = 0; registry_policy_at(AXIS_REFCOUNT, i); i++) {
		for (int j = 0; registry_policy_at(AXIS_FOLIO_LOCK, j); j++) {
			for (size_t k = 0; k < 2 * ARRAY_SIZE(readings); k++) {
				struct reading reading = readings[k / 2];
				struct spy spy;

				reading.seed = k % 2 + 1;
				assert_int_equal(run_reading(&reading, &spy, registry_policy_at(AXIS_REFCOUNT, i),
							     registry_policy_at(AXIS_FOLIO_LOCK, j)),
						 0);
			}
		}
	}
}

static void freezes_and_drops_happen_where_references_are_counted(void **state)
{
	static const struct reading reading = { "all", "private_ns 2000 freeze_every 2 drop_every 3", 4, 60, 1 };

	(void)state;
	for (int i = 0; registry_policy_at(AXIS_REFCOUNT, i); i++) {
		const struct policy *refcount = registry_policy_at(AXIS_REFCOUNT, i);
		struct spy spy;

		assert_int_equal(run_reading(&reading, &spy, refcount, registry_default_policy(AXIS_FOLIO_LOCK)), 0);
		assert_int_equal(spy.nr_freezes > 0, real_policy(&spy)->counted);
		assert_int_equal(spy.nr_last_puts > 0, real_policy(&spy)->counted);
	}
}

static void reads_go_to_all_folios_or_mostly_to_the_first(void **state)
{
	static const struct reading uniform = { "uniform", "folios 8", 4, 60, 1 };
	static const struct reading skewed = { "skewed", "folios 8 skew_pct 100", 4, 60, 1 };
	const struct policy *folio_lock = registry_default_policy(AXIS_FOLIO_LOCK);
	struct spy spy;

	(void)state;
	assert_int_equal(run_reading(&uniform, &spy, registry_default_policy(AXIS_REFCOUNT), folio_lock), 0);
	assert_int_equal(spy.nr_folios, 8);
	assert_int_equal(run_reading(&skewed, &spy, registry_default_policy(AXIS_REFCOUNT), folio_lock), 0);
	assert_int_equal(spy.nr_folios, 1);
}

/*
 * One worker, alone: after the first read all accesses hit, so the time of a read counts them. An atomic is 1 us, a load
 * 1 ns, a compare-and-swap 10 us more than an atomic.
 */
struct cost_case {
	const char *refcount;
	const char *params;
	sim_ps read_ps;
};

#define FREE "private_ns 0 gap_ns 0 copy_ns 0 copy_bytes_per_ns 1e6 "

static sim_ps time_of_a_read(const struct cost_case *each)
{
	const struct workload *workload = registry_workload("pread");
	struct machine_config config = rig_machine(1);
	struct policy_choice policies[NR_POLICY_AXES];
	struct workload_site site = { .policies = policies, .seed = 1 };
	struct reader reader = { .workload = workload };
	sim_ps before, after;
	struct rig rig;

	config.core.atomic_hit_ns = 1000;
	config.core.cmpxchg_extra_ns = 10000;
	config.transfer = (struct machine_transfer){ 1000, 1000, 1000, 1000 };
	for (reader.nr_reads = 1, before = after = 0; reader.nr_reads <= 2; reader.nr_reads++) {
		rig_create(&rig, &config, 1);
		policies[AXIS_REFCOUNT] = rig_choice_with(&rig, registry_policy(AXIS_REFCOUNT, each->refcount),
							  strncmp(each->refcount, "cas", 3) ? NULL : "reload_ns 0");
		policies[AXIS_FOLIO_LOCK] = rig_choice(&rig, registry_default_policy(AXIS_FOLIO_LOCK));
		site.arena = rig.arena;
		site.machine = rig.machine;
		site.engine = rig.engine;
		reader.state = workload->create(&site, rig_params(&rig, workload->params, workload->params_size,
								  each->params));
		rig_start(&rig, 0, 1, read_often, &reader);
		assert_int_equal(rig_run(&rig, NULL), 0);
		before = after;
		after = rig.cpus[0].date;
		rig_destroy(&rig);
	}
	return after - before;
}

/* clang-format off */
static void a_read_makes_the_accesses_of_the_kernel(void **state)
{
	static const struct cost_case cases[] = {
		/*
		 * get and put, folio lock and unlock;
		 * the entry twice, mapping and uptodate at once, 4 + 4 flags at once, data
		 */
		{ "fetch-add", FREE, NS(4 * 1000 + 5) },
		{ "cas", FREE, NS(4 * 1000 + 10000 + 5 + 1) }, /* a read of the count more, one atomic a compare-and-swap */
		{ "cas-optimistic", FREE, NS(4 * 1000 + 10000 + 5) },
		{ "none", FREE, NS(2 * 1000 + 5) },
		{ "fetch-add", FREE "filesystem pagecache", NS(2 * 1000 + 4) },
		{ "cas", FREE "filesystem pagecache", NS(2 * 1000 + 10000 + 4 + 1) },
		{ "none", FREE "filesystem pagecache", NS(4) },
		/*
		 * private work, copy and 64 bytes at 8 per ns;
		 * a gap after the get, each look at the entry and each load of the struct page, and before the unlock
		 */
		{ "fetch-add", "private_ns 700 jitter_pct 0 gap_ns 3 copy_ns 50 copy_bytes_per_ns 8", NS(4 * 1000 + 5 + 700 + 58 + 3 * 14) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		sim_ps read_ps = time_of_a_read(&cases[i]);

		if (read_ps != cases[i].read_ps)
			print_error("%s, %s\n", cases[i].refcount, cases[i].params);
		assert_int_equal(read_ps, cases[i].read_ps);
	}
}
/* clang-format on */

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_read_makes_the_accesses_of_the_kernel),
		cmocka_unit_test(reads_go_to_all_folios_or_mostly_to_the_first),
		cmocka_unit_test(freezes_and_drops_happen_where_references_are_counted),
		cmocka_unit_test(every_folio_ends_alive_and_unlocked_and_no_worker_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
