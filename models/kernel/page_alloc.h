/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The page allocator of a machine: mm/page_alloc.c between a task and the
 * zones, step by step. Which design point it is, is chosen by the axes
 * `pcp_high`, `pcp_free` and `zone_lock`.
 *
 * Paths that stay on this CPU's pcp never enter the engine: a burst of page
 * faults between two refills is one addition to the clock. What goes to a zone
 * takes zone->lock and pays for every line. All functions may block (on a zone
 * lock). With a scheduler, bursts may be preempted and return on another CPU,
 * and so may all that frees with `pcp_free: batched`.
 *
 * Approximations. The kernel reads zone->flags and NR_FREE_PAGES on every
 * allocation, and zone->flags on every free: here these loads are made, and
 * waited for, once per refill, flush or direct allocation, and the arithmetic
 * in between sees the flags of now for nothing. A remote drain
 * (drain_all_pages) finds a pcp as its CPU leaves it after the burst that it
 * is in; so does a task that preempts another one within a burst, which is why
 * a burst with a scheduler is done in parts of 1 ms at most. The vmstat
 * worker of a CPU runs on that CPU's time when a task next comes to the
 * allocator there, once: an idle CPU keeps its pages, and passes that it missed
 * are not made up for.
 *
 * Left out: interrupts. In the kernel one that allocates or frees on top of a
 * pcp operation fails the trylock and goes to the zone; here no interrupt
 * comes, but for free_pages_past_pcp(). Also reclaim, compaction and kswapd: an allocation that finds every
 * zone at its min watermark drains all pcps once and then fails. And memory
 * cgroups, highatomic reserves, CMA, ISOLATE page blocks, FPI_TRYLOCK.
 */
#ifndef CONTEND_KERNEL_PAGE_ALLOC_H
#define CONTEND_KERNEL_PAGE_ALLOC_H

#include "models/kernel/page.h"
#include "models/kernel/policy.h"
#include "models/kernel/task.h"
#include "models/kernel/zone.h"
#include "sim/util/arena.h"
#include "sim/util/error.h"

struct page_alloc;

struct page_alloc_params {
	bool transparent_hugepages; /* raises min_free_kbytes */
	bool zone_flags_beside_lock; /* zone->flags in the line of zone->lock (with unaccepted memory), or apart */
	bool cacheinfo; /* the kernel knows how large the caches are; many guests do not: no PCPF_FREE_HIGH_BATCH */
	uint32_t stat_interval_ms; /* sysctl vm.stat_interval */
	bool aged; /* zones start fragmented */
	uint64_t aged_bytes; /* of each zone; the rest is untouched */
	uint32_t aged_used_pct; /* of them */
	double pcp_alloc_ns, pcp_free_ns; /* a block from and to the pcp, beside its atomic */
	double free_prepare_ns; /* of pcp_free_ns: free_pages_prepare() */
	double split_page_ns; /* split_page(): per page, beside the access to its struct page */
};

extern const struct param page_alloc_params[];

struct page_alloc_site {
	struct arena *arena;
	const struct machine *machine;
	struct engine *engine;
	const struct policy_choice *policies; /* by enum policy_axis */
	struct memory *memory; /* NULL: struct pages and list heads cost nothing */
	const struct buddy_costs *costs; /* NULL: the defaults of buddy_cost_params */
	uint64_t seed;
};

/* Can the machine have one? At least a largest block in each node, and no more pages than pfn_t has numbers. -1 with err. */
int page_alloc_check_machine(const struct machine_config *config, struct error *err);

struct page_alloc *page_alloc_create(const struct page_alloc_site *site, const struct page_alloc_params *params);

/*
 * alloc_pages(): one block, its lowest pfn; of the task's node, else of the nearest that has one. NO_PAGE when every
 * zone is at its min watermark, all pcps drained.
 */
pfn_t alloc_pages(struct page_alloc *alloc, struct task *task, unsigned order, enum migratetype migratetype);

/* Work that goes with each page of a burst. */
struct page_work {
	sim_ps kernel_ps; /* with interrupts on: fault entry, clearing, accounting */
	sim_ps user_ps;
	uint32_t lines; /* other cache lines touched per page (memory_pass) */
};

/* `work` of nr pages alone. May block and return on another CPU, with a scheduler. */
void page_alloc_work(struct page_alloc *alloc, struct task *task, const struct page_work *work, uint32_t nr);

/*
 * `nr` order-0 pages with `work` before each, as page faults do: exactly nr calls of alloc_pages. Preemptible between
 * refills. Returns how many there were, nr but for memory running out.
 */
uint32_t alloc_pages_burst(struct page_alloc *alloc, struct task *task, enum migratetype migratetype, uint32_t nr,
			   const struct page_work *work, pfn_t *pages);

/*
 * alloc_pages_bulk(): order 0, one pcp lock for all; touches neither free_count nor ZONE_BELOW_HIGH. Of the local zone, which
 * must be above its low watermark by nr; else, or when the pcp is locked, one page as alloc_pages(). Returns how many.
 */
uint32_t alloc_pages_bulk(struct page_alloc *alloc, struct task *task, enum migratetype migratetype, uint32_t nr,
			  pfn_t *pages);

/* __free_frozen_pages(): a block. Its migratetype is its pageblock's. */
void free_pages(struct page_alloc *alloc, struct task *task, pfn_t pfn, unsigned order);

/*
 * The same by an interrupt that came on top of a pcp operation: its trylock of the pcp fails, so that the block goes to the
 * zone under a hold of its own.
 */
void free_pages_past_pcp(struct page_alloc *alloc, struct task *task, pfn_t pfn, unsigned order);

/*
 * mmu_gather and folio batches: order-0 pages in groups of 31 through free_unref_folios(), `work` before each page.
 * Preemptible between groups.
 */
void free_pages_burst(struct page_alloc *alloc, struct task *task, const pfn_t *pages, uint32_t nr,
		      const struct page_work *work);

/*
 * split_page(): from now on the pages of a block are single ones, freed on their own, in any order. Writes each struct page.
 * Never blocks.
 */
void split_page(struct page_alloc *alloc, struct task *task, pfn_t pfn, unsigned order);

/* get_page(): a second reference to a page that is held; there is at most one. Never blocks. */
void get_page(struct page_alloc *alloc, struct task *task, pfn_t pfn);

/*
 * __free_page() of a page to which others may have a reference: drops one, and the last one frees the page. Returns
 * whether it did.
 */
bool put_page(struct page_alloc *alloc, struct task *task, pfn_t pfn);

/*
 * free_contig_range(): the same for nr order-0 pages in a row, but what goes back are the largest aligned blocks. A page
 * that somebody still refers to ends a block, and so does the end of a memory section or a zone. Returns how many pages
 * were freed.
 */
uint32_t free_contig_range(struct page_alloc *alloc, struct task *task, pfn_t pfn, uint32_t nr);

/* free_pages_bulk(): the same for order-0 pages in an array, by the runs of consecutive ones in it. */
uint32_t free_pages_bulk(struct page_alloc *alloc, struct task *task, const pfn_t *pages, uint32_t nr);

/*
 * Counted since the start; subtract two of them for a window.
 *
 * A refill is one rmqueue_bulk(), one hold of the zone lock, also when the zone had nothing. A flush is what one free gives
 * back from its pcp: one hold, with `pcp_free: batched` several. A drain is a hold for the vmstat worker or for
 * drain_all_pages(), and no flush.
 */
struct page_alloc_counters {
	uint64_t allocs, frees; /* blocks given out and taken back; the others who asked found no memory */
	uint64_t refills, pages_refilled;
	uint64_t flushes, pages_flushed;
	uint64_t flushes_high; /* of the flushes: by the free_high rule */
	uint64_t pages_drained;
	uint64_t direct_allocs,
		direct_frees; /* blocks, each under a hold of its own: no pcp list for the order, or a pcp that was locked */
	uint64_t pcp_lost; /* batched freeing gave up: another CPU, or the pcp was locked */
	uint64_t trylock_failures;
	sim_ps spin_ps; /* waiting for zone locks, all CPUs */
	sim_ps irqs_off_max_ps; /* longest time with interrupts off, any CPU, since page_alloc_forget_max() */
};

/* drain_all_pages(): empty the pcps of all CPUs into their zones, from the CPU of the task. */
void drain_all_pages(struct page_alloc *alloc, struct task *task);

/* Blocks that a CPU moved under zone locks since the start: what two of the kernel's tracepoints count. */
struct page_alloc_blocks {
	uint64_t taken; /* mm_page_alloc_zone_locked: out of the buddy lists */
	uint64_t drained; /* mm_page_pcpu_drain: from a pcp to them */
};

struct page_alloc_blocks page_alloc_cpu_blocks(const struct page_alloc *alloc, int cpu);

void page_alloc_counters(const struct page_alloc *alloc, struct page_alloc_counters *out);

/* Where a window begins: a maximum does not subtract. */
void page_alloc_forget_max(struct page_alloc *alloc);

/* Before the run: the vmstat worker of a CPU first runs then, and each stat_interval from there. Not with an interval of 0. */
void page_alloc_set_stat_date(struct page_alloc *alloc, int cpu, sim_ps due_ps);

/*
 * vmstat_update(): one pass of this CPU's worker now, however many are due: the next one is at its next date after now. Frees
 * and allocations call it when it is due; others may besides. May block.
 */
void vmstat_update(struct page_alloc *alloc, struct task *task);

int page_alloc_nr_zones(const struct page_alloc *alloc);
struct zone *page_alloc_zone(struct page_alloc *alloc, int node);

/* Pages parked on pcp lists now, and the mean of pcp->high over the CPUs that used their zone. */
uint64_t page_alloc_pcp_pages(const struct page_alloc *alloc);
double page_alloc_pcp_high_mean(const struct page_alloc *alloc);

/*
 * After a run: every page in exactly one place (buddy, pcp, or the `nr_held` that the workload says it holds), pcp counts
 * equal to their lists, no lock held. Fills err and returns -1 on the first violation.
 */
int page_alloc_check(const struct page_alloc *alloc, uint64_t nr_held, struct error *err);

#endif
