/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/trace_verify.h"

#include "models/config.h"
#include "models/workloads/replay.h"
#include "models/workloads/workload.h"
#include "sim/cli/cli.h"
#include "sim/cli/trace_verify_plot.h"
#include "sim/trace/trace_reader.h"

#include <inttypes.h>
#include <string.h>

#define NS_PER_S 1e9

/* ---- what was recorded ---- */

static int stream_of(const struct replay_script *script, int cpu)
{
	for (int i = 0; i < script->nr_streams; i++)
		if (script->streams[i].cpu == cpu)
			return i;
	return -1;
}

static void count_event(const struct comparison *comparison, const struct trace_event *event)
{
	const int stream = stream_of(comparison->script, event->cpu);
	int64_t bin = (event->time_ns - comparison->script->first_ns) / comparison->bin_ns;
	struct page_alloc_blocks *blocks;

	if (stream < 0)
		return;
	if (bin < 0)
		bin = 0;
	blocks = &comparison->recorded[stream * VERIFY_NR_BINS + (bin < VERIFY_NR_BINS ? bin : VERIFY_NR_BINS - 1)];
	blocks->taken += event->type == TRACE_PAGE_ALLOC_ZONE_LOCKED;
	blocks->drained += event->type == TRACE_PAGE_PCPU_DRAIN;
}

static int count_recorded(const struct trace_verify *verify, const struct comparison *comparison, struct error *err)
{
	struct trace_reader *reader = trace_reader_open(verify->arena, verify->trace, err);
	struct trace_event event;
	int found = reader ? 1 : -1;

	while (found == 1 && (found = trace_reader_next(reader, &event, err)) == 1)
		count_event(comparison, &event);
	trace_reader_close(reader);
	return found;
}

/* ---- what is simulated ---- */

/* 6.18.y in a guest that does not see its caches is the default; --set has the last word. */
static struct experiment *experiment_of(const struct trace_verify *verify, int nr_threads, struct error *err)
{
	struct arena *arena = verify->arena;
	struct yaml_node *root = overlay_create(arena);
	const struct yaml_setting settings[] = {
		{ "title", "trace verify" },
		{ "machine", verify->machine },
		{ "threads", arena_printf(arena, "%d", nr_threads) },
		{ "workload.name", "replay" },
		{ "workload.trace", verify->trace },
		{ "workload.zoneinfo", verify->zoneinfo },
		{ "pcp_high", "v6.16" },
		{ "pcp_free.name", "bulk" },
		{ "pcp_free.decay", "batched" },
		{ "kernel.page_alloc.cacheinfo", "false" },
		{ "run.replications", "1" },
		{ NULL, NULL },
	};

	root->pos.file = "trace verify";
	if (yaml_set_all(arena, root, settings, err))
		return NULL;
	return experiment_from_tree(arena, root, verify->sets, verify->nr_sets, err);
}

/* The run that verify stands for: --set may change anything in it but what is replayed, and on how many CPUs. */
static int configure(const struct trace_verify *verify, int nr_threads, struct run_config *config, struct error *err)
{
	const struct experiment *experiment = experiment_of(verify, nr_threads, err);

	if (!experiment || experiment_resolve(experiment, verify->arena, 0, 0, 0, NULL, config, err))
		return -1;
	if (strcmp(config->workload->name, "replay") != 0)
		return error_plain(err, "verify replays; the workload '%s' does not", config->workload->name);
	if (strcmp(((const struct replay_params *)config->workload_params)->trace, verify->trace) != 0)
		return error_plain(err, "verify replays the trace that it reads, '%s'", verify->trace);
	if (config->nr_threads != nr_threads)
		return error_plain(err, "verify has a thread for each CPU of the trace, %d", nr_threads);
	return 0;
}

static int simulate(const struct run_config *config, const struct comparison *comparison, struct error *err)
{
	struct replay_report report = {
		.bin_ns = comparison->bin_ns,
		.nr_bins = VERIFY_NR_BINS,
		.bins = comparison->simulated,
	};
	struct replay_params params = *(const struct replay_params *)config->workload_params;
	struct run_config reporting = *config;
	double metrics[NR_METRICS];

	params.report = &report;
	reporting.workload_params = &params;
	return run_execute(&reporting, 0, metrics, err);
}

/* ---- tables ---- */

static void print_pair(uint64_t recorded, uint64_t simulated)
{
	printf("  %9" PRIu64 "  %9" PRIu64, recorded, simulated);
	if (recorded)
		printf("  %+6.1f", 100.0 * ((double)simulated - (double)recorded) / (double)recorded);
	else
		printf("  %6s", "-");
}

static void print_row(const struct page_alloc_blocks *recorded, const struct page_alloc_blocks *simulated)
{
	print_pair(recorded->taken, simulated->taken);
	print_pair(recorded->drained, simulated->drained);
	putchar('\n');
}

static void print_title(const char *key)
{
	printf("\n%-6s  %28s  %28s\n", "", "blocks from buddy lists", "blocks drained to them");
	printf("%-6s  %9s  %9s  %6s  %9s  %9s  %6s\n", key, "recorded", "simulated", "off %", "recorded", "simulated",
	       "off %");
}

static void add(struct page_alloc_blocks *sum, const struct page_alloc_blocks *blocks)
{
	sum->taken += blocks->taken;
	sum->drained += blocks->drained;
}

/* Bins [0, nr_bins) of streams [first, end). */
static void sum_up(const struct comparison *comparison, int first, int end, int nr_bins,
		   struct page_alloc_blocks sums[2])
{
	memset(sums, 0, 2 * sizeof(*sums));
	for (int stream = first; stream < end; stream++) {
		for (int bin = 0; bin < nr_bins; bin++) {
			add(&sums[0], &comparison->recorded[stream * VERIFY_NR_BINS + bin]);
			add(&sums[1], &comparison->simulated[stream * VERIFY_NR_BINS + bin]);
		}
	}
}

static void print_heading(const struct trace_verify *verify, const struct run_config *config,
			  const struct replay_script *script)
{
	printf("%s on %s, pcp_high %s, pcp_free %s: %.3f s\n", verify->trace, config->machine.name,
	       config->policies[AXIS_PCP_HIGH].policy->name, config->policies[AXIS_PCP_FREE].policy->name,
	       (double)script->length_ns / NS_PER_S);
	if (script->nr_unseen_allocs + script->nr_unseen_frees)
		printf("%" PRIu64 " allocations and %" PRIu64 " frees fired no event\n", script->nr_unseen_allocs,
		       script->nr_unseen_frees);
}

static void print_comparison(const struct comparison *comparison)
{
	const struct replay_script *script = comparison->script;
	struct page_alloc_blocks sums[2];

	print_title("CPU");
	for (int i = 0; i < script->nr_streams; i++) {
		sum_up(comparison, i, i + 1, VERIFY_NR_BINS, sums);
		printf("%-6d", script->streams[i].cpu);
		print_row(&sums[0], &sums[1]);
	}
	sum_up(comparison, 0, script->nr_streams, VERIFY_NR_BINS, sums);
	printf("%-6s", "all");
	print_row(&sums[0], &sums[1]);
	print_title("up to");
	for (int bin = 0; bin < VERIFY_NR_BINS; bin++) {
		sum_up(comparison, 0, script->nr_streams, bin + 1, sums);
		printf("%5.2fs", (double)(comparison->bin_ns * (bin + 1)) / NS_PER_S);
		print_row(&sums[0], &sums[1]);
	}
}

static int usable(const struct trace_verify *verify, struct error *err)
{
	return !verify->zoneinfo || zoneinfo_load(verify->arena, verify->zoneinfo, err) ? 0 : -1;
}

int trace_verify(const struct trace_verify *verify)
{
	struct comparison comparison;
	struct run_config config;
	struct error err;
	size_t nr_bins;

	comparison.script = replay_script_load(verify->arena, verify->trace, 0, &err);
	if (!comparison.script || usable(verify, &err))
		return cli_fail(STATUS_USAGE, &err);
	nr_bins = (size_t)comparison.script->nr_streams * VERIFY_NR_BINS;
	comparison.bin_ns = comparison.script->length_ns / VERIFY_NR_BINS + 1;
	comparison.recorded = arena_calloc(verify->arena, nr_bins, sizeof(*comparison.recorded));
	comparison.simulated = arena_calloc(verify->arena, nr_bins, sizeof(*comparison.simulated));
	if (configure(verify, comparison.script->nr_streams, &config, &err) ||
	    count_recorded(verify, &comparison, &err))
		return cli_fail(STATUS_USAGE, &err);
	if (simulate(&config, &comparison, &err))
		return cli_fail(STATUS_FAILED, &err);
	print_heading(verify, &config, comparison.script);
	print_comparison(&comparison);
	if (verify->plot && trace_verify_plot(verify->arena, verify->trace, &comparison, verify->plot, &err) != 0)
		return cli_fail(STATUS_FAILED, &err);
	return STATUS_FINE;
}
