/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameter tables and CPU lists as text for people: what `explain` and `machine show` print. */
#ifndef CONTEND_CLI_DESCRIBE_H
#define CONTEND_CLI_DESCRIBE_H

#include <stdio.h>

#include "sim/util/param.h"

enum describe_format {
	DESCRIBE_TEXT,
	DESCRIBE_MARKDOWN,
};

/* What a name names: the name, its kind in parentheses, and below it a summary unless that is NULL. */
void describe_name(FILE *out, enum describe_format format, const char *name, const char *kind, const char *summary);

/*
 * Key, unit, default, range and help of each parameter: two lines of text, or a row of a Markdown table. params_bytes
 * is the size of the struct behind the table.
 */
void describe_params(FILE *out, enum describe_format format, const struct param *table, size_t params_bytes);

/* "key value  key value" of a filled struct, wrapped at 100 columns, each line after `indent` spaces. */
void describe_values(FILE *out, const struct param *table, const void *params, int indent);

/* CPU numbers as the kernel and taskset write them: "0-7", "0-14:2", "3,9". Returns out. */
char *describe_cpus(const int *cpus, int nr, char *out, size_t out_bytes);

#endif
