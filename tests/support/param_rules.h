/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What every parameter table must keep, for whichever test has tables to
 * check.
 */
#ifndef CONTEND_TESTS_PARAM_RULES_H
#define CONTEND_TESTS_PARAM_RULES_H

#include <stddef.h>

#include "sim/util/param.h"

/*
 * The first rule that the table breaks, as a sentence in out; NULL when it keeps all: a key in lower case, once; a key
 * that ends in its unit when that is "ns" or "pct"; "time", "bytes" and "Hz" only on integers; a help text; a choice
 * with names; a default within its range.
 */
const char *param_rules_broken(const struct param *table, char *out, size_t out_bytes);

#endif
