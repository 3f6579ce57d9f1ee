/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which build of the program runs: two builds of one version may simulate differently, while a policy is being written. */
#ifndef CONTEND_CLI_BUILD_ID_H
#define CONTEND_CLI_BUILD_ID_H

#define BUILD_ID_TEXT_BYTES 65

/* The linker's build id in hexadecimal into out, or "unknown" when the program has none. Returns out. */
char *build_id(char out[BUILD_ID_TEXT_BYTES]);

#endif
