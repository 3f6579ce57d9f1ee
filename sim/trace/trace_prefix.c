/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sources: kernel/trace/trace_output.c (trace_print_context), tools/perf/builtin-script.c (perf_sample__fprintf_start),
 * trace-cmd's trace-read.c.
 */
#include "sim/trace/trace_prefix.h"

#include "sim/trace/trace_event.h"
#include "sim/trace/trace_scan.h"

#define NS_PER_S INT64_C(1000000000)
#define MAX_SECONDS (INT64_MAX / NS_PER_S - 1)
#define MAX_COMM (TRACE_COMM_BYTES - 1)
#define MAX_FLAGS_BYTES 8 /* ftrace prints 4 or 5 */
#define MAX_TGID_BYTES 16 /* "(   1234)" */
#define AFTER_COMM_BYTES 48 /* dash, PID/TID, TGID and padding between the name and [CPU] */

/* "SECONDS.FRACTION:" with up to nine digits of fraction. Returns the byte behind the colon, NULL when it is none. */
static const char *parse_time(const char *at, const char *end, int64_t *time_ns)
{
	static const int64_t scale_ns[] = { 0, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1 };
	uint64_t seconds, fraction;
	const char *dot = scan_decimal(at, end, 10, &seconds);
	const char *colon;

	if (dot == at || dot == end || *dot != '.' || seconds > (uint64_t)MAX_SECONDS)
		return NULL;
	colon = scan_decimal(dot + 1, end, 9, &fraction);
	if (colon == dot + 1 || colon == end || *colon != ':')
		return NULL;
	*time_ns = (int64_t)seconds * NS_PER_S + (int64_t)fraction * scale_ns[colon - dot - 1];
	return colon + 1;
}

/* From "[CPU]" at `open` to the time, over ftrace's flags if they are there. */
static bool parse_cpu_and_time(const char *open, const char *end, struct trace_prefix *prefix)
{
	uint64_t cpu;
	const char *at = scan_decimal(open + 1, end, 5, &cpu);
	const char *flags_end;

	if (at == open + 1 || at == end || *at != ']')
		return false;
	prefix->cpu = (unsigned)cpu;
	at = scan_blanks(at + 1, end);
	prefix->rest = parse_time(at, end, &prefix->time_ns);
	if (prefix->rest)
		return true;
	flags_end = scan_word(at, end - at > MAX_FLAGS_BYTES ? at + MAX_FLAGS_BYTES : end);
	if (flags_end == end || !scan_is_blank(*flags_end))
		return false;
	prefix->rest = parse_time(scan_blanks(flags_end, end), end, &prefix->time_ns);
	return prefix->rest != NULL;
}

/* Backwards over "(TGID)" and blanks, which end at `at`. */
static const char *before_tgid(const char *start, const char *at)
{
	const char *open = at;

	if (at == start || at[-1] != ')')
		return at;
	while (open > start && at - open < MAX_TGID_BYTES && *open != '(')
		open--;
	if (*open != '(')
		return at;
	while (open > start && scan_is_blank(open[-1]))
		open--;
	return open;
}

/* Task name and number, read backwards from "[CPU]" at `open`; either may be absent. */
static void parse_task(const char *start, const char *open, struct trace_prefix *prefix)
{
	const char *at = open;
	const char *digits;
	uint64_t pid = 0;

	while (at > start && scan_is_blank(at[-1]))
		at--;
	at = before_tgid(start, at);
	digits = scan_before_digits(start, at);
	prefix->pid = -1;
	if (digits < at && scan_decimal(digits, at, 10, &pid) == at && pid <= INT32_MAX)
		prefix->pid = (int32_t)pid;
	if (digits - start >= 2 && digits[-1] == '/' && scan_is_digit(digits[-2]))
		digits = scan_before_digits(start, digits - 1);
	if (digits > start && digits < at && digits[-1] == '-')
		digits--; /* ftrace: the name ends here, be it in blanks */
	else
		while (digits > start && scan_is_blank(digits[-1]))
			digits--;
	prefix->comm = start;
	prefix->comm_bytes = (size_t)(digits - start);
}

bool trace_prefix_find(const char *start, const char *end, struct trace_prefix *prefix)
{
	const char *limit = end;
	bool found = false;

	for (const char *open = memchr(start, '[', (size_t)(end - start)); open;
	     open = memchr(open + 1, '[', (size_t)(limit - open - 1))) {
		struct trace_prefix candidate;

		if (!parse_cpu_and_time(open, end, &candidate))
			continue;
		parse_task(start, open, &candidate);
		if (found && candidate.comm_bytes > MAX_COMM)
			break;
		*prefix = candidate;
		found = true;
		if (limit - start > MAX_COMM + AFTER_COMM_BYTES)
			limit = start + MAX_COMM + AFTER_COMM_BYTES;
		if (open + 1 >= limit)
			break;
	}
	return found;
}
