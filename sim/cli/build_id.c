/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The build id is an ELF note (ld --build-id, which gcc passes) in a segment that is mapped with the program: elf(5). */
#include "sim/cli/build_id.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#define NAME "GNU"

static size_t aligned(size_t bytes)
{
	return (bytes + 3) / 4 * 4;
}

static void print_hex(const unsigned char *bytes, size_t nr, char *out)
{
	size_t i;

	for (i = 0; i < nr && 2 * i + 2 < BUILD_ID_TEXT_BYTES; i++)
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

/* Look through the notes of one segment. Returns 1 when the build id is among them. */
static int find_note(const char *notes, size_t nr_bytes, char *out)
{
	size_t at = 0;

	while (at + sizeof(ElfW(Nhdr)) <= nr_bytes) {
		ElfW(Nhdr) note;
		const char *name = notes + at + sizeof(note);
		size_t bytes;

		memcpy(&note, notes + at, sizeof(note));
		bytes = sizeof(note) + aligned(note.n_namesz) + aligned(note.n_descsz);
		if (bytes > nr_bytes - at)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(NAME) &&
		    memcmp(name, NAME, sizeof(NAME)) == 0) {
			print_hex((const unsigned char *)name + aligned(note.n_namesz), note.n_descsz, out);
			return 1;
		}
		at += bytes;
	}
	return 0;
}

/* Called for the program first, then for its libraries: only the first counts. */
static int look_at_program(struct dl_phdr_info *info, size_t bytes, void *out)
{
	int i;

	(void)bytes;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		/* NOLINTNEXTLINE(performance-no-int-to-ptr): ELF gives addresses of this process as numbers */
		const char *notes = (const char *)(info->dlpi_addr + segment->p_vaddr);

		if (segment->p_type == PT_NOTE && find_note(notes, segment->p_memsz, out))
			break;
	}
	return 1;
}

char *build_id(char out[BUILD_ID_TEXT_BYTES])
{
	strcpy(out, "unknown");
	dl_iterate_phdr(look_at_program, out);
	return out;
}
