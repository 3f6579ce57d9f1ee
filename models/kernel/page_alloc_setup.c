/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Set-up of the page allocator: zones of the machine's nodes, their pcps, and
 * in which order a node asks them.
 */
#include "models/kernel/page_alloc_parts.h"

#include <inttypes.h>

/* round_jiffies_relative(): workers of different CPUs keep apart by so much */
#define STAT_SKEW_PS (3 * PS_PER_MS)

#define BLOCK_PAGES (UINT64_C(1) << MAX_PAGE_ORDER)

/* clang-format off */
/*
 * pcp_alloc_ns, pcp_free_ns: a page allocated and freed alone from a kernel module takes 54 to 58 ns on an E5-1650 v4 at
 * 3.6 GHz (194 to 207 cycles; Jesper Brouer on linux-mm, March 2021, page_bench04_bulk). Less two atomics and stores of
 * about 7 ns a pair that leaves 40; nobody measured the halves apart, nor the part of free_pages_prepare() in the second:
 * some 25 instructions that depend on each other little. split_page() stores a count.
 */
const struct param page_alloc_params[] = {
	PARAM(struct page_alloc_params, transparent_hugepages, "", 1, 0, 1, "THP is enabled (always or madvise): khugepaged raises min_free_kbytes, so watermarks and high_min too"),
	PARAM(struct page_alloc_params, zone_flags_beside_lock, "", 1, 0, 1, "zone->flags shares the line of zone->lock, as with 5 migratetypes or with unaccepted memory; 0: 6 types without it"),
	PARAM(struct page_alloc_params, cacheinfo, "", 1, 0, 1, "the kernel knows the caches' sizes (/sys/devices/system/cpu/cpu0/cache), which sets PCPF_FREE_HIGH_BATCH where they are large; many guests do not"),
	PARAM(struct page_alloc_params, stat_interval_ms, "", 1000, 0, 1e6, "vm.stat_interval: how often a CPU's vmstat worker runs; 0 never"),
	PARAM(struct page_alloc_params, aged, "", 0, 0, 1, "zones start fragmented, as after long use"),
	PARAM_AS("aged_memory", struct page_alloc_params, aged_bytes, "bytes", 1 << 30, 0, 1e14, "with aged: how much of each zone is; the rest is untouched"),
	PARAM(struct page_alloc_params, aged_used_pct, "pct", 50, 0, 100, "with aged: share of that memory in use for good"),
	PARAM(struct page_alloc_params, pcp_alloc_ns, "ns", 20, 0, 1e5, "a block off a pcp list, and its preparation, beside pcp->lock"),
	PARAM(struct page_alloc_params, pcp_free_ns, "ns", 20, 0, 1e5, "a block onto a pcp list, and its checks, beside pcp->lock"),
	PARAM(struct page_alloc_params, free_prepare_ns, "ns", 8, 0, 1e5, "of pcp_free_ns: free_pages_prepare(), which a range of pages does for each of them and a block once"),
	PARAM(struct page_alloc_params, split_page_ns, "ns", 1, 0, 1e5, "a page of a block that is split, beside the access to its struct page"),
	PARAM_END,
};
/* clang-format on */

/* ---- distances ---- */

/* How far a node is from another: its latency where the machine has a matrix, else whether it is in the same socket. */
static double node_distance(const struct machine *machine, int from, int to)
{
	const struct machine_config *config = machine_config_of(machine);
	const int per_socket = (int)config->topology.nodes_per_socket;

	if (from == to)
		return -1;
	if (config->matrix_ns)
		return config->matrix_ns[from * machine_nr_nodes(machine) + to];
	return from / per_socket != to / per_socket;
}

/* build_zonelists(): the nodes by distance from one, by number among equals. */
static void build_zonelist(const struct machine *machine, int from, int *nodes)
{
	for (int node = 0; node < machine_nr_nodes(machine); node++) {
		const double distance = node_distance(machine, from, node);
		int at = node;

		for (; at > 0 && node_distance(machine, from, nodes[at - 1]) > distance; at--)
			nodes[at] = nodes[at - 1];
		nodes[at] = node;
	}
}

static void build_zonelists(struct page_alloc *alloc)
{
	int *lists = arena_calloc(alloc->site.arena, (size_t)(alloc->nr_zones * alloc->nr_zones), sizeof(*lists));

	for (int node = 0; node < alloc->nr_zones; node++)
		build_zonelist(alloc->site.machine, node, lists + node * alloc->nr_zones);
	alloc->zonelists = lists;
}

/* ---- zones ---- */

static int nr_cpus_of_node(const struct machine *machine, int node)
{
	int nr = 0;

	for (int cpu = 0; cpu < machine_nr_cpus(machine); cpu++)
		nr += machine_place(machine, cpu)->node == node;
	return nr;
}

/* per_cpu_data_slice_size: a CPU's part of the caches of the last level, whichever that is. */
static uint64_t llc_slice_bytes(const struct machine *machine, int cpu)
{
	const struct machine_config *config = machine_config_of(machine);
	const int cluster = machine_place(machine, cpu)->cluster;
	const int nr_cores = machine_first_core(machine, cluster + 1) - machine_first_core(machine, cluster);

	if (!config->cache.l3_bytes)
		return config->cache.l2_bytes / config->topology.smt;
	return config->cache.l3_bytes / ((uint64_t)nr_cores * config->topology.smt);
}

static void init_pcps(const struct page_alloc *alloc, struct zone *zone)
{
	struct pcp_zone_size size = {
		.managed_pages = zone->size.managed_pages,
		.low_wmark_pages = zone->size.watermark_pages[WMARK_LOW],
		.nr_cpus = nr_cpus_of_node(alloc->site.machine, zone->node),
	};

	for (int cpu = 0; cpu < alloc->nr_cpus; cpu++) {
		size.llc_slice_bytes = alloc->params.cacheinfo ? llc_slice_bytes(alloc->site.machine, cpu) : 0;
		per_cpu_pages_init(&zone->pcps[cpu], &size,
				   alloc->high_params); /* which begin with struct pcp_limits */
	}
}

static void age_zone(const struct page_alloc *alloc, struct zone *zone)
{
	struct rng rng = rng_stream(alloc->site.seed, ((uint64_t)zone->node << 32) + MACHINE_MAX_CPUS);

	buddy_age(zone->buddy, &rng, alloc->params.aged_bytes >> PAGE_SHIFT, alloc->params.aged_used_pct);
	zone->nr_aged_pages = zone->nr_pages - buddy_nr_free_pages(zone->buddy);
}

static const struct buddy_costs *costs_of(const struct page_alloc_site *site)
{
	struct buddy_costs *costs;

	if (site->costs)
		return site->costs;
	costs = arena_alloc(site->arena, sizeof(*costs));
	param_defaults(buddy_cost_params, costs);
	return costs;
}

/* The next zone begins at a largest block of its own. */
static uint64_t pages_up_to_next_zone(uint64_t nr_pages)
{
	return (nr_pages + BLOCK_PAGES - 1) & ~(BLOCK_PAGES - 1);
}

static void create_zones(struct page_alloc *alloc, const struct zone_sizes *sizes)
{
	const struct page_alloc_site *site = &alloc->site;
	struct zone_site zone_site = {
		.buddy = { .arena = site->arena, .memory = site->memory, .costs = costs_of(site) },
		.machine = site->machine,
		.engine = site->engine,
		.lock = &site->policies[AXIS_ZONE_LOCK],
		.flags_beside_lock = alloc->params.zone_flags_beside_lock,
		.seed = site->seed,
	};
	pfn_t start_pfn = 0;

	zone_site.vm_zone_stat_line = line_create(site->arena, site->machine, site->engine, "the line of vm_zone_stat",
						  0, site->seed + (UINT64_C(1) << 48));
	for (int node = 0; node < alloc->nr_zones; node++) {
		struct zone *zone = &alloc->zones[node];

		zone_site.buddy.node = node;
		zone_init(zone, &zone_site, start_pfn, &sizes[node]);
		if (alloc->params.aged)
			age_zone(alloc, zone);
		zone_set_free_pages(zone);
		init_pcps(alloc, zone);
		start_pfn += (pfn_t)pages_up_to_next_zone(zone->nr_pages);
	}
}

/* ---- the allocator ---- */

static void size_zones(const struct machine_config *config, bool transparent_hugepages, struct zone_sizes *sizes)
{
	const int nr_nodes = machine_topology_nr_nodes(&config->topology);
	uint64_t node_bytes[MACHINE_MAX_NODES];

	for (int node = 0; node < nr_nodes; node++)
		node_bytes[node] = config->memory.per_node;
	zone_sizes_compute(node_bytes, nr_nodes, transparent_hugepages, sizes);
}

int page_alloc_check_machine(const struct machine_config *config, struct error *err)
{
	const int nr_nodes = machine_topology_nr_nodes(&config->topology);
	const uint64_t node_bytes = config->memory.per_node;
	struct zone_sizes sizes[MACHINE_MAX_NODES];
	uint64_t end_pfn = 0;

	size_zones(config, true, sizes);
	for (int node = 0; node < nr_nodes; node++) {
		if (sizes[node].managed_pages < BLOCK_PAGES)
			return error_plain(err,
					   "machine '%s': memory.per_node of %" PRIu64
					   " bytes is too little, a zone needs a block of order %d",
					   config->name, node_bytes, MAX_PAGE_ORDER);
		end_pfn += pages_up_to_next_zone(sizes[node].managed_pages);
	}
	if (end_pfn > NO_PAGE)
		return error_plain(err,
				   "machine '%s': memory.per_node of %" PRIu64
				   " bytes on %d nodes is too much, pages have numbers below %" PRIu32,
				   config->name, node_bytes, nr_nodes, NO_PAGE);
	return 0;
}

static void set_costs(struct page_alloc *alloc)
{
	const struct machine_config *config = machine_config_of(alloc->site.machine);
	const struct machine_transfer *transfer = &config->transfer;

	alloc->alloc_ps = ns_to_ps(alloc->params.pcp_alloc_ns);
	alloc->free_ps = ns_to_ps(alloc->params.pcp_free_ns);
	alloc->prepare_ps = ns_to_ps(alloc->params.free_prepare_ns);
	alloc->commit_ps = ps_max(alloc->free_ps - alloc->prepare_ps, 0);
	alloc->split_ps = ns_to_ps(alloc->params.split_page_ns);
	alloc->lock_ps = ns_to_ps(config->core.atomic_hit_ns);
	alloc->unlock_ps = ns_to_ps(config->core.store_hit_ns);
	alloc->transfer_ps[DISTANCE_CORE] = ns_to_ps(transfer->core_ns);
	alloc->transfer_ps[DISTANCE_CLUSTER] = ns_to_ps(transfer->cluster_ns);
	alloc->transfer_ps[DISTANCE_SOCKET] = ns_to_ps(transfer->socket_ns);
	alloc->transfer_ps[DISTANCE_REMOTE] = ns_to_ps(transfer->remote_ns);
}

static void set_stat_dates(struct page_alloc *alloc)
{
	alloc->stat_interval_ps = alloc->params.stat_interval_ms * PS_PER_MS;
	alloc->cpus = arena_calloc(alloc->site.arena, (size_t)alloc->nr_cpus, sizeof(*alloc->cpus));
	for (int cpu = 0; cpu < alloc->nr_cpus; cpu++) {
		sim_ps *due_ps = &alloc->cpus[cpu].stat_due_ps;

		*due_ps = alloc->stat_interval_ps ? alloc->stat_interval_ps + cpu * STAT_SKEW_PS : SIM_PS_MAX;
	}
}

void page_alloc_set_stat_date(struct page_alloc *alloc, int cpu, sim_ps due_ps)
{
	if (alloc->stat_interval_ps)
		alloc->cpus[cpu].stat_due_ps = due_ps;
}

struct page_alloc *page_alloc_create(const struct page_alloc_site *site, const struct page_alloc_params *params)
{
	struct page_alloc *alloc = arena_alloc(site->arena, sizeof(*alloc));
	const struct policy_choice *high = &site->policies[AXIS_PCP_HIGH];
	const struct policy_choice *free = &site->policies[AXIS_PCP_FREE];
	struct zone_sizes sizes[MACHINE_MAX_NODES];

	alloc->site = *site;
	alloc->params = *params;
	alloc->high = pcp_high_policy(high);
	alloc->high_params = high->params;
	alloc->free = pcp_free_policy(free);
	alloc->free_params = free->params;
	alloc->nr_cpus = machine_nr_cpus(site->machine);
	alloc->nr_zones = machine_nr_nodes(site->machine);
	alloc->zones = arena_calloc(site->arena, (size_t)alloc->nr_zones, sizeof(*alloc->zones));
	size_zones(machine_config_of(site->machine), params->transparent_hugepages, sizes);
	set_costs(alloc);
	set_stat_dates(alloc);
	create_zones(alloc, sizes);
	build_zonelists(alloc);
	return alloc;
}
