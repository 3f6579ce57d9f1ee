/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assertions on doubles that show the expression and its value where they fail. A value that is no number fails. */
#ifndef CONTEND_TESTS_NUMBERS_H
#define CONTEND_TESTS_NUMBERS_H

#define assert_between(value, low, high) numbers_between(#value, value, low, high, __FILE__, __LINE__)

/* Within pct % of what is expected. */
#define assert_about(value, expected, pct) numbers_about(#value, value, expected, pct, __FILE__, __LINE__)

void numbers_between(const char *text, double value, double low, double high, const char *file, int line);
void numbers_about(const char *text, double value, double expected, double pct, const char *file, int line);

#endif
