/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmocka with what it wants included first.
 */
#ifndef CONTEND_TESTS_UNIT_H
#define CONTEND_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif
