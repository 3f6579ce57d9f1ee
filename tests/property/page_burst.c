/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A burst of the page allocator is exactly its pages one by one: the same
 * dates, lists and counters, whatever the policies and sizes.
 */
#include "models/kernel/page_alloc.h"

#include "models/kernel/sched.h"
#include "models/registry.h"
#include "tests/support/page_rig.h"
#include "tests/support/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NR_SEEDS 24
#define NR_CPUS 8
#define MOST_PAGES 1600 /* per burst */

/* ---- what a run left behind, as text ---- */

static void print_pcp(FILE *out, const struct per_cpu_pages *pcp)
{
	fprintf(out, "pcp: count %d high %d free_factor %d alloc_factor %d free_count %d flags %d expire %d\n",
		pcp->count, pcp->high, pcp->free_factor, pcp->alloc_factor, pcp->free_count, pcp->flags, pcp->expire);
	for (int pindex = 0; pindex < NR_PCP_LISTS; pindex++) {
		const struct pcp_list *list = &pcp->lists[pindex];

		fprintf(out, "list %d:", pindex);
		for (uint32_t i = 0; i < list->nr; i++)
			fprintf(out, " %" PRIu32, list->blocks[(list->first + i) % list->capacity]);
		fputc('\n', out);
	}
}

static void print_zone(FILE *out, const struct zone *zone)
{
	for (enum zone_hold kind = 0; kind < NR_ZONE_HOLDS; kind++) {
		const struct zone_hold_stats *holds = &zone->holds[kind];

		fprintf(out,
			"holds: %" PRIu64 ", pages %" PRIu64 " most %" PRIu64 ", waited %" PRIu64 " held %" PRIu64
			" ps\n",
			holds->nr, holds->pages, holds->pages_max, holds->wait_ps.sum, holds->hold_ps.sum);
	}
	for (unsigned order = 0; order < NR_PAGE_ORDERS; order++)
		fprintf(out, "%" PRIu64 " ", buddy_nr_free_blocks(zone->buddy, order));
	fprintf(out, "flags %u\n", zone->flags);
	for (int cpu = 0; cpu < NR_CPUS; cpu++)
		print_pcp(out, &zone->pcps[cpu]);
}

/* Of a run that is over; to be freed. */
static char *print_rig(struct page_rig *rig)
{
	struct page_alloc_counters counters;
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	page_alloc_counters(rig->alloc, &counters);
	fprintf(out, "%" PRIu64 " allocs %" PRIu64 " frees %" PRIu64 " refills %" PRIu64 " flushes %" PRIu64 " high\n",
		counters.allocs, counters.frees, counters.refills, counters.flushes, counters.flushes_high);
	fprintf(out, "%" PRIu64 " lost %" PRIu64 " failures %" PRId64 " spin %" PRId64 " irqs off\n", counters.pcp_lost,
		counters.trylock_failures, counters.spin_ps, counters.irqs_off_max_ps);
	for (int cpu = 0; cpu < NR_CPUS; cpu++)
		fprintf(out, "cpu %d at %" PRId64 "\n", cpu, rig->tasks[cpu].cpu->date);
	for (int node = 0; node < page_alloc_nr_zones(rig->alloc); node++)
		print_zone(out, page_alloc_zone(rig->alloc, node));
	fclose(out);
	return text;
}

/* ---- bursts and single pages ---- */

/* A choice of policies and sizes by the seed. */
static struct page_rig_setup random_setup(uint64_t seed)
{
	static const char *const params[] = {
		"stat_interval_ms 1",
		"stat_interval_ms 0 zone_flags_beside_lock false",
		"stat_interval_ms 1 aged true aged_memory 64MiB",
		"transparent_hugepages false pcp_alloc_ns 0 pcp_free_ns 0",
	};
	static const char *const limits[] = { "", "batch 7", "high_min 64", "percpu_pagelist_high_fraction 200" };

	return (struct page_rig_setup){
		.pcp_high = registry_policy_at(AXIS_PCP_HIGH, (int)(seed % 3))->name,
		.pcp_high_params = limits[seed / 3 % 4],
		.pcp_free = registry_policy_at(AXIS_PCP_FREE, (int)(seed % 2))->name,
		.params = params[seed / 2 % 4],
		.priced = seed % 4 > 0,
		.seed = seed,
	};
}

struct bursts {
	bool one_by_one;
	struct page_work work;
	uint64_t nr_held;
};

static uint32_t take_one_by_one(struct page_rig *rig, struct task *task, const struct bursts *bursts, uint32_t nr,
				pfn_t *pages)
{
	for (uint32_t i = 0; i < nr; i++) {
		if (rig->memory)
			memory_pass(rig->memory, task->cpu, bursts->work.lines);
		task_kernel(task, bursts->work.kernel_ps);
		task_user(task, bursts->work.user_ps);
		pages[i] = alloc_pages(rig->alloc, task, 0, MIGRATE_MOVABLE);
		if (pages[i] == NO_PAGE)
			return i;
	}
	return nr;
}

static void take_and_free_many(struct page_rig *rig, struct task *task, void *arg)
{
	const struct bursts *bursts = arg;
	struct rng *rng = &task->cpu->rng;
	pfn_t pages[MOST_PAGES];

	for (int i = 0; i < 60; i++) {
		const uint32_t wanted = (uint32_t)rng_below(rng, MOST_PAGES) + 1;
		const unsigned order = (unsigned)rng_below(rng, 4);
		uint32_t nr;

		if (bursts->one_by_one)
			nr = take_one_by_one(rig, task, bursts, wanted, pages);
		else
			nr = alloc_pages_burst(rig->alloc, task, MIGRATE_MOVABLE, wanted, &bursts->work, pages);
		free_pages_burst(rig->alloc, task, pages, nr, &bursts->work);
		/* blocks that make the free_high rule come in */
		free_pages(rig->alloc, task, alloc_pages(rig->alloc, task, order, MIGRATE_UNMOVABLE), order);
	}
}

/* A policy that never frees quietly: every page goes through free_frozen_page_commit(). */
static uint32_t never_quietly(const void *params, struct per_cpu_pages *pcp, unsigned zone_flags, uint32_t nr)
{
	(void)params, (void)pcp, (void)zone_flags, (void)nr;
	return 0;
}

static char *run_bursts(uint64_t seed, bool one_by_one)
{
	struct page_rig_setup setup = random_setup(seed);
	struct bursts bursts = { .one_by_one = one_by_one,
				 .work = { .kernel_ps = NS(300) + (sim_ps)seed, .user_ps = NS(900), .lines = 70 } };
	const struct policy *policy = registry_policy(AXIS_PCP_HIGH, setup.pcp_high);
	struct pcp_high_policy loud = *(const struct pcp_high_policy *)(const void *)policy;
	struct error err = { .text = "" };
	struct page_rig rig;
	char *text;

	loud.freed_quietly = never_quietly;
	setup.pcp_high_policy = one_by_one ? &loud.policy : policy;
	page_rig_create(&rig, &setup);
	for (int cpu = 0; cpu < NR_CPUS; cpu += 3)
		page_rig_start(&rig, cpu, 1 + cpu, take_and_free_many, &bursts);
	page_rig_run(&rig, &bursts.nr_held, &err);
	assert_string_equal(err.text, "");
	text = print_rig(&rig);
	page_rig_destroy(&rig);
	return text;
}

static void a_burst_is_its_pages_one_by_one(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		char *bursts = run_bursts(seed, false);
		char *singles = run_bursts(seed, true);

		assert_string_equal(bursts, singles);
		free(bursts);
		free(singles);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_burst_is_its_pages_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
