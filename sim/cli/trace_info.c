/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/trace_info.h"

#include "sim/trace/live_blocks.h"
#include "sim/util/text.h"

#include <inttypes.h>
#include <stdbool.h>

#define NS_PER_S INT64_C(1000000000)
#define BAR_COLUMNS 50

const struct trace_column trace_columns[NR_TRACE_COLUMNS] = {
	{ TRACE_PAGE_ALLOC, "allocated" },
	{ TRACE_PAGE_FREE, "freed" },
	{ TRACE_PAGE_ALLOC_ZONE_LOCKED, "from buddy" },
	{ TRACE_PAGE_PCPU_DRAIN, "drained" },
};

/* include/linux/mmzone.h; the numbers above depend on the kernel's configuration. */
static const char *const migratetype_names[TRACE_MAX_MIGRATETYPE + 1] = { "unmovable", "movable", "reclaimable",
									  "highatomic" };

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

const char *trace_time_text(uint64_t ns, char *out)
{
	static const struct {
		uint64_t ns;
		const char *unit;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ns >= units[i].ns) {
			const double value = (double)ns / (double)units[i].ns;

			snprintf(out, TRACE_TIME_BYTES, "%.*f%s",
				 value < 10    ? 2
				 : value < 100 ? 1
					       : 0,
				 value, units[i].unit);
			return out;
		}
	}
	snprintf(out, TRACE_TIME_BYTES, "%" PRIu64 "ns", ns);
	return out;
}

static void print_skipped(FILE *out, const struct trace_skipped *skipped)
{
	const char *before = "skipped: ";

	for (int i = 1; i < NR_TRACE_SKIPS; i++) {
		if (!skipped->nr[i])
			continue;
		fprintf(out, "%s%" PRIu64 " %s", before, skipped->nr[i], trace_skip_texts[i]);
		before = ", ";
	}
	if (before[0] == ',')
		fputc('\n', out);
}

void trace_info_head(FILE *out, const char *path, const struct trace_summary *summary,
		     const struct trace_skipped *skipped)
{
	const int64_t span_ns = summary->last_ns - summary->first_ns;

	fprintf(out, "%s: %" PRIu64 " event%s of %d CPU%s in %" PRId64 ".%06" PRId64 " s\n", path, summary->nr_events,
		summary->nr_events == 1 ? "" : "s", summary->nr_cpus, summary->nr_cpus == 1 ? "" : "s",
		span_ns / NS_PER_S, span_ns % NS_PER_S / 1000);
	print_skipped(out, skipped);
	if (skipped->nr_lost_events)
		fprintf(out, "lost while recording: %" PRIu64 " events\n", skipped->nr_lost_events);
	if (summary->nr_back)
		fprintf(out, "out of order: %" PRIu64 " stamps, %" PRIu64 " of them on one CPU\n", summary->nr_back,
			summary->nr_back_on_cpu);
}

static void print_types(FILE *out, const struct trace_summary *summary)
{
	fprintf(out, "\n%-26s %10s %6s\n", "event", "number", "%");
	for (int type = 0; type < NR_TRACE_TYPES; type++) {
		if (summary->nr[type])
			fprintf(out, "%-26s %10" PRIu64 " %6.1f\n", trace_type_names[type], summary->nr[type],
				percent(summary->nr[type], summary->nr_events));
	}
	if (summary->nr[TRACE_PAGE_ALLOC_ZONE_LOCKED])
		fprintf(out, "%.1f %% of the blocks taken from the buddy lists were for a pcp list\n",
			percent(summary->nr_percpu_refill, summary->nr[TRACE_PAGE_ALLOC_ZONE_LOCKED]));
}

static void print_titles(FILE *out, const char *first, int width)
{
	fprintf(out, "\n%-*s", width, first);
	for (size_t i = 0; i < NR_TRACE_COLUMNS; i++)
		fprintf(out, " %10s", trace_columns[i].title);
}

/* The columns of one row. False, and nothing is printed, when all are 0. */
static bool print_columns(FILE *out, const char *first, int width, const uint64_t *nr)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < NR_TRACE_COLUMNS; i++)
		sum += nr[trace_columns[i].type];
	if (!sum)
		return false;
	fprintf(out, "%-*s", width, first);
	for (size_t i = 0; i < NR_TRACE_COLUMNS; i++)
		fprintf(out, " %10" PRIu64, nr[trace_columns[i].type]);
	return true;
}

static void print_cpus(FILE *out, const struct trace_summary *summary)
{
	char name[16];

	print_titles(out, "CPU", 12);
	fputc('\n', out);
	for (int cpu = 0; cpu < TRACE_MAX_CPUS; cpu++) {
		snprintf(name, sizeof(name), "%d", cpu);
		if (print_columns(out, name, 12, summary->cpus[cpu].nr))
			fputc('\n', out);
	}
}

static void print_migratetypes(FILE *out, const struct trace_summary *summary)
{
	print_titles(out, "migratetype", 12);
	fputc('\n', out);
	for (int i = 0; i <= TRACE_MAX_MIGRATETYPE; i++) {
		uint64_t nr[NR_TRACE_TYPES];
		char number[16];

		for (int type = 0; type < NR_TRACE_TYPES; type++)
			nr[type] = summary->nr_by_migratetype[type][i];
		snprintf(number, sizeof(number), "%d", i);
		if (print_columns(out, migratetype_names[i] ? migratetype_names[i] : number, 12, nr))
			fputc('\n', out);
	}
}

static void print_lifetimes(FILE *out, const struct histogram *lifetime_ns, uint64_t nr_elsewhere)
{
	static const double shares[] = { 0.5, 0.9, 0.99 };
	char text[TRACE_TIME_BYTES];

	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		fprintf(out, " %8s",
			lifetime_ns->nr ? trace_time_text(histogram_quantile(lifetime_ns, shares[i]), text) : "-");
	if (lifetime_ns->nr)
		fprintf(out, " %9.1f\n", percent(nr_elsewhere, lifetime_ns->nr));
	else
		fprintf(out, " %9s\n", "-");
}

static void print_orders(FILE *out, const struct trace_summary *summary)
{
	char name[16];

	print_titles(out, "order", 12);
	fprintf(out, " %8s %8s %8s %9s\n", "life p50", "p90", "p99", "elsewhere");
	for (int i = 0; i <= TRACE_MAX_ORDER; i++) {
		const struct trace_order *order = &summary->orders[i];

		snprintf(name, sizeof(name), "%d", i);
		if (print_columns(out, name, 12, order->nr))
			print_lifetimes(out, &order->lifetime_ns, order->nr_freed_elsewhere);
	}
	if (print_columns(out, "all", 12, summary->nr))
		print_lifetimes(out, &summary->lifetime_ns, summary->nr_freed_elsewhere);
	fprintf(out,
		"life: from allocation to free; elsewhere: %% of these blocks freed on another CPU\n"
		"%" PRIu64 " freed blocks were allocated before the trace, %zu live at its end, %" PRIu64
		" were allocated twice\n",
		summary->nr_unknown_frees, live_blocks_nr(summary->live), summary->nr_missed_frees);
}

/* A row of a drawn histogram. */
static void print_bar(FILE *out, const char *label, uint64_t nr, uint64_t sum)
{
	static const char bar[BAR_COLUMNS + 1] = "##################################################";
	const int columns_drawn = (int)((nr * BAR_COLUMNS + sum / 2) / sum);

	fprintf(out, "%-12s %10" PRIu64 " %6.1f%s%.*s\n", label, nr, percent(nr, sum), columns_drawn ? " " : "",
		columns_drawn, bar);
}

static void draw_lifetimes(FILE *out, const struct histogram *lifetime_ns)
{
	char edge[TRACE_TIME_BYTES], label[TRACE_TIME_BYTES + 8];
	uint64_t nr_below = 0;

	if (!lifetime_ns->nr)
		return;
	fprintf(out, "\n%-12s %10s %6s\n", "lifetime", "blocks", "%");
	for (int bits = TRACE_FIRST_EDGE_BITS; nr_below < lifetime_ns->nr && bits < HISTOGRAM_MAX_BITS;
	     bits += TRACE_EDGE_STEP_BITS) {
		const uint64_t nr = histogram_nr_below(lifetime_ns, UINT64_C(1) << bits);

		snprintf(label, sizeof(label), "%s %s", bits == TRACE_FIRST_EDGE_BITS ? "below" : "to",
			 trace_time_text(UINT64_C(1) << bits, edge));
		print_bar(out, label, nr - nr_below, lifetime_ns->nr);
		nr_below = nr;
	}
	if (nr_below < lifetime_ns->nr)
		print_bar(out, "longer", lifetime_ns->nr - nr_below, lifetime_ns->nr);
}

static void print_bursts(FILE *out, const struct trace_summary *summary)
{
	fprintf(out, "\n%-12s %10s %8s %6s %6s %6s %6s\n", "burst of", "bursts", "mean", "p50", "p90", "p99", "max");
	for (size_t i = 0; i < NR_TRACE_COLUMNS; i++) {
		const struct histogram *sizes = &summary->bursts[trace_columns[i].type];

		if (sizes->nr)
			fprintf(out, "%-12s %10" PRIu64 " %8.1f %6" PRIu64 " %6" PRIu64 " %6" PRIu64 " %6" PRIu64 "\n",
				trace_columns[i].title, sizes->nr, histogram_mean(sizes),
				histogram_quantile(sizes, 0.5), histogram_quantile(sizes, 0.9),
				histogram_quantile(sizes, 0.99), sizes->max);
	}
	fprintf(out,
		"blocks of one type in a row on a CPU, at most %d us from one to the next; of those from buddy and\n"
		"drained, each burst is about one hold of the zone lock\n",
		TRACE_BURST_GAP_NS / 1000);
}

void trace_info_tables(FILE *out, const struct trace_summary *summary)
{
	print_types(out, summary);
	print_cpus(out, summary);
	print_migratetypes(out, summary);
	print_orders(out, summary);
	draw_lifetimes(out, &summary->lifetime_ns);
	print_bursts(out, summary);
}

void trace_info_event_title(FILE *out)
{
	fprintf(out, "%16s %4s %-15s %7s  %-25s %12s %5s %11s %6s\n", "time (s)", "CPU", "task", "PID", "event", "pfn",
		"order", "migratetype", "refill");
}

/* A number, or "-" when it is below 0. */
static const char *number_or_dash(int number, char *out)
{
	snprintf(out, 16, "%d", number);
	return number < 0 ? "-" : out;
}

void trace_info_event(FILE *out, const struct trace_event *event)
{
	char pid[16], migratetype[16], refill[16], pfn[24];

	snprintf(pfn, sizeof(pfn), "0x%" PRIx64, event->pfn);
	fprintf(out, "%6" PRId64 ".%09" PRId64 " %4d %-15s %7s  %-25s %12s %5d %11s %6s\n", event->time_ns / NS_PER_S,
		event->time_ns % NS_PER_S, event->cpu, TEXT_SHOWN(event->comm), number_or_dash(event->pid, pid),
		trace_type_names[event->type], pfn, event->order, number_or_dash(event->migratetype, migratetype),
		number_or_dash(event->percpu_refill, refill));
}
