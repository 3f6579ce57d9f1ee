/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pread: every worker reads the same few bytes of a cached file in a loop, the
 * benchmark of "mm: improve folio refcount scalability" (linux-mm, v6 cover
 * letter). Each access to the folio's struct page is made in the order of the
 * kernel's code: filemap_get_entry, for tmpfs shmem_get_folio with its folio
 * lock, then filemap_read's or shmem_file_read_iter's checks, the copy and
 * folio_put (mm/filemap.c, mm/shmem.c, v6.15).
 *
 * Abstracts: system call, VFS and return are private work (private_ns, set
 * from a one-thread run); instructions between two accesses are gap_ns each;
 * the file's contents are read-shared. Constants that nobody measured:
 * gap_ns, copy_ns, free_ns, freeze_ns (experiments give them as priors).
 *
 * Optional guests of the same folio: every freeze_every-th operation of a
 * worker tries to freeze it for freeze_ns, as migration does, so that gets
 * fail; every drop_every-th drops the page cache's own reference, so that a
 * final put races with gets and the last user frees the folio and a fresh one
 * takes its place.
 */
#include "models/workloads/workload.h"

#include "models/kernel/folio_lock.h"
#include "models/kernel/refcount.h"

#define NR_FOLIO_WAITQUEUES 256 /* PAGE_WAIT_TABLE_SIZE of mm/filemap.c */

enum filesystem {
	FILESYSTEM_TMPFS,
	FILESYSTEM_PAGECACHE,
};

static const char *const filesystem_names[] = { "tmpfs", "pagecache", NULL };

struct pread_params {
	int filesystem; /* enum filesystem */
	uint32_t bytes;
	uint32_t folios;
	uint32_t skew_pct;
	double private_ns;
	uint32_t jitter_pct;
	double gap_ns;
	double copy_ns;
	double copy_bytes_per_ns;
	uint32_t freeze_every;
	double freeze_ns;
	uint32_t drop_every;
	double free_ns;
};

/* clang-format off */
static const struct param pread_params[] = {
	PARAM_ONE_OF(struct pread_params, filesystem, filesystem_names, FILESYSTEM_TMPFS, "tmpfs locks the folio on every read, pagecache does not"),
	PARAM(struct pread_params, bytes, "", 64, 1, 4096, "bytes per read"),
	PARAM(struct pread_params, folios, "", 1, 1, 4096, "folios to read from"),
	PARAM(struct pread_params, skew_pct, "pct", 0, 0, 100, "reads that go to the first folio whatever their number, the rest uniform"),
	PARAM(struct pread_params, private_ns, "ns", 700, 0, 1e9, "system call, VFS and return, per read"),
	PARAM(struct pread_params, jitter_pct, "pct", 10, 0, 100, "spread of the private work, uniform"),
	PARAM(struct pread_params, gap_ns, "ns", 3, 0, 1e6, "instructions between two accesses to the struct page"),
	PARAM(struct pread_params, copy_ns, "ns", 50, 0, 1e6, "copy_folio_to_iter() beside the bytes themselves"),
	PARAM(struct pread_params, copy_bytes_per_ns, "bytes/ns", 10, 0.001, 1e6, "copy rate from L1 or L2"),
	PARAM(struct pread_params, freeze_every, "", 0, 0, 1e9, "a worker tries to freeze the folio every so many reads; 0 never"),
	PARAM(struct pread_params, freeze_ns, "ns", 500, 0, 1e9, "how long a frozen folio stays so"),
	PARAM(struct pread_params, drop_every, "", 0, 0, 1e9, "a worker drops the page cache's reference every so many reads; 0 never"),
	PARAM(struct pread_params, free_ns, "ns", 300, 0, 1e9, "freeing the folio and inserting a fresh one"),
	PARAM_END,
};
/* clang-format on */

/* One place in the file: its folio and the line with the xarray entry that leads there. */
struct slot {
	struct folio folio;
	struct line *entry; /* word 0: 1 when the folio is in the page cache */
	bool busy; /* being frozen or dropped: one at a time, by the kernel's folio lock and xarray lock */
};

struct pread_state {
	const struct pread_params *params;
	const struct refcount_policy *refcount;
	const void *refcount_params;
	const struct policy_choice *folio_lock;
	sim_ps private_ps, gap_ps, copy_ps, freeze_ps, free_ps;
	struct slot *slots;
	uint64_t *reads; /* by CPU: for freeze_every and drop_every */
};

/* A line of its own jitter: `number` tells the lines of one run apart. */
static struct line *create_line(const struct workload_site *site, const char *name, uint64_t number)
{
	return line_create(site->arena, site->machine, site->engine, name, site->home_node,
			   site->seed + (number << 32));
}

static void slot_init(struct slot *slot, const struct workload_site *site, uint64_t index)
{
	slot->folio.page = create_line(site, "a struct page line", 4 * index);
	slot->folio.data = create_line(site, "a data line", 4 * index + 1);
	slot->entry = create_line(site, "an xarray line", 4 * index + 2);
	line_poke(slot->folio.page, FOLIO_REFCOUNT, 1);
	line_poke(slot->folio.page, FOLIO_MAPPING, 1);
	line_poke(slot->entry, 0, 1);
}

/* folio_waitqueue(): as many folios as there are queues get one each; a real hash makes some share earlier. */
static void give_waitqueues(struct pread_state *state, const struct workload_site *site)
{
	for (uint32_t i = 0; i < state->params->folios; i++) {
		if (i < NR_FOLIO_WAITQUEUES)
			state->slots[i].folio.waitqueue =
				wait_queue_create(site->arena, site->machine, site->engine, site->home_node,
						  site->seed + ((4 * (uint64_t)i + 3) << 32));
		else
			state->slots[i].folio.waitqueue = state->slots[i % NR_FOLIO_WAITQUEUES].folio.waitqueue;
	}
}

static void *pread_create(const struct workload_site *site, const void *arg)
{
	const struct pread_params *params = arg;
	struct pread_state *state = arena_alloc(site->arena, sizeof(*state));

	state->params = params;
	state->refcount = refcount_policy(&site->policies[AXIS_REFCOUNT]);
	state->refcount_params = site->policies[AXIS_REFCOUNT].params;
	state->folio_lock = &site->policies[AXIS_FOLIO_LOCK];
	state->private_ps = ns_to_ps(params->private_ns);
	state->gap_ps = ns_to_ps(params->gap_ns);
	state->copy_ps = ns_to_ps(params->copy_ns + params->bytes / params->copy_bytes_per_ns);
	state->freeze_ps = ns_to_ps(params->freeze_ns);
	state->free_ps = ns_to_ps(params->free_ns);
	state->slots = arena_calloc(site->arena, params->folios, sizeof(*state->slots));
	state->reads = arena_calloc(site->arena, (size_t)machine_nr_cpus(site->machine), sizeof(*state->reads));
	for (uint32_t i = 0; i < params->folios; i++)
		slot_init(&state->slots[i], site, i);
	give_waitqueues(state, site);
	return state;
}

static struct slot *pick_slot(const struct pread_state *state, struct cpu *cpu)
{
	const struct pread_params *params = state->params;

	if (params->folios == 1 || rng_below(&cpu->rng, 100) < params->skew_pct)
		return &state->slots[0];
	return &state->slots[rng_below(&cpu->rng, params->folios)];
}

/*
 * Loads of the struct page after an atomic. Nothing but the atomic holds them up, and a core issues two or three in a
 * cycle: they meet the line at once, as one access. Then it works through what they gate.
 */
static void read_page(const struct pread_state *state, struct cpu *cpu, struct folio *folio, int nr_loads)
{
	line_read(cpu, folio->page, FOLIO_FLAGS);
	cpu_work(cpu, nr_loads * state->gap_ps);
}

static bool in_page_cache(const struct pread_state *state, struct cpu *cpu, struct slot *slot)
{
	const bool present = line_read(cpu, slot->entry, 0);

	cpu_work(cpu, state->gap_ps);
	return present;
}

/* The last reference is gone: free the folio; a fresh one takes its place in the page cache. */
static void free_and_refill(const struct pread_state *state, struct cpu *cpu, struct slot *slot)
{
	cpu_work(cpu, state->free_ps);
	state->refcount->set(state->refcount_params, cpu, &slot->folio, 1);
	line_write(cpu, slot->entry, 0, 1);
	slot->busy = false;
}

static void folio_put(const struct pread_state *state, struct cpu *cpu, struct slot *slot)
{
	if (state->refcount->put(state->refcount_params, cpu, &slot->folio))
		free_and_refill(state, cpu, slot);
}

/* filemap_get_entry(): look up, get a reference, look again. */
static void get_entry(const struct pread_state *state, struct cpu *cpu, struct slot *slot)
{
	for (;;) {
		if (!in_page_cache(state, cpu, slot))
			continue;
		if (!state->refcount->try_get(state->refcount_params, cpu, &slot->folio)) {
			cpu->counters.get_failures++;
			continue;
		}
		cpu_work(cpu, state->gap_ps);
		if (in_page_cache(state, cpu, slot))
			return;
		folio_put(state, cpu, slot);
	}
}

/* shmem_get_folio_gfp(): lock, is it still ours, is it uptodate, unlock. */
static void shmem_get_folio(const struct pread_state *state, struct cpu *cpu, struct folio *folio)
{
	folio_lock(state->folio_lock, cpu, folio);
	read_page(state, cpu, folio, 1 + 1); /* mapping, uptodate */
	cpu_work(cpu, state->gap_ps);
	folio_unlock(state->folio_lock, cpu, folio);
}

/* migrate: freeze at the page cache's reference and ours, then unfreeze. */
static void freeze_for_a_while(const struct pread_state *state, struct cpu *cpu, struct slot *slot)
{
	if (slot->busy)
		return;
	slot->busy = true;
	if (state->refcount->freeze(state->refcount_params, cpu, &slot->folio, 2)) {
		cpu_work(cpu, state->freeze_ps);
		state->refcount->set(state->refcount_params, cpu, &slot->folio, 2);
	}
	slot->busy = false;
}

/* truncate: out of the page cache, drop its reference. */
static void drop_from_cache(const struct pread_state *state, struct cpu *cpu, struct slot *slot)
{
	if (slot->busy)
		return;
	slot->busy = true;
	line_write(cpu, slot->entry, 0, 0);
	folio_put(state, cpu, slot);
}

static bool due(const struct pread_state *state, uint64_t reads, uint32_t every)
{
	return state->refcount->counted && every && reads % every == 0;
}

static uint64_t pread_operation(void *arg, struct task *task)
{
	const struct pread_state *state = arg;
	struct cpu *cpu = task->cpu;
	const uint64_t reads = ++state->reads[cpu->id];
	struct slot *slot = pick_slot(state, cpu);
	struct folio *folio = &slot->folio;

	cpu_work_jittered(cpu, state->private_ps, state->params->jitter_pct);
	get_entry(state, cpu, slot);
	if (state->params->filesystem == FILESYSTEM_TMPFS)
		shmem_get_folio(state, cpu, folio);
	/* large? hwpoison? large? size; folio_mark_accessed(): unevictable, referenced, workingset, tier */
	read_page(state, cpu, folio, 4 + 4);
	line_read(cpu, folio->data, 0);
	cpu_work(cpu, state->copy_ps);
	if (due(state, reads, state->params->freeze_every))
		freeze_for_a_while(state, cpu, slot);
	folio_put(state, cpu, slot);
	if (due(state, reads, state->params->drop_every))
		drop_from_cache(state, cpu, slot);
	return 1;
}

const struct workload workload_pread = {
	.name = "pread",
	.summary = "all workers read the same bytes of a cached file (will-it-scale style, as in the refcount patch)",
	.params = pread_params,
	.params_size = sizeof(struct pread_params),
	.create = pread_create,
	.operation = pread_operation,
};
