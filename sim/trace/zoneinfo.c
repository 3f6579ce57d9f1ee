/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Line by line:
 *
 *	outside -"Node N, zone NAME"-> node statistics -"pages free V"-> zone -"pagesets"-> pagesets -"cpu: N"-> pageset
 *	        anywhere: "Node N, zone NAME" begins the next zone; keys that are not known are passed over
 */
#include "sim/trace/zoneinfo.h"

#include "sim/trace/trace_event.h"
#include "sim/trace/trace_file.h"
#include "sim/trace/trace_scan.h"
#include "sim/util/text.h"

#define MAX_FILE_BYTES ((size_t)64 << 20)
#define MAX_NODES 1024 /* the kernel's MAX_NUMNODES */

enum section {
	SECTION_NODE,
	SECTION_ZONE,
	SECTION_PAGESETS,
};

struct parser {
	struct arena *arena;
	struct zoneinfo *zoneinfo;
	struct zoneinfo_zone *zone; /* the one that is being read, the last of zoneinfo->zones */
	struct zoneinfo_pageset *pageset; /* likewise */
	enum section section;
	int max_zones, max_pagesets;
	const char *line;
	struct source_pos pos;
};

/* A key and where its value goes. */
struct field {
	const char *key;
	size_t offset;
};

static const struct field zone_fields[] = {
	{ "min", offsetof(struct zoneinfo_zone, watermark_min_pages) },
	{ "low", offsetof(struct zoneinfo_zone, watermark_low_pages) },
	{ "high", offsetof(struct zoneinfo_zone, watermark_high_pages) },
	{ "spanned", offsetof(struct zoneinfo_zone, spanned_pages) },
	{ "present", offsetof(struct zoneinfo_zone, present_pages) },
	{ "managed", offsetof(struct zoneinfo_zone, managed_pages) },
	{ NULL, 0 },
};

static const struct field pageset_fields[] = {
	{ "count", offsetof(struct zoneinfo_pageset, count) },
	{ "high", offsetof(struct zoneinfo_pageset, high) },
	{ "batch", offsetof(struct zoneinfo_pageset, batch) },
	{ "high_min", offsetof(struct zoneinfo_pageset, high_min) },
	{ "high_max", offsetof(struct zoneinfo_pageset, high_max) },
	{ NULL, 0 },
};

/* After the pagesets, "start_pfn:  V" is the zone's again. */
static const struct field tail_fields[] = {
	{ "start_pfn", offsetof(struct zoneinfo_zone, start_pfn) },
	{ NULL, 0 },
};

static struct source_pos at_column(const struct parser *parser, const char *at)
{
	struct source_pos pos = parser->pos;

	pos.column = (int)(at - parser->line) + 1;
	return pos;
}

/* A number that ends its word: a negative count, which a race of the statistics can print, is 0. */
static int parse_number(const struct parser *parser, const char *at, const char *end, const char *what, int64_t *out,
			struct error *err)
{
	const bool negative = at < end && *at == '-';
	const char *digits = at + negative;
	uint64_t value;
	const char *stop = scan_decimal(digits, end, 18, &value);

	if (stop == digits || (stop < end && !scan_is_blank(*stop)))
		return error_set(err, at_column(parser, at), "'%s' needs a whole number", TEXT_SHOWN(what));
	*out = negative ? 0 : (int64_t)value;
	return 0;
}

/* "KEY V", "KEY: V": store V if the key is one of the fields. Returns 1 when it was, 0 when not, -1 on failure. */
static int take_field(const struct parser *parser, const char *at, const char *end, const struct field *fields,
		      void *object, struct error *err)
{
	const char *key_end = at;
	const char *value;

	while (key_end < end && !scan_is_blank(*key_end) && *key_end != ':')
		key_end++;
	value = scan_blanks(key_end < end && *key_end == ':' ? key_end + 1 : key_end, end);
	for (; fields->key; fields++) {
		int64_t *out = (int64_t *)(void *)((char *)object + fields->offset);

		if (strlen(fields->key) != (size_t)(key_end - at) || memcmp(fields->key, at, strlen(fields->key)) != 0)
			continue;
		if (*out != ZONEINFO_ABSENT)
			return error_set(err, at_column(parser, at), "'%s' twice", fields->key);
		return parse_number(parser, value, end, fields->key, out, err) ? -1 : 1;
	}
	return 0;
}

static int check_new_zone(const struct parser *parser, const struct zoneinfo_zone *zone, struct error *err)
{
	if (zone->node >= MAX_NODES)
		return error_set(err, at_column(parser, parser->line), "node %d is not below %d", zone->node,
				 MAX_NODES);
	if (zoneinfo_find(parser->zoneinfo, zone->node, zone->name))
		return error_set(err, at_column(parser, parser->line),
				 "node %d has a zone '%s' already: is this "
				 "more than one /proc/zoneinfo?",
				 zone->node, TEXT_SHOWN(zone->name));
	return 0;
}

/* "Node N, zone     NAME" */
static int begin_zone(struct parser *parser, const char *end, struct error *err)
{
	struct zoneinfo_zone zone = { 0 };
	const char *at = scan_blanks(parser->line + 4, end);
	uint64_t node = 0;
	const char *comma = scan_decimal(at, end, 9, &node);
	const char *word = comma < end ? scan_blanks(comma + 1, end) : end;
	const char *name = scan_blanks(scan_word(word, end), end);
	const char *name_end = scan_word(name, end);

	if (comma == at || comma == end || *comma != ',' || scan_word(word, end) - word != 4 ||
	    !SCAN_BEGINS(word, end, "zone") || name == name_end)
		return error_set(err, at_column(parser, parser->line), "this needs to be 'Node N, zone NAME'");
	zone = (struct zoneinfo_zone){
		.node = (int)node,
		.name = arena_strndup(parser->arena, name, (size_t)(name_end - name)),
		.free_pages = ZONEINFO_ABSENT,
		.managed_pages = ZONEINFO_ABSENT,
		.present_pages = ZONEINFO_ABSENT,
		.spanned_pages = ZONEINFO_ABSENT,
		.watermark_min_pages = ZONEINFO_ABSENT,
		.watermark_low_pages = ZONEINFO_ABSENT,
		.watermark_high_pages = ZONEINFO_ABSENT,
		.start_pfn = ZONEINFO_ABSENT,
	};
	if (check_new_zone(parser, &zone, err) != 0)
		return -1;
	parser->zoneinfo->zones = arena_grow(parser->arena, parser->zoneinfo->zones, parser->zoneinfo->nr_zones,
					     &parser->max_zones, sizeof(zone));
	parser->zone = &parser->zoneinfo->zones[parser->zoneinfo->nr_zones++];
	*parser->zone = zone;
	parser->pageset = NULL;
	parser->max_pagesets = 0;
	parser->section = SECTION_NODE;
	return 0;
}

/* "cpu: N" */
static int begin_pageset(struct parser *parser, const char *at, const char *end, struct error *err)
{
	struct zoneinfo_zone *zone = parser->zone;
	int64_t cpu;

	at = scan_blanks(at, end);
	if (parse_number(parser, at, end, "cpu", &cpu, err) != 0)
		return -1;
	if (cpu >= TRACE_MAX_CPUS)
		return error_set(err, at_column(parser, at), "CPU %lld is not below %d", (long long)cpu,
				 TRACE_MAX_CPUS);
	if (zone->nr_pagesets > 0 && zone->pagesets[zone->nr_pagesets - 1].cpu >= cpu)
		return error_set(err, at_column(parser, at), "CPU %lld after CPU %d: their numbers need to rise",
				 (long long)cpu, zone->pagesets[zone->nr_pagesets - 1].cpu);
	zone->pagesets = arena_grow(parser->arena, zone->pagesets, zone->nr_pagesets, &parser->max_pagesets,
				    sizeof(*zone->pagesets));
	parser->pageset = &zone->pagesets[zone->nr_pagesets++];
	*parser->pageset = (struct zoneinfo_pageset){
		.cpu = (int)cpu,
		.count = ZONEINFO_ABSENT,
		.high = ZONEINFO_ABSENT,
		.batch = ZONEINFO_ABSENT,
		.high_min = ZONEINFO_ABSENT,
		.high_max = ZONEINFO_ABSENT,
	};
	return 0;
}

/* "pages free     V" */
static int begin_pages(struct parser *parser, const char *at, const char *end, struct error *err)
{
	if (parser->zone->free_pages != ZONEINFO_ABSENT)
		return error_set(err, at_column(parser, at), "'pages free' twice");
	parser->section = SECTION_ZONE;
	at = scan_blanks(at + sizeof("pages free") - 1, end);
	return parse_number(parser, at, end, "pages free", &parser->zone->free_pages, err);
}

static int parse_pagesets_line(struct parser *parser, const char *at, const char *end, struct error *err)
{
	int taken;

	if (SCAN_BEGINS(at, end, "cpu:"))
		return begin_pageset(parser, at + 4, end, err);
	taken = take_field(parser, at, end, tail_fields, parser->zone, err);
	if (taken == 0 && parser->pageset)
		taken = take_field(parser, at, end, pageset_fields, parser->pageset, err);
	return taken < 0 ? -1 : 0;
}

static int parse_line(struct parser *parser, const char *end, struct error *err)
{
	const char *at = scan_blanks(parser->line, end);

	if (SCAN_BEGINS(parser->line, end, "Node"))
		return begin_zone(parser, end, err);
	if (!parser->zone)
		return at == end ? 0
				 : error_set(err, at_column(parser, at),
					     "this is no /proc/zoneinfo: it has to "
					     "begin with 'Node N, zone NAME'");
	if (SCAN_BEGINS(at, end, "pages free"))
		return begin_pages(parser, at, end, err);
	if (SCAN_BEGINS(at, end, "pagesets"))
		parser->section = SECTION_PAGESETS;
	else if (parser->section == SECTION_PAGESETS)
		return parse_pagesets_line(parser, at, end, err);
	else if (parser->section == SECTION_ZONE)
		return take_field(parser, at, end, zone_fields, parser->zone, err) < 0 ||
				       take_field(parser, at, end, tail_fields, parser->zone, err) < 0
			       ? -1
			       : 0;
	return 0;
}

struct zoneinfo *zoneinfo_parse(struct arena *arena, const char *path, const char *text, size_t bytes,
				struct error *err)
{
	struct parser parser = { .arena = arena, .pos = { .file = path } };
	const char *end = text + bytes;

	parser.zoneinfo = arena_alloc(arena, sizeof(*parser.zoneinfo));
	for (parser.line = text; parser.line < end;) {
		const char *stop = memchr(parser.line, '\n', (size_t)(end - parser.line));
		const char *next = stop ? stop + 1 : end;

		if (!stop)
			stop = end;
		if (stop > parser.line && stop[-1] == '\r')
			stop--;
		parser.pos.line++;
		if (parse_line(&parser, stop, err) != 0)
			return NULL;
		parser.line = next;
	}
	if (!parser.zone) {
		error_set(err, parser.pos, "this is no /proc/zoneinfo: it has no zone");
		return NULL;
	}
	return parser.zoneinfo;
}

/* All of a file's bytes. */
static char *read_all(struct arena *arena, struct trace_file *file, size_t *bytes, struct error *err)
{
	size_t max_bytes = TRACE_FILE_WINDOW_BYTES;
	char *text = arena_alloc(arena, max_bytes);
	const char *piece;
	size_t nr;

	for (*bytes = 0; trace_file_peek(file, 1, &piece, &nr, err) == 0; *bytes += nr) {
		if (nr == 0)
			return text;
		if (*bytes + nr > MAX_FILE_BYTES) {
			error_set(err, (struct source_pos){ .file = trace_file_path(file) }, "the file is too large");
			return NULL;
		}
		if (*bytes + nr > max_bytes) {
			char *larger = arena_alloc(arena, 2 * max_bytes);

			memcpy(larger, text, *bytes);
			text = larger;
			max_bytes *= 2;
		}
		memcpy(text + *bytes, piece, nr);
		trace_file_skip(file, nr);
	}
	return NULL;
}

struct zoneinfo *zoneinfo_load(struct arena *arena, const char *path, struct error *err)
{
	struct trace_file *file = trace_file_open(arena, path, err);
	size_t bytes;
	char *text;

	if (!file)
		return NULL;
	text = read_all(arena, file, &bytes, err);
	trace_file_close(file);
	return text ? zoneinfo_parse(arena, path, text, bytes, err) : NULL;
}

const struct zoneinfo_zone *zoneinfo_find(const struct zoneinfo *zoneinfo, int node, const char *name)
{
	for (int i = 0; i < zoneinfo->nr_zones; i++) {
		if (zoneinfo->zones[i].node == node && strcmp(zoneinfo->zones[i].name, name) == 0)
			return &zoneinfo->zones[i];
	}
	return NULL;
}
