/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmalloc: the tests of lib/test_vmalloc.c (6.12, and as of 2026 the same), one
 * at a time, by as many workers as there are threads.
 *
 * `real` is what the module prints, in seconds: the time of the whole test of
 * `test_loop_count` loops, at the rate measured. A worker goes through loops
 * until the run is over; how many it makes does not change what one takes.
 *
 * The tests reach the page allocator as in the kernel. Priced by a constant,
 * `loop_ns`, is what else they do: how deep the trees of areas are, what an
 * alignment costs to find, call_rcu, the bookkeeping of per-CPU chunks.
 * Deferred frees (kvfree_rcu) wait for a batch of pointers and the one after
 * it, and are then made by the CPU that asked for them.
 */
#include "models/workloads/workload.h"

#include "models/hardware/memory.h"
#include "models/kernel/kernel.h"
#include "models/kernel/vmalloc.h"

#define MOST_PAGES 65536 /* of an area */
#define LONG_BUSY_AREAS 15000
#define JUNK_AREAS 8192 /* times fls(CPUs): 32 MiB of pages */
#define KVFREE_BULK 509 /* pointers that fit into a page behind its header */
#define FIX_ALIGN_PAGES 5
#define LONG_BUSY_PAGES 100
#define RANDOM_PAGES 100
#define RANDOM_ALIGN_PAGES 10
#define PERCPU_BYTES 1024 /* of an object, at most */

enum test {
	FIX_SIZE_ALLOC,
	FULL_FIT_ALLOC,
	LONG_BUSY_LIST_ALLOC,
	RANDOM_SIZE_ALLOC,
	FIX_ALIGN_ALLOC,
	RANDOM_SIZE_ALIGN_ALLOC,
	PCPU_ALLOC,
	KVFREE_RCU_1_ARG,
	KVFREE_RCU_2_ARG,
	VM_MAP_RAM,
};

static const char *const test_names[] = {
	"fix_size_alloc",
	"full_fit_alloc",
	"long_busy_list_alloc",
	"random_size_alloc",
	"fix_align_alloc",
	"random_size_align_alloc",
	"pcpu_alloc",
	"kvfree_rcu_1_arg_vmalloc",
	"kvfree_rcu_2_arg_vmalloc",
	"vm_map_ram",
	NULL,
};

struct test_params {
	int test; /* enum test */
	uint32_t nr_pages;
	bool use_huge;
	uint32_t test_loop_count;
	uint32_t nr_pcpu_objects;
	double loop_ns;
};

/* clang-format off */
static const struct param test_params[] = {
	PARAM_ONE_OF(struct test_params, test, test_names, FIX_SIZE_ALLOC, "which one; names less their ending _test"),
	PARAM(struct test_params, nr_pages, "pages", 1, 1, MOST_PAGES, "of an area of fix_size_alloc, of a mapping of vm_map_ram"),
	PARAM(struct test_params, use_huge, "", 0, 0, 1, "fix_size_alloc: vmalloc_huge()"),
	PARAM(struct test_params, test_loop_count, "", 1000000, 1, 1e9, "loops that the time `real` is for; pcpu_alloc ignores it"),
	PARAM(struct test_params, nr_pcpu_objects, "", 35000, 1, 1e6, "objects of pcpu_alloc"),
	PARAM(struct test_params, loop_ns, "ns", 0, 0, 1e9, "a loop (of pcpu_alloc: an object), beside what the kernel's models price"),
	PARAM_END,
};
/* clang-format on */

/* Areas of one page each, or single pages of vm_map_ram and of per-CPU chunks, which have no addresses. */
struct page_array {
	pfn_t *pages;
	struct vmap_area **addresses;
	uint32_t nr;
};

struct worker {
	struct vm_struct area; /* with room for the largest one of the test */
	struct page_array kept; /* since the set-up */
	struct page_array filling,
		waiting; /* kvfree_rcu: the pointers of this batch, and of the one in its grace period */
	sim_ps pass_ps; /* pcpu_alloc: time of the passes measured, */
	uint64_t nr_passes; /* and how many */
	bool is_set_up;
};

struct test_state {
	const struct test_params *params;
	struct vmalloc *vmalloc;
	struct page_alloc *page_alloc;
	struct worker *workers;
	sim_ps loop_ps;
	int nr_tasks, nr_cpus;
};

/* ---- set-up before the run ---- */

static int fls(unsigned x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

static uint32_t largest_area(const struct test_params *params)
{
	static const uint32_t sizes[] = {
		[FULL_FIT_ALLOC] = 1,
		[LONG_BUSY_LIST_ALLOC] = LONG_BUSY_PAGES,
		[RANDOM_SIZE_ALLOC] = RANDOM_PAGES,
		[FIX_ALIGN_ALLOC] = FIX_ALIGN_PAGES,
		[RANDOM_SIZE_ALIGN_ALLOC] = RANDOM_ALIGN_PAGES,
		[PCPU_ALLOC] = 1,
		[KVFREE_RCU_1_ARG] = 1,
		[KVFREE_RCU_2_ARG] = 1,
		[VM_MAP_RAM] = 1,
	};

	if (params->test == FIX_SIZE_ALLOC)
		return vmalloc_nr_pages(params->nr_pages, params->use_huge ? VM_ALLOW_HUGE_VMAP : 0);
	return sizes[params->test];
}

/* Pages that a worker holds for longer than a loop. */
static uint32_t most_kept(const struct test_state *state)
{
	const struct test_params *params = state->params;

	switch (params->test) {
	case FULL_FIT_ALLOC:
		return 2 * JUNK_AREAS * (uint32_t)fls((unsigned)state->nr_cpus);
	case LONG_BUSY_LIST_ALLOC:
		return LONG_BUSY_AREAS;
	case PCPU_ALLOC:
		return (params->nr_pcpu_objects * PERCPU_BYTES / (uint32_t)PAGE_BYTES + 1) * (uint32_t)state->nr_cpus;
	case VM_MAP_RAM:
		return params->nr_pages;
	default:
		return 0;
	}
}

static pfn_t *page_room(struct arena *arena, uint32_t nr)
{
	return arena_calloc(arena, nr, sizeof(pfn_t));
}

static struct page_array array_room(struct arena *arena, uint32_t nr)
{
	return (struct page_array){
		.pages = page_room(arena, nr),
		.addresses = arena_calloc(arena, nr, sizeof(struct vmap_area *)),
	};
}

static void *vmalloc_test_create(const struct workload_site *site, const void *params)
{
	struct test_state *state = arena_alloc(site->arena, sizeof(*state));
	const struct vmalloc_site vmalloc_site = {
		.arena = site->arena,
		.machine = site->machine,
		.engine = site->engine,
		.policies = site->policies,
		.page_alloc = site->page_alloc,
		.memory = site->memory,
		.seed = site->seed,
	};

	state->params = params;
	state->vmalloc = vmalloc_create(&vmalloc_site, &site->kernel->vmalloc);
	state->page_alloc = site->page_alloc;
	state->loop_ps = ns_to_ps(state->params->loop_ns);
	state->nr_tasks = site->nr_tasks;
	state->nr_cpus = machine_nr_cpus(site->machine);
	state->workers = arena_calloc(site->arena, (size_t)site->nr_tasks, sizeof(*state->workers));
	for (int i = 0; i < site->nr_tasks; i++) {
		struct worker *worker = &state->workers[i];

		worker->area.pages = page_room(site->arena, largest_area(params));
		worker->kept = array_room(site->arena, most_kept(state));
		worker->filling = array_room(site->arena, KVFREE_BULK);
		worker->waiting = array_room(site->arena, KVFREE_BULK);
	}
	return state;
}

/* ---- areas of one page ---- */

static bool take_page(const struct test_state *state, struct task *task, struct page_array *array)
{
	struct vm_struct area = { .pages = &array->pages[array->nr] };

	if (vmalloc_alloc(state->vmalloc, task, 1, 0, &area))
		return false;
	array->addresses[array->nr++] = area.va;
	return true;
}

static void give_page(const struct test_state *state, struct task *task, struct page_array *array, uint32_t i)
{
	struct vm_struct area = { .va = array->addresses[i], .pages = &array->pages[i], .nr_pages = 1 };

	vfree(state->vmalloc, task, &area);
}

static void give_all(const struct test_state *state, struct task *task, struct page_array *array)
{
	for (uint32_t i = 0; i < array->nr; i++)
		give_page(state, task, array, i);
	array->nr = 0;
}

/* Those that are kept lie among the junk, which leaves holes of an area's size. */
static void fragment_areas(const struct test_state *state, struct task *task, struct page_array *kept)
{
	const uint32_t nr_areas = most_kept(state);

	while (kept->nr < nr_areas && take_page(state, task, kept))
		;
	for (uint32_t i = 1; i < kept->nr; i += 2)
		give_page(state, task, kept, i);
	kept->nr = (kept->nr + 1) / 2;
	for (uint32_t i = 0; i < kept->nr; i++) {
		kept->pages[i] = kept->pages[2 * i];
		kept->addresses[i] = kept->addresses[2 * i];
	}
}

static void set_up(const struct test_state *state, struct task *task, struct worker *worker)
{
	worker->is_set_up = true;
	if (state->params->test == FULL_FIT_ALLOC)
		fragment_areas(state, task, &worker->kept);
	else if (state->params->test == LONG_BUSY_LIST_ALLOC)
		while (worker->kept.nr < LONG_BUSY_AREAS && take_page(state, task, &worker->kept))
			;
	else if (state->params->test == VM_MAP_RAM)
		worker->kept.nr = alloc_pages_bulk(state->page_alloc, task, MIGRATE_UNMOVABLE, state->params->nr_pages,
						   worker->kept.pages);
}

/* ---- loops; each says whether there was memory for it ---- */

/* vmalloc() or a relative, a store unless the memory was cleared, vfree(). */
static bool loop_area(const struct test_state *state, struct task *task, uint32_t nr_pages, unsigned flags)
{
	struct vm_struct *area = &state->workers[task->index].area;

	if (vmalloc_alloc(state->vmalloc, task, nr_pages, flags, area))
		return false;
	if (!(flags & VMALLOC_ZERO))
		vmalloc_write(state->vmalloc, task, area->pages[0]);
	vfree(state->vmalloc, task, area);
	return true;
}

static bool loop_long_busy(const struct test_state *state, struct task *task, struct worker *worker)
{
	if (vmalloc_alloc(state->vmalloc, task, LONG_BUSY_PAGES, 0, &worker->area))
		return false;
	if (!take_page(state, task, &worker->filling)) {
		vfree(state->vmalloc, task, &worker->area);
		return false;
	}
	vmalloc_write(state->vmalloc, task, worker->area.pages[0]);
	vmalloc_write(state->vmalloc, task, worker->filling.pages[0]);
	vfree(state->vmalloc, task, &worker->area);
	give_all(state, task, &worker->filling);
	return true;
}

/* kvfree_call_rcu(): once this batch of pointers is full, the grace period of the one before it is over. */
static bool loop_kvfree_rcu(const struct test_state *state, struct task *task, struct worker *worker)
{
	struct page_array *filling = &worker->filling;
	struct page_array done;

	if (!take_page(state, task, filling))
		return false;
	vmalloc_write(state->vmalloc, task, filling->pages[filling->nr - 1]);
	if (filling->nr < KVFREE_BULK)
		return true;
	done = worker->waiting;
	give_all(state, task, &done);
	worker->waiting = *filling;
	*filling = done;
	return true;
}

static bool loop_map_ram(const struct test_state *state, struct task *task, struct worker *worker)
{
	if (worker->kept.nr < state->params->nr_pages)
		return false;
	vm_map_ram(state->vmalloc, task, worker->kept.nr);
	vmalloc_write(state->vmalloc, task, worker->kept.pages[0]);
	vm_unmap_ram(state->vmalloc, task, worker->kept.nr);
	return true;
}

/* pcpu_populate_chunk(): one more page on every CPU. */
static bool populate(const struct test_state *state, struct task *task, struct page_array *kept)
{
	for (int cpu = 0; cpu < state->nr_cpus; cpu++) {
		const pfn_t pfn = alloc_pages(state->page_alloc, task, 0, MIGRATE_UNMOVABLE);

		if (pfn == NO_PAGE)
			return false;
		kept->pages[kept->nr++] = pfn;
	}
	return true;
}

/* All objects, packed, and then none: a whole pass is one operation. */
static bool loop_percpu(const struct test_state *state, struct task *task, struct worker *worker)
{
	const sim_ps start = task->cpu->date;
	uint64_t bytes = 0, populated_bytes = 0;
	bool complete = true;

	for (uint32_t i = 0; complete && i < state->params->nr_pcpu_objects; i++) {
		task_kernel(task, state->loop_ps);
		bytes += 1 + rng_below(&task->rng, PERCPU_BYTES);
		for (; complete && populated_bytes < bytes; populated_bytes += PAGE_BYTES)
			complete = populate(state, task, &worker->kept);
	}
	for (uint32_t i = 0; i < worker->kept.nr; i++)
		free_pages(state->page_alloc, task, worker->kept.pages[i], 0);
	worker->kept.nr = 0;
	worker->pass_ps += task->cpu->date - start;
	worker->nr_passes++;
	return complete;
}

static bool loop(const struct test_state *state, struct task *task, struct worker *worker)
{
	const struct test_params *params = state->params;

	switch ((enum test)params->test) {
	case FIX_SIZE_ALLOC:
		return loop_area(state, task, params->nr_pages, params->use_huge ? VM_ALLOW_HUGE_VMAP : 0);
	case FULL_FIT_ALLOC:
		return loop_area(state, task, 1, 0);
	case LONG_BUSY_LIST_ALLOC:
		return loop_long_busy(state, task, worker);
	case RANDOM_SIZE_ALLOC:
		return loop_area(state, task, 1 + (uint32_t)rng_below(&task->rng, RANDOM_PAGES), 0);
	case FIX_ALIGN_ALLOC:
		return loop_area(state, task, FIX_ALIGN_PAGES, VMALLOC_ZERO);
	case RANDOM_SIZE_ALIGN_ALLOC:
		/* a random byte modulo 10 in the kernel, which prefers 0 to 5 by a 26th */
		return loop_area(state, task, 1 + (uint32_t)rng_below(&task->rng, 256) % RANDOM_ALIGN_PAGES,
				 VMALLOC_ZERO);
	case PCPU_ALLOC:
		return loop_percpu(state, task, worker);
	case KVFREE_RCU_1_ARG:
	case KVFREE_RCU_2_ARG:
		return loop_kvfree_rcu(state, task, worker);
	case VM_MAP_RAM:
		return loop_map_ram(state, task, worker);
	}
	return false;
}

static uint64_t vmalloc_test_operation(void *arg, struct task *task)
{
	const struct test_state *state = arg;
	struct worker *worker = &state->workers[task->index];

	if (!worker->is_set_up)
		set_up(state, task, worker);
	if (state->params->test != PCPU_ALLOC)
		task_kernel(task, state->loop_ps);
	return loop(state, task, worker);
}

static void vmalloc_test_finish(void *arg, struct task *task)
{
	const struct test_state *state = arg;
	struct worker *worker = &state->workers[task->index];

	if (state->params->test == VM_MAP_RAM)
		for (; worker->kept.nr; worker->kept.nr--)
			free_pages(state->page_alloc, task, worker->kept.pages[worker->kept.nr - 1], 0);
	give_all(state, task, &worker->kept);
	give_all(state, task, &worker->filling);
	give_all(state, task, &worker->waiting);
}

/* ---- measuring ---- */

static void vmalloc_test_begin(void *arg)
{
	const struct test_state *state = arg;

	for (int i = 0; i < state->nr_tasks; i++) {
		state->workers[i].pass_ps = 0;
		state->workers[i].nr_passes = 0;
	}
}

/* Passes are long beside a run: their own time is exact, their number in a window is not. */
static void measure_passes(const struct test_state *state, double metrics[NR_METRICS])
{
	double seconds = 0, passes = 0;

	for (int i = 0; i < state->nr_tasks; i++) {
		seconds += ps_to_s(state->workers[i].pass_ps);
		passes += (double)state->workers[i].nr_passes;
	}
	metrics[METRIC_REAL] = seconds / passes;
	metrics[METRIC_LATENCY] = 1e9 * metrics[METRIC_REAL];
	metrics[METRIC_THROUGHPUT] = state->nr_tasks / metrics[METRIC_REAL];
}

static void vmalloc_test_end(void *arg, const struct workload_window *window, double metrics[NR_METRICS])
{
	const struct test_state *state = arg;

	if (state->params->test == PCPU_ALLOC)
		measure_passes(state, metrics);
	else
		metrics[METRIC_REAL] = ps_to_s(window->measured_ps) * state->nr_tasks / (double)window->operations *
				       state->params->test_loop_count;
}

const struct workload workload_vmalloc = {
	.name = "vmalloc",
	.summary = "the tests of the kernel's vmalloc benchmark, lib/test_vmalloc.c",
	.params = test_params,
	.params_size = sizeof(struct test_params),
	.result_class = "{test}_test: p:{nr_pages}, h:{use_huge}, l:{test_loop_count}",
	.allocates = true,
	.create = vmalloc_test_create,
	.operation = vmalloc_test_operation,
	.finish = vmalloc_test_finish,
	.begin = vmalloc_test_begin,
	.end = vmalloc_test_end,
};
