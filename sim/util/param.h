/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parameter tables: the one description of a parameter from which YAML
 * binding, range checks, defaults, `explain` and the generated documentation
 * all come.
 *
 *	struct cas_params { double backoff_ns; };
 *	static const struct param cas_params[] = {
 *		PARAM(struct cas_params, backoff_ns, "ns", 0, 0, 1e6, "pause after a failed compare-and-swap"),
 *		PARAM_END,
 *	};
 *
 * The key is the member's name, so table and struct cannot disagree; the kind
 * follows from the member's type.
 *
 * Units. "ns", "pct", "pages", ... stand in the key (`backoff_ns: 20`) and the
 * value is a bare number. "time", "bytes", "Hz" and "share" stand in the
 * value (`duration: 2ms`, `memory_per_node: 384GiB`, `base_clock: 2.6GHz`, `until: 1%`): a bare number is
 * an error there, and a unit is an error in the former.
 */
#ifndef CONTEND_UTIL_PARAM_H
#define CONTEND_UTIL_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum param_kind {
	PARAM_BOOL, /* bool */
	PARAM_U32, /* uint32_t */
	PARAM_U64, /* uint64_t; "bytes", "Hz" and "share" live here */
	PARAM_PS, /* int64_t: a sim_ps, unit "time" */
	PARAM_F64, /* double */
	PARAM_TEXT, /* const char *, owned by the arena of the binding */
	PARAM_CHOICE, /* int: index into choices */
};

struct param {
	const char *key; /* NULL ends a table */
	const char *unit; /* "" when it is a plain number, a name or a flag */
	const char *help;
	const char *const *choices; /* PARAM_CHOICE: the names, ended by NULL */
	const char *def_text; /* PARAM_TEXT: the default */
	size_t offset;
	enum param_kind kind;
	bool required; /* no default: the key must be given */
	bool path; /* PARAM_TEXT: a file; binding finds it beside the file that names it, else from the working directory */
	double def, min, max; /* in the unit of the table; "time" in ps */
};

/* clang-format off */
#define PARAM_KIND_OF(lvalue) _Generic((lvalue), bool: PARAM_BOOL, uint32_t: PARAM_U32, uint64_t: PARAM_U64, \
	int64_t: PARAM_PS, double: PARAM_F64, const char *: PARAM_TEXT, int: PARAM_CHOICE)
#define PARAM_FIELD(type, member) .offset = offsetof(type, member), .kind = PARAM_KIND_OF(((type *)0)->member)

#define PARAM(type, member, unit_, def_, min_, max_, help_) \
	{ .key = #member, PARAM_FIELD(type, member), .unit = unit_, .def = def_, .min = min_, .max = max_, .help = help_ }
/* A key that is not the member's name (`duration` for duration_ps). */
#define PARAM_AS(key_, type, member, unit_, def_, min_, max_, help_) \
	{ .key = key_, PARAM_FIELD(type, member), .unit = unit_, .def = def_, .min = min_, .max = max_, .help = help_ }
#define PARAM_REQUIRED(type, member, unit_, min_, max_, help_) \
	{ .key = #member, PARAM_FIELD(type, member), .unit = unit_, .min = min_, .max = max_, .help = help_, .required = true }
#define PARAM_NAME(type, member, def_text_, help_) \
	{ .key = #member, PARAM_FIELD(type, member), .unit = "", .def_text = def_text_, .help = help_ }
/* The path of a file: required, or "" when it is not given. */
#define PARAM_PATH(type, member, required_, help_) \
	{ .key = #member, PARAM_FIELD(type, member), .unit = "", .def_text = "", .help = help_, .required = required_, .path = true }
#define PARAM_ONE_OF(type, member, choices_, def_, help_) \
	{ .key = #member, PARAM_FIELD(type, member), .unit = "", .choices = choices_, .def = def_, .help = help_ }
#define PARAM_END { .key = NULL }
/* clang-format on */

/* A mapping of a YAML file that binds to one member of a struct: its key, its table, where the member is. */
struct param_section {
	const char *name; /* NULL ends a list */
	const struct param *table;
	size_t offset;
};

/* Write every default of the table into params; required entries become 0. */
void param_defaults(const struct param *table, void *params);

/* The entry named key, or NULL. */
const struct param *param_find(const struct param *table, const char *key);

/*
 * Parse one scalar into params by its entry. Returns 0, or -1 with a message without position ("'abc' is not a
 * number", "must be at least 0", "needs a unit, e.g. 120ns") in why. Strings are not copied: text must outlive params.
 */
int param_parse(const struct param *entry, const char *text, void *params, char *why, size_t why_bytes);

/* The value of an entry as YAML would spell it ("2ms", "20", "cores-first"), into out. Returns out. */
char *param_print(const struct param *entry, const void *params, char *out, size_t out_bytes);

#endif
