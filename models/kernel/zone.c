/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lock, flags and free-page counter of a zone, on their lines.
 */
#include "models/kernel/zone.h"

#include "models/hardware/machine.h"

/* Words of the lines. zone->lock has the first two of its line. */
#define LOCK_WORD 0
#define FLAGS_WORD 2
#define COUNTER_WORD 0

/* Each line jitters on its own. */
enum zone_lines {
	ZONE_LOCK_LINE,
	ZONE_FLAGS_LINE,
	ZONE_FREE_PAGES_LINE,
	NR_ZONE_LINES,
};

#define PAGES_PER_128_MIB ((UINT64_C(128) << 20) >> PAGE_SHIFT)

static struct line *create_line(const struct zone_site *site, enum zone_lines which, const char *name)
{
	const int node = site->buddy.node;
	const uint64_t number = (uint64_t)node * NR_ZONE_LINES + which + 1;

	return line_create(site->buddy.arena, site->machine, site->engine, name, node, site->seed + (number << 32));
}

static void create_lines(struct zone *zone, const struct zone_site *site)
{
	zone->lock_line = create_line(site, ZONE_LOCK_LINE, "the line of zone->lock");
	zone->flags_line = zone->lock_line;
	if (!site->flags_beside_lock)
		zone->flags_line = create_line(site, ZONE_FLAGS_LINE, "the line of zone->flags");
	zone->free_pages_line = create_line(site, ZONE_FREE_PAGES_LINE, "the line of zone->vm_stat");
	zone->vm_zone_stat_line = site->vm_zone_stat_line;
}

/* fls(): how many bits a number has. */
static int fls_of(uint64_t number)
{
	return number ? 64 - __builtin_clzll(number) : 0;
}

int zone_stat_threshold(int nr_cpus, uint64_t managed_pages)
{
	const int threshold = 2 * fls_of((uint64_t)nr_cpus) * (1 + fls_of(managed_pages / PAGES_PER_128_MIB));

	return threshold < 125 ? threshold : 125;
}

void zone_init(struct zone *zone, const struct zone_site *site, pfn_t start_pfn, const struct zone_sizes *size)
{
	const struct spinlock_site lock_site = {
		.arena = site->buddy.arena,
		.machine = site->machine,
		.engine = site->engine,
		.home_node = site->buddy.node,
		.seed = site->seed,
	};
	const int nr_cpus = machine_nr_cpus(site->machine);

	zone->node = site->buddy.node;
	zone->start_pfn = start_pfn;
	zone->size = *size;
	zone->nr_pages = size->managed_pages;
	zone->buddy = buddy_create(&site->buddy, start_pfn, zone->nr_pages);
	zone->hold_ps = site->buddy.costs ? ns_to_ps(site->buddy.costs->hold_ns) : 0;
	zone->stat_threshold = zone_stat_threshold(nr_cpus, size->managed_pages);
	zone->free_pages_delta = arena_calloc(site->buddy.arena, (size_t)nr_cpus, sizeof(*zone->free_pages_delta));
	zone->pcps = arena_calloc(site->buddy.arena, (size_t)nr_cpus, sizeof(*zone->pcps));
	create_lines(zone, site);
	spinlock_init(&zone->lock, &lock_site, site->lock,
		      arena_printf(site->buddy.arena, "zone->lock of node %d", zone->node), zone->lock_line, LOCK_WORD);
}

void zone_set_free_pages(struct zone *zone)
{
	const uint64_t nr_free_pages = buddy_nr_free_pages(zone->buddy);
	const uint64_t before = line_peek(zone->free_pages_line, COUNTER_WORD);
	const uint64_t global = line_peek(zone->vm_zone_stat_line, COUNTER_WORD);

	line_poke(zone->free_pages_line, COUNTER_WORD, nr_free_pages);
	line_poke(zone->vm_zone_stat_line, COUNTER_WORD, global + nr_free_pages - before);
}

void zone_lock(struct zone *zone, struct cpu *cpu, struct zone_lock_times *times)
{
	times->asked_ps = cpu->date;
	spin_lock(cpu, &zone->lock);
	times->locked_ps = cpu->date;
	cpu_work(cpu, zone->hold_ps);
}

sim_ps zone_unlock(struct zone *zone, struct cpu *cpu, const struct zone_lock_times *times, enum zone_hold kind,
		   uint64_t pages)
{
	struct zone_hold_stats *stats = &zone->holds[kind];

	stats->nr++;
	stats->pages += pages;
	if (pages > stats->pages_max)
		stats->pages_max = pages;
	histogram_add(&stats->wait_ps, times->locked_ps - times->asked_ps);
	histogram_add(&stats->hold_ps, cpu->date - times->locked_ps);
	spin_unlock(cpu, &zone->lock);
	return cpu->date - times->asked_ps;
}

void global_free_pages_add(struct zone *zone, struct cpu *cpu, int64_t nr_pages)
{
	line_fetch_add(cpu, zone->vm_zone_stat_line, COUNTER_WORD, (uint64_t)nr_pages);
}

void mod_zone_free_pages(struct zone *zone, struct cpu *cpu, int64_t nr_pages)
{
	const int64_t delta = zone->free_pages_delta[cpu->id] + nr_pages;

	if (delta <= zone->stat_threshold && delta >= -zone->stat_threshold) {
		zone->free_pages_delta[cpu->id] = (int16_t)delta;
		return;
	}
	zone->free_pages_delta[cpu->id] = 0;
	line_fetch_add(cpu, zone->free_pages_line, COUNTER_WORD, (uint64_t)delta);
	global_free_pages_add(zone, cpu, delta);
}

bool zone_fold_free_pages(struct zone *zone, struct cpu *cpu, int64_t *global)
{
	const int64_t delta = zone->free_pages_delta[cpu->id];

	if (!delta)
		return false;
	zone->free_pages_delta[cpu->id] = 0;
	line_fetch_add(cpu, zone->free_pages_line, COUNTER_WORD, (uint64_t)delta);
	*global += delta;
	return true;
}

int64_t zone_counted_free_pages(const struct zone *zone, int nr_cpus)
{
	int64_t sum = (int64_t)line_peek(zone->free_pages_line, COUNTER_WORD);

	for (int cpu = 0; cpu < nr_cpus; cpu++)
		sum += zone->free_pages_delta[cpu];
	return sum;
}

static bool has_block(const struct zone *zone, unsigned order)
{
	for (unsigned k = order; k < NR_PAGE_ORDERS; k++)
		if (buddy_nr_free_blocks(zone->buddy, k))
			return true;
	return false;
}

bool zone_watermark_ok_extra(struct zone *zone, struct cpu *cpu, enum zone_watermark mark, uint32_t extra)
{
	const int64_t free_pages = (int64_t)line_read(cpu, zone->free_pages_line, COUNTER_WORD);

	return free_pages - (int64_t)extra > (int64_t)zone->size.watermark_pages[mark];
}

bool zone_watermark_ok(struct zone *zone, struct cpu *cpu, unsigned order, enum zone_watermark mark)
{
	const uint32_t unusable = (UINT32_C(1) << order) - 1;

	return zone_watermark_ok_extra(zone, cpu, mark, unusable) && (!order || has_block(zone, order));
}

unsigned zone_read_flags(struct zone *zone, struct cpu *cpu)
{
	return (unsigned)line_read(cpu, zone->flags_line, FLAGS_WORD);
}

void zone_set_flag(struct zone *zone, struct cpu *cpu, enum zone_flags flag)
{
	line_fetch_or(cpu, zone->flags_line, FLAGS_WORD, (uint64_t)flag);
	zone->flags |= (unsigned)flag;
}

void zone_clear_flag(struct zone *zone, struct cpu *cpu, enum zone_flags flag)
{
	line_fetch_and(cpu, zone->flags_line, FLAGS_WORD, ~(uint64_t)flag);
	zone->flags &= ~(unsigned)flag;
}
