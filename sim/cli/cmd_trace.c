/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contend trace record|import|info|head|verify: recorded kernel traces, how they are made, from text to our own format, what
 * is in them, and whether the simulated kernel does the same. */
#include "sim/cli/cli.h"
#include "sim/cli/options.h"
#include "sim/cli/trace_info.h"
#include "sim/cli/trace_plot.h"
#include "sim/cli/trace_record.h"
#include "sim/cli/trace_verify.h"
#include "sim/trace/trace_binary.h"
#include "sim/trace/trace_reader.h"

#include <argp.h>
#include <limits.h>
#include <string.h>

enum action {
	ACTION_IMPORT,
	ACTION_INFO,
	ACTION_HEAD,
	ACTION_VERIFY,
	ACTION_RECORD,
};

static const char *const action_names[] = {
	[ACTION_IMPORT] = "import", [ACTION_INFO] = "info",	[ACTION_HEAD] = "head",
	[ACTION_VERIFY] = "verify", [ACTION_RECORD] = "record", NULL,
};

#define NR_HEAD_DEFAULT 10
#define MAX_BUFFER_MIB (1 << 20)
#define MACHINE_DEFAULT "zen5-vm-2cpu-near"

enum option_key {
	OPTION_SET = 0x100,
	OPTION_ZONEINFO,
	OPTION_MACHINE,
	OPTION_BUFFER,
	OPTION_EMPTY_LISTS,
	OPTION_PLOT,
};

struct arguments {
	struct arena *arena;
	enum action action;
	const char *file;
	const char *output;
	int nr_head; /* 0: not given */
	const char *zoneinfo, *machine; /* NULL: not given */
	char **command; /* of record; NULL-ended */
	int buffer_mib; /* 0: not given */
	bool empty_lists;
	const char *plot; /* of info and verify, a file; NULL: not given */
	const char **sets;
	int nr_sets;
};

static const struct argp_option options[] = {
	{ "output", 'o', "OUT", 0,
	  "import: the binary trace to write; record: the directory (default: " TRACE_RECORD_DIRECTORY ")", 0 },
	{ "buffer", OPTION_BUFFER, "MIB", 0,
	  "record: the kernel's buffer for each CPU, in MiB (default: 64, or less on a small machine)", 0 },
	{ "empty-lists", OPTION_EMPTY_LISTS, NULL, 0,
	  "record: first let the kernel drain its per-CPU page lists, some 10 s, through "
	  "vm.percpu_pagelist_high_fraction, which is put back",
	  0 },
	{ "number", 'n', "N", 0, "head: how many events (default: 10)", 0 },
	{ "plot", OPTION_PLOT, "FILE", 0,
	  "also draw into a .svg, .png or .pdf; info: lifetimes, bursts and orders; verify: blocks over time", 0 },
	{ "zoneinfo", OPTION_ZONEINFO, "FILE", 0, "verify: /proc/zoneinfo from just before the recording", 0 },
	{ "machine", OPTION_MACHINE, "M", 0, "verify: the machine, by name or path (default: " MACHINE_DEFAULT ")", 0 },
	{ "set", OPTION_SET, "KEY=VALUE", 0, "verify: override a value (repeatable); pcp_high is v6.16, pcp_free bulk",
	  0 },
	{ 0 },
};

static void check_arguments(const struct arguments *arguments, struct argp_state *state)
{
	const enum action action = arguments->action;

	if (!arguments->file && !arguments->command)
		argp_error(state, "say import, info, head or verify and then a trace, or record and then -- COMMAND");
	else if (action == ACTION_IMPORT && !arguments->output)
		argp_error(state, "say with -o where the binary trace goes");
	else if (action != ACTION_IMPORT && action != ACTION_RECORD && arguments->output)
		argp_error(state, "-o is for import and record; %s prints", action_names[action]);
	else if (action != ACTION_HEAD && arguments->nr_head)
		argp_error(state, "-n is for head");
	else if (action != ACTION_VERIFY && (arguments->zoneinfo || arguments->machine || arguments->nr_sets))
		argp_error(state, "--zoneinfo, --machine and --set are for verify");
	else if (action != ACTION_RECORD && (arguments->buffer_mib || arguments->empty_lists))
		argp_error(state, "--buffer and --empty-lists are for record");
	else if (action != ACTION_INFO && action != ACTION_VERIFY && arguments->plot)
		argp_error(state, "--plot is for info and verify");
	else if (action == ACTION_VERIFY && !strcmp(arguments->file, "-"))
		argp_error(state, "verify reads a trace more than once: import it first");
}

/* The action, then a trace or, with all that follows, a command. */
static void take_word(struct arguments *arguments, char *word, struct argp_state *state)
{
	if (state->arg_num == 0) {
		arguments->action = (enum action)options_choice(state, "action", word, action_names);
	} else if (arguments->action == ACTION_RECORD) {
		arguments->command = &state->argv[state->next - 1];
		state->next = state->argc;
	} else if (state->arg_num == 1) {
		arguments->file = word;
	} else {
		argp_error(state, "one trace at a time; '%s' is one too many", word);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'o':
		arguments->output = arg;
		return 0;
	case 'n':
		arguments->nr_head = options_number(state, "-n", arg, 1, INT_MAX);
		return 0;
	case OPTION_ZONEINFO:
		arguments->zoneinfo = arg;
		return 0;
	case OPTION_MACHINE:
		arguments->machine = arg;
		return 0;
	case OPTION_SET:
		options_append(arguments->arena, &arguments->sets, &arguments->nr_sets, arg);
		return 0;
	case OPTION_BUFFER:
		arguments->buffer_mib = options_number(state, "--buffer", arg, 1, MAX_BUFFER_MIB);
		return 0;
	case OPTION_PLOT:
		arguments->plot = arg;
		return 0;
	case OPTION_EMPTY_LISTS:
		arguments->empty_lists = true;
		return 0;
	case ARGP_KEY_ARG:
		take_word(arguments, arg, state);
		return 0;
	case ARGP_KEY_END:
		check_arguments(arguments, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* All events into the summary and, unless it is NULL, the writer. */
static int read_all(struct trace_reader *reader, struct trace_summary *summary, struct trace_writer *writer,
		    struct error *err)
{
	struct trace_event event;
	int found;

	while ((found = trace_reader_next(reader, &event, err)) == 1) {
		trace_summary_add(summary, &event);
		if (writer)
			trace_writer_put(writer, &event);
	}
	trace_summary_finish(summary);
	return found;
}

static int info(const struct arguments *arguments, struct trace_reader *reader)
{
	struct trace_summary *summary = trace_summary_create(arguments->arena);
	struct error err;

	if (read_all(reader, summary, NULL, &err) != 0)
		return cli_fail(STATUS_USAGE, &err);
	trace_info_head(stdout, arguments->file, summary, trace_reader_skipped(reader));
	if (summary->nr_events)
		trace_info_tables(stdout, summary);
	if (arguments->plot && trace_plot(arguments->arena, arguments->file, summary, arguments->plot, &err) != 0)
		return cli_fail(STATUS_FAILED, &err);
	return STATUS_FINE;
}

static int head(const struct arguments *arguments, struct trace_reader *reader)
{
	const int nr = arguments->nr_head ? arguments->nr_head : NR_HEAD_DEFAULT;
	struct trace_event event;
	struct error err;
	int found = 1;

	for (int i = 0; i < nr && (found = trace_reader_next(reader, &event, &err)) == 1; i++) {
		if (i == 0)
			trace_info_event_title(stdout);
		trace_info_event(stdout, &event);
	}
	return found < 0 ? cli_fail(STATUS_USAGE, &err) : STATUS_FINE;
}

static int import_events(const struct arguments *arguments, struct trace_reader *reader, struct trace_writer *writer)
{
	struct trace_summary *summary = trace_summary_create(arguments->arena);
	struct error err;

	if (read_all(reader, summary, writer, &err) != 0) {
		trace_writer_abort(writer);
		return cli_fail(STATUS_USAGE, &err);
	}
	if (!summary->nr_events) {
		trace_writer_abort(writer);
		trace_info_head(stderr, arguments->file, summary, trace_reader_skipped(reader));
		error_plain(&err,
			    "'%s' has no event of a page: record kmem:mm_page_alloc, mm_page_free, mm_page_pcpu_drain "
			    "and mm_page_alloc_zone_locked",
			    arguments->file);
		return cli_fail(STATUS_USAGE, &err);
	}
	if (trace_writer_commit(writer, trace_reader_skipped(reader), &err) != 0)
		return cli_fail(STATUS_FAILED, &err);
	trace_info_head(stdout, arguments->output, summary, trace_reader_skipped(reader));
	return STATUS_FINE;
}

static int import(const struct arguments *arguments, struct trace_reader *reader)
{
	struct error err;
	struct trace_writer *writer = trace_writer_open(arguments->output, &err);

	return writer ? import_events(arguments, reader, writer) : cli_fail(STATUS_FAILED, &err);
}

static int verify(const struct arguments *arguments)
{
	const struct trace_verify request = {
		.arena = arguments->arena,
		.trace = arguments->file,
		.zoneinfo = arguments->zoneinfo,
		.machine = arguments->machine ? arguments->machine : MACHINE_DEFAULT,
		.sets = arguments->sets,
		.nr_sets = arguments->nr_sets,
		.plot = arguments->plot,
	};

	return trace_verify(&request);
}

static int record(const struct arguments *arguments)
{
	const struct trace_record request = {
		.arena = arguments->arena,
		.directory = arguments->output ? arguments->output : TRACE_RECORD_DIRECTORY,
		.command = arguments->command,
		.buffer_mib = arguments->buffer_mib,
		.empty_lists = arguments->empty_lists,
	};

	return trace_record(&request);
}

static int trace(const struct arguments *arguments)
{
	static int (*const actions[])(const struct arguments *, struct trace_reader *) = {
		[ACTION_IMPORT] = import,
		[ACTION_INFO] = info,
		[ACTION_HEAD] = head,
	};
	struct error err;
	struct trace_reader *reader;
	int status;

	if (arguments->action == ACTION_VERIFY)
		return verify(arguments);
	if (arguments->action == ACTION_RECORD)
		return record(arguments);
	reader = trace_reader_open(arguments->arena, arguments->file, &err);
	if (!reader)
		return cli_fail(STATUS_USAGE, &err);
	status = actions[arguments->action](arguments, reader);
	trace_reader_close(reader);
	return status;
}

int cmd_trace(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "import|info|head|verify TRACE\nrecord -- COMMAND",
		.doc = "record: run a command and record the page events of the whole machine meanwhile, with "
		       "/proc/zoneinfo before and after (as root). import: read a recorded trace of kmem events and "
		       "write it as a binary trace, which is smaller and read faster. info: what is in a trace: events "
		       "by type, CPU, order and migratetype, lifetimes, bursts. head: its first events. verify: replay "
		       "it, and hold the blocks that the simulated kernel moves under its zone locks against what was "
		       "recorded. TRACE is the text of `perf script`, of ftrace's `trace` or `trace_pipe` or of "
		       "`trace-cmd report`, a trace.dat of `trace-cmd record`, or a binary trace, plain or compressed "
		       "by gzip, xz or zstd; - is standard input.\v"
		       "Example: contend trace record -o build -- make -j4\n"
		       "         contend trace import build.perf-script.txt.xz -o build.ctr",
	};
	struct arguments arguments = { .arena = arena_create() };
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	status = trace(&arguments);
	arena_destroy(arguments.arena);
	return status;
}
