/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines of perf script and ftrace, by hand: this is most of the time of an import.
 *
 *	line start -"[CPU]" and time found-> name -one of ours-> words -all keys that the event has-> event
 *
 * Sources: include/trace/events/kmem.h, kernel/trace/trace_output.c (trace_print_context, "[LOST n EVENTS]"),
 * tools/perf/builtin-script.c (perf_sample__fprintf_start), trace-cmd's trace-read.c.
 */
#include "sim/trace/trace_text.h"

#include "sim/trace/trace_prefix.h"
#include "sim/trace/trace_scan.h"

#include <string.h>

#define MAX_COMM (TRACE_COMM_BYTES - 1)

/* Keys that an event can have, as bits. */
enum key {
	KEY_PFN = 1,
	KEY_ORDER = 2,
	KEY_MIGRATETYPE = 4,
	KEY_REFILL = 8,
};

/* Keys by type: those that a line of the type has, and those without which it is of no use. */
static const struct wanted {
	unsigned has, needs;
} wanted[NR_TRACE_TYPES] = {
	[TRACE_PAGE_ALLOC] = { KEY_PFN | KEY_ORDER | KEY_MIGRATETYPE, KEY_PFN | KEY_ORDER },
	[TRACE_PAGE_FREE] = { KEY_PFN | KEY_ORDER, KEY_PFN | KEY_ORDER },
	[TRACE_PAGE_FREE_BATCHED] = { KEY_PFN | KEY_ORDER, KEY_PFN },
	[TRACE_PAGE_ALLOC_ZONE_LOCKED] = { KEY_PFN | KEY_ORDER | KEY_MIGRATETYPE | KEY_REFILL, KEY_PFN | KEY_ORDER },
	[TRACE_PAGE_PCPU_DRAIN] = { KEY_PFN | KEY_ORDER | KEY_MIGRATETYPE, KEY_PFN | KEY_ORDER },
	[TRACE_PAGE_ALLOC_EXTFRAG] = { KEY_PFN | KEY_ORDER | KEY_MIGRATETYPE, KEY_PFN | KEY_ORDER },
	[TRACE_VMSTAT_UPDATE] = { 0 }, /* see parse_work() */
};

static int hex_digit(char c)
{
	if (scan_is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static const char *parse_hex(const char *at, const char *end, uint64_t *out)
{
	const char *digit = at;
	uint64_t value = 0;
	int worth;

	for (; digit < end && (worth = hex_digit(*digit)) >= 0; digit++) {
		if (digit - at == 16)
			return at;
		value = value << 4 | (uint64_t)worth;
	}
	*out = value;
	return digit;
}

/* The type of an event by its name, without system and colon, or NR_TRACE_TYPES. */
static enum trace_type find_type(const char *name, size_t bytes)
{
	static const size_t name_bytes[NR_TRACE_TYPES] = {
		[TRACE_PAGE_ALLOC] = sizeof("mm_page_alloc") - 1,
		[TRACE_PAGE_FREE] = sizeof("mm_page_free") - 1,
		[TRACE_PAGE_FREE_BATCHED] = sizeof("mm_page_free_batched") - 1,
		[TRACE_PAGE_ALLOC_ZONE_LOCKED] = sizeof("mm_page_alloc_zone_locked") - 1,
		[TRACE_PAGE_PCPU_DRAIN] = sizeof("mm_page_pcpu_drain") - 1,
		[TRACE_PAGE_ALLOC_EXTFRAG] = sizeof("mm_page_alloc_extfrag") - 1,
		[TRACE_VMSTAT_UPDATE] = sizeof("workqueue_execute_start") - 1,
	};
	int type = 0;

	while (type < NR_TRACE_TYPES && (name_bytes[type] != bytes || memcmp(trace_type_names[type], name, bytes) != 0))
		type++;
	return (enum trace_type)type;
}

/* The key that a word starts with, or 0; *value is behind its '='. What an extfrag event was asked for starts with alloc_. */
static unsigned find_key(const char *word, const char *end, enum trace_type type, const char **value)
{
	static const struct {
		const char *text;
		size_t bytes;
		unsigned key;
	} keys[] = {
		{ "pfn=", 4, KEY_PFN },
		{ "order=", 6, KEY_ORDER },
		{ "migratetype=", 12, KEY_MIGRATETYPE },
		{ "percpu_refill=", 14, KEY_REFILL },
	};

	if (type == TRACE_PAGE_ALLOC_EXTFRAG && SCAN_BEGINS(word, end, "alloc_"))
		word += sizeof("alloc_") - 1;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (scan_begins(word, end, keys[i].text, keys[i].bytes)) {
			*value = word + keys[i].bytes;
			return keys[i].key;
		}
	}
	return 0;
}

/* A whole word as a number. Returns its end, NULL when it is none. */
static const char *parse_value(const char *at, const char *end, uint64_t *out)
{
	const char *digits = SCAN_BEGINS(at, end, "0x") ? at + 2 : at;
	const char *stop = digits > at ? parse_hex(digits, end, out) : scan_decimal(digits, end, 19, out);

	return stop > digits && (stop == end || scan_is_blank(*stop)) ? stop : NULL;
}

static bool set_field(struct trace_event *event, unsigned key, uint64_t value)
{
	switch (key) {
	case KEY_PFN:
		event->pfn = value;
		return value <= TRACE_MAX_PFN;
	case KEY_ORDER:
		event->order = (uint8_t)value;
		return value <= TRACE_MAX_ORDER;
	case KEY_MIGRATETYPE:
		event->migratetype = (int8_t)value;
		return value <= TRACE_MAX_MIGRATETYPE;
	default:
		event->percpu_refill = (int8_t)value;
		return value <= 1;
	}
}

/* The key=value words. */
static enum trace_skip parse_words(const char *at, const char *end, bool complete, struct trace_event *event)
{
	const struct wanted *keys = &wanted[event->type];
	unsigned found = 0;

	while ((found & keys->has) != keys->has) {
		const char *value, *word_end;
		uint64_t number;
		unsigned key;

		at = scan_blanks(at, end);
		if (at == end)
			break;
		key = find_key(at, end, (enum trace_type)event->type, &value) & keys->has;
		word_end = key ? parse_value(value, end, &number) : NULL;
		at = word_end ? word_end : scan_word(at, end);
		if (!complete && at == end)
			return TRACE_SKIP_CUT;
		if (!key || found & key)
			continue;
		if (!word_end || !set_field(event, key, number))
			return TRACE_SKIP_MALFORMED;
		found |= key;
	}
	if ((found & keys->needs) == keys->needs)
		return complete || (found & keys->has) == keys->has ? TRACE_SKIP_NONE : TRACE_SKIP_CUT;
	return complete ? TRACE_SKIP_MALFORMED : TRACE_SKIP_CUT;
}

/* "work struct 0xffff...: function vmstat_update [module]". */
static enum trace_skip parse_work(const char *at, const char *end, bool complete)
{
	static const char key[] = "function ";
	const char *function = memmem(at, (size_t)(end - at), key, sizeof(key) - 1);
	const char *name_end;

	if (!function)
		return complete ? TRACE_SKIP_OTHER_EVENT : TRACE_SKIP_CUT;
	function += sizeof(key) - 1;
	name_end = scan_word(function, end);
	if (!complete && name_end == end)
		return TRACE_SKIP_CUT;
	return name_end - function == sizeof("vmstat_update") - 1 && SCAN_BEGINS(function, end, "vmstat_update")
		       ? TRACE_SKIP_NONE
		       : TRACE_SKIP_OTHER_EVENT;
}

/* "CPU:1 [LOST 123 EVENTS]", "CPU:1 [LOST EVENTS]", trace-cmd's "CPU:1 [123 EVENTS DROPPED]". */
static bool is_lost_mark(const char *at, const char *end, uint64_t *nr_lost)
{
	const char *open;

	if (!SCAN_BEGINS(at, end, "CPU:"))
		return false;
	open = memchr(at, '[', (size_t)(end - at));
	if (!open || end - open < (ptrdiff_t)sizeof("[EVENTS]") || !memmem(open, (size_t)(end - open), "EVENTS", 6))
		return false;
	at = open + 1;
	if (SCAN_BEGINS(at, end, "LOST "))
		at += sizeof("LOST ") - 1;
	scan_decimal(at, end, 19, nr_lost);
	return true;
}

/* What is not an event's line at all. */
static enum trace_skip classify_rest(const char *at, const char *end, bool complete, uint64_t *nr_lost)
{
	if (at == end || *at == '#' || SCAN_BEGINS(at, end, "cpus=") ||
	    (SCAN_BEGINS(at, end, "CPU ") && memmem(at, (size_t)(end - at), " is empty", 9)))
		return TRACE_SKIP_HEADING;
	if (is_lost_mark(at, end, nr_lost))
		return TRACE_SKIP_LOST;
	return complete ? TRACE_SKIP_NO_EVENT : TRACE_SKIP_CUT;
}

/* perf script --show-lost-events: "PERF_RECORD_LOST lost 123". */
static bool is_perf_lost(const char *at, const char *end, uint64_t *nr_lost)
{
	if (!SCAN_BEGINS(at, end, "PERF_RECORD_LOST"))
		return false;
	at = scan_blanks(scan_word(at, end), end);
	if (SCAN_BEGINS(at, end, "lost "))
		scan_decimal(scan_blanks(at + 5, end), end, 19, nr_lost);
	return true;
}

static void fill_event(const struct trace_prefix *prefix, enum trace_type type, struct trace_event *event)
{
	const size_t bytes = prefix->comm_bytes < MAX_COMM ? prefix->comm_bytes : MAX_COMM;
	const char *end = memchr(prefix->comm, '\0', bytes);

	*event = (struct trace_event){
		.time_ns = prefix->time_ns,
		.pid = prefix->pid,
		.cpu = (uint16_t)prefix->cpu,
		.type = (uint8_t)type,
		.migratetype = -1,
		.percpu_refill = -1,
	};
	memcpy(event->comm, prefix->comm, end ? (size_t)(end - prefix->comm) : bytes);
}

/* From the event's name on. */
static enum trace_skip parse_event(const struct trace_prefix *prefix, const struct trace_line *line, const char *end,
				   struct trace_event *event)
{
	const char *name = scan_blanks(prefix->rest, end);
	const char *name_end = scan_word(name, end);
	const char *colon;
	enum trace_type type;
	enum trace_skip skip;

	if (name < end && scan_before_digits(name, name_end) == name) { /* perf -F period: a number before the name */
		name = scan_blanks(name_end, end);
		name_end = scan_word(name, end);
	}
	if (!line->complete && name_end == end)
		return TRACE_SKIP_CUT;
	if (name == name_end || name_end[-1] != ':')
		return TRACE_SKIP_OTHER_EVENT;
	colon = memchr(name, ':', (size_t)(name_end - 1 - name));
	if (colon)
		name = colon + 1;
	type = find_type(name, (size_t)(name_end - 1 - name));
	if (type == NR_TRACE_TYPES)
		return TRACE_SKIP_OTHER_EVENT;
	if (prefix->cpu >= TRACE_MAX_CPUS)
		return TRACE_SKIP_MALFORMED;
	fill_event(prefix, type, event);
	skip = type == TRACE_VMSTAT_UPDATE ? parse_work(name_end, end, line->complete)
					   : parse_words(name_end, end, line->complete, event);
	if (skip == TRACE_SKIP_NONE && type == TRACE_PAGE_ALLOC && event->pfn == 0)
		return TRACE_SKIP_FAILED_ALLOC;
	return skip;
}

enum trace_skip trace_text_parse(const struct trace_line *line, struct trace_event *event, uint64_t *nr_lost)
{
	const char *end = line->text + line->bytes;
	const char *start;
	struct trace_prefix prefix = { 0 };

	while (end > line->text && (end[-1] == '\r' || scan_is_blank(end[-1])))
		end--;
	start = scan_blanks(line->text, end);
	*nr_lost = 0;
	if (start == end || *start == '#' || !trace_prefix_find(start, end, &prefix))
		return classify_rest(start, end, line->complete, nr_lost);
	if (is_perf_lost(scan_blanks(prefix.rest, end), end, nr_lost))
		return TRACE_SKIP_LOST;
	return parse_event(&prefix, line, end, event);
}
