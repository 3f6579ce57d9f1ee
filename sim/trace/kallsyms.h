/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses of the running kernel's functions, which events have instead of names. Source: /proc/kallsyms, proc(5). */
#ifndef CONTEND_TRACE_KALLSYMS_H
#define CONTEND_TRACE_KALLSYMS_H

#include <stdint.h>

#define KALLSYMS "/proc/kallsyms"

/* 0: the file cannot be read, has no such function, or hides its address (kernel.kptr_restrict). */
uint64_t kallsyms_address(const char *path, const char *function);

#endif
