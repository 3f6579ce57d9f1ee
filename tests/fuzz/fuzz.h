/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a fuzz target is: one function that libFuzzer calls, or
 * standalone_main.c for each file of a corpus.
 */
#ifndef CONTEND_TESTS_FUZZ_H
#define CONTEND_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0; anything wrong aborts. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
