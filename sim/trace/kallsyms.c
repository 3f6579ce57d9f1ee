/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/trace/kallsyms.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME_BYTES 512 /* KSYM_NAME_LEN */

uint64_t kallsyms_address(const char *path, const char *function)
{
	FILE *file = fopen(path, "re");
	char line[16 + 3 + NAME_BYTES + 128]; /* address, type, name, module */
	uint64_t address = 0;

	while (file && !address && fgets(line, sizeof(line), file)) {
		uint64_t here;
		char name[NAME_BYTES];

		if (sscanf(line, "%" SCNx64 " %*[tT] %511s", &here, name) == 2 && strcmp(name, function) == 0)
			address = here;
	}
	if (file)
		fclose(file);
	return address;
}
