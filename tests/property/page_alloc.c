/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random tasks on all CPUs of two small nodes take and give back blocks of all
 * orders, one by one, in bursts and in bulk, also blocks that others took,
 * and drain; often until no memory is left. At every design point: no page is
 * given out twice, every page is in one place at the end, counts equal lists,
 * no lock is held, and both engines agree on every page and every date.
 */
#include "models/kernel/page_alloc.h"

#include "models/registry.h"
#include "tests/support/page_rig.h"
#include "tests/support/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NR_CPUS 8
#define NR_STEPS 80 /* of each task */
#define NR_SEEDS 2
#define MOST_BLOCKS 20000
#define MOST_PAGES 200 /* of a burst */
#define NODE_BYTES (UINT64_C(24) << 20)
#define NR_FRAMES (2 * NODE_BYTES / PAGE_BYTES)

static const struct shape {
	const char *what;
	const char *params; /* of the allocator */
	unsigned max_order; /* larger ones come less often */
	uint32_t most_held_pct; /* of all frames; above it blocks are given back rather than taken */
} shapes[] = {
	{ "orders of the pcp lists", "stat_interval_ms 1", 3, 60 },
	{ "all orders, until memory runs out", "stat_interval_ms 1", MAX_PAGE_ORDER, 110 },
	{ "an aged zone, flags apart from the lock",
	  "aged true aged_memory 16MiB aged_used_pct 40 zone_flags_beside_lock false", 5, 60 },
};

struct block {
	pfn_t pfn;
	unsigned order;
};

/* What all tasks share: blocks that somebody holds. A task looks at it at its own date. */
struct pool {
	const struct shape *shape;
	struct block blocks[MOST_BLOCKS];
	uint32_t nr;
	uint64_t nr_held; /* pages */
	bool held[NR_FRAMES];
	uint64_t hash;
	uint64_t nr_failed; /* requests that found no memory */
	struct rng rngs[NR_CPUS];
};

static void mix(struct pool *pool, uint64_t value)
{
	pool->hash = rng_mix(pool->hash ^ value) + 1;
}

/* The task has got a block: it must have been nobody's. */
static void add(struct page_rig *rig, struct task *task, struct pool *pool, struct block block)
{
	cpu_sync(task->cpu);
	mix(pool, block.pfn);
	mix(pool, (uint64_t)task->cpu->date);
	for (pfn_t pfn = block.pfn; pfn < block.pfn + (1u << block.order); pfn++) {
		page_rig_expect(rig, __LINE__, pool->held[pfn], false);
		pool->held[pfn] = true;
	}
	pool->blocks[pool->nr++] = block;
	pool->nr_held += UINT64_C(1) << block.order;
}

/* A random block out of the pool, which somebody is about to give back. */
static struct block remove_block(struct pool *pool, uint32_t at)
{
	const struct block block = pool->blocks[at];

	pool->blocks[at] = pool->blocks[--pool->nr];
	memset(pool->held + block.pfn, 0, (size_t)1 << block.order);
	pool->nr_held -= UINT64_C(1) << block.order;
	return block;
}

static void take_one(struct page_rig *rig, struct task *task, struct pool *pool)
{
	struct rng *rng = &pool->rngs[task->cpu->id];
	const enum migratetype migratetype = (enum migratetype)rng_below(rng, NR_MIGRATETYPES);
	const unsigned order = (unsigned)__builtin_ctzll(rng_u64(rng) | UINT64_C(1) << pool->shape->max_order);
	const pfn_t pfn = alloc_pages(rig->alloc, task, order, migratetype);

	if (pfn == NO_PAGE)
		pool->nr_failed++;
	else
		add(rig, task, pool, (struct block){ pfn, order });
}

static void take_many(struct page_rig *rig, struct task *task, struct pool *pool, bool in_bulk)
{
	static const struct page_work work = { .kernel_ps = 300 * PS_PER_NS, .user_ps = 200 * PS_PER_NS };
	struct rng *rng = &pool->rngs[task->cpu->id];
	const uint32_t wanted = 1 + (uint32_t)rng_below(rng, MOST_PAGES);
	pfn_t pages[MOST_PAGES];
	uint32_t got;

	if (in_bulk)
		got = alloc_pages_bulk(rig->alloc, task, MIGRATE_UNMOVABLE, wanted, pages);
	else
		got = alloc_pages_burst(rig->alloc, task, MIGRATE_MOVABLE, wanted, &work, pages);
	pool->nr_failed += got < wanted;
	for (uint32_t i = 0; i < got; i++)
		add(rig, task, pool, (struct block){ pages[i], 0 });
}

static void give_one(struct page_rig *rig, struct task *task, struct pool *pool)
{
	struct block block;

	cpu_sync(task->cpu);
	if (!pool->nr)
		return;
	block = remove_block(pool, (uint32_t)rng_below(&pool->rngs[task->cpu->id], pool->nr));
	free_pages(rig->alloc, task, block.pfn, block.order);
}

static void give_many(struct page_rig *rig, struct task *task, struct pool *pool)
{
	static const struct page_work work = { .kernel_ps = 100 * PS_PER_NS };
	pfn_t pages[MOST_PAGES];
	uint32_t nr = 0;

	cpu_sync(task->cpu);
	for (uint32_t at = pool->nr; at-- > 0 && nr < MOST_PAGES;)
		if (pool->blocks[at].order == 0)
			pages[nr++] = remove_block(pool, at).pfn;
	free_pages_burst(rig->alloc, task, pages, nr, &work);
}

static void do_random_things(struct page_rig *rig, struct task *task, void *arg)
{
	struct pool *pool = arg;
	struct rng *rng = &pool->rngs[task->cpu->id];

	for (int step = 0; step < NR_STEPS; step++) {
		const bool full = pool->nr_held * 100 > NR_FRAMES * pool->shape->most_held_pct ||
				  pool->nr + NR_CPUS * MOST_PAGES > MOST_BLOCKS;
		const uint64_t choice = rng_below(rng, full ? 40 : 100);

		cpu_work(task->cpu, (sim_ps)rng_below(rng, 20 * PS_PER_US));
		if (choice < 30)
			give_one(rig, task, pool);
		else if (choice < 39)
			give_many(rig, task, pool);
		else if (choice < 40)
			drain_all_pages(rig->alloc, task);
		else if (choice < 80)
			take_one(rig, task, pool);
		else
			take_many(rig, task, pool, choice < 85);
	}
	mix(pool, (uint64_t)task->cpu->date);
}

/* Of all zones together. */
static struct zone_hold_stats holds_of(struct page_rig *rig, enum zone_hold kind)
{
	struct zone_hold_stats sum = { .nr = 0 };

	for (int node = 0; node < page_alloc_nr_zones(rig->alloc); node++) {
		sum.nr += page_alloc_zone(rig->alloc, node)->holds[kind].nr;
		sum.pages += page_alloc_zone(rig->alloc, node)->holds[kind].pages;
	}
	return sum;
}

/* Counters and holds tell of the same events: see struct page_alloc_counters. */
static void expect_counters_to_equal_holds(struct page_rig *rig)
{
	const struct zone_hold_stats refills = holds_of(rig, ZONE_HOLD_REFILL);
	const struct zone_hold_stats flushes = holds_of(rig, ZONE_HOLD_FREE);
	const struct zone_hold_stats flushes_high = holds_of(rig, ZONE_HOLD_FREE_HIGH);
	const bool is_bulk = !strcmp(rig->policies[AXIS_PCP_FREE].policy->name, "bulk");
	struct page_alloc_counters counters;

	page_alloc_counters(rig->alloc, &counters);
	assert_int_equal(counters.refills, refills.nr);
	assert_int_equal(counters.pages_refilled, refills.pages);
	assert_int_equal(counters.pages_flushed, flushes.pages + flushes_high.pages);
	assert_int_equal(counters.pages_drained, holds_of(rig, ZONE_HOLD_DECAY).pages);
	assert_int_equal(counters.direct_frees, holds_of(rig, ZONE_HOLD_DIRECT_FREE).nr);
	assert_true(counters.direct_allocs <= holds_of(rig, ZONE_HOLD_DIRECT_ALLOC).nr); /* others found nothing */
	assert_true(counters.flushes_high <= flushes_high.nr && counters.flushes <= flushes.nr + flushes_high.nr);
	if (is_bulk) {
		assert_int_equal(counters.flushes_high, flushes_high.nr);
		assert_int_equal(counters.flushes, flushes.nr + flushes_high.nr);
	}
}

/* Returns the hash of all that happened; adds the requests that failed. */
static uint64_t run_once(const struct shape *shape, const struct page_rig_setup *setup, uint64_t *nr_failed)
{
	struct error err = { .text = "" };
	struct page_rig rig;
	struct pool *pool;
	uint64_t hash;

	page_rig_create(&rig, setup);
	pool = arena_alloc(rig.rig.arena, sizeof(*pool));
	pool->shape = shape;
	for (int cpu = 0; cpu < NR_CPUS; cpu++) {
		pool->rngs[cpu] = rng_stream(setup->seed, (uint64_t)cpu);
		page_rig_start(&rig, cpu, 1 + cpu, do_random_things, pool);
	}
	page_rig_run(&rig, &pool->nr_held, &err);
	assert_string_equal(err.text, "");
	assert_string_equal(rig.wrong, "");
	expect_counters_to_equal_holds(&rig);
	*nr_failed += pool->nr_failed;
	hash = pool->hash;
	page_rig_destroy(&rig);
	return hash;
}

static void run_seeds(const struct shape *shape, struct page_rig_setup setup, uint64_t *nr_failed)
{
	setup.params = shape->params;
	setup.node_bytes = NODE_BYTES;
	setup.priced = true;
	for (setup.seed = 1; setup.seed <= NR_SEEDS; setup.seed++) {
		uint64_t hash;

		print_message("%s, %s, %s, seed %" PRIu64 "\n", shape->what, setup.pcp_high, setup.pcp_free,
			      setup.seed);
		setup.engine = ENGINE_FAST;
		hash = run_once(shape, &setup, nr_failed);
		setup.engine = ENGINE_SIMGRID;
		assert_int_equal(run_once(shape, &setup, nr_failed), hash);
	}
}

static void pages_are_conserved_at_every_design_point(void **state)
{
	uint64_t nr_failed = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		for (int high = 0; registry_policy_at(AXIS_PCP_HIGH, high); high++) {
			for (int free = 0; registry_policy_at(AXIS_PCP_FREE, free); free++) {
				const struct page_rig_setup setup = {
					.pcp_high = registry_policy_at(AXIS_PCP_HIGH, high)->name,
					.pcp_free = registry_policy_at(AXIS_PCP_FREE, free)->name,
				};

				run_seeds(&shapes[i], setup, &nr_failed);
			}
		}
	}
	/* memory did run out, at times */
	assert_true(nr_failed > 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_are_conserved_at_every_design_point),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
