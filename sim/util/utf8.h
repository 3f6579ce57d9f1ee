/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a text UTF-8? Source: RFC 3629, section 4. */
#ifndef CONTEND_UTIL_UTF8_H
#define CONTEND_UTIL_UTF8_H

#include <stdbool.h>

/* Every sequence of the text is whole, of the shortest form, and of a character that there can be (no surrogates). */
bool utf8_is_valid(const char *text);

#endif
