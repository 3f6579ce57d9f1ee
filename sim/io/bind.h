/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From YAML nodes to structs, by parameter tables. Every message has the
 * position of the offending node and, for an unknown name, the nearest known
 * one: "machines/a.yaml:12:7: unknown key 'latencyns'; did you mean
 * 'latency_ns'?"
 */
#ifndef CONTEND_IO_BIND_H
#define CONTEND_IO_BIND_H

#include "sim/io/yaml.h"
#include "sim/util/arena.h"
#include "sim/util/error.h"
#include "sim/util/param.h"

/*
 * Fill params from a mapping: defaults first, then each member by the table. `others` lists further keys that the
 * caller reads itself (NULL-ended, may be NULL): they are skipped here and offered in hints. A missing required key is
 * an error at the mapping's position, `what` names the thing in it ("machine"). mapping may be NULL: all defaults.
 * Text values are copied into arena.
 */
int bind_params(struct arena *arena, const struct yaml_node *mapping, const struct param *table,
		const char *const *others, const char *what, void *params, struct error *err);

/* One scalar node by one entry. */
int bind_scalar(struct arena *arena, const struct yaml_node *node, const struct param *entry, void *params,
		struct error *err);

/* Fail unless node is of the kind; `what` names it in the message. */
int bind_expect(const struct yaml_node *node, enum yaml_kind kind, const char *what, struct error *err);

/* error_set "<what> '<text>'..." plus "; did you mean '...'?" or the list of known names when that is short. */
int bind_unknown(struct source_pos pos, const char *what, const char *text, const char *const *names,
		 struct error *err);

#endif
