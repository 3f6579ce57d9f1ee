/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/trace/trace_dat_write.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_BYTES 16384

/* Numbers are in the byte order of this machine, which the file names. */
static void put(FILE *out, uint64_t value, size_t bytes)
{
	const uint32_t u32 = (uint32_t)value;
	const uint16_t u16 = (uint16_t)value;

	fwrite(bytes == 8 ? (const void *)&value : bytes == 4 ? (const void *)&u32 : &u16, bytes, 1, out);
}

static void put_text(FILE *out, const char *text)
{
	put(out, strlen(text), 8);
	fputs(text, out);
}

/* With the NUL that ends it. */
static void put_name(FILE *out, const char *name)
{
	fwrite(name, strlen(name) + 1, 1, out);
}

static void put_start(FILE *out)
{
	const uint16_t one = 1;
	unsigned char first;

	memcpy(&first, &one, 1);
	fwrite("\x17\x08\x44tracing6", 12, 1, out);
	fputc(first ? 0 : 1, out);
	fputc((int)sizeof(long), out);
	put(out, (uint64_t)sysconf(_SC_PAGESIZE), 4);
}

static void put_system(FILE *out, const struct trace_dat_system *system)
{
	uint64_t nr_formats = 0;

	while (system->formats[nr_formats])
		nr_formats++;
	put_name(out, system->name);
	put(out, nr_formats, 4);
	for (uint64_t i = 0; i < nr_formats; i++)
		put_text(out, system->formats[i]);
}

static void put_header(FILE *out, const struct trace_dat_header *header)
{
	put_start(out);
	put_name(out, "header_page");
	put_text(out, header->header_page);
	put_name(out, "header_event");
	put_text(out, header->header_event);
	put(out, 0, 4); /* formats of ftrace's own events */
	put(out, (uint64_t)header->nr_systems, 4);
	for (int i = 0; i < header->nr_systems; i++)
		put_system(out, &header->systems[i]);
	put(out, strlen(header->kallsyms), 4);
	fputs(header->kallsyms, out);
	put(out, 0, 4); /* printk formats */
	put_text(out, header->saved_cmdlines);
}

static uint64_t size_of(int fd)
{
	struct stat stat;

	return fstat(fd, &stat) == 0 ? (uint64_t)stat.st_size : 0;
}

/* Where each CPU's data is, which starts on a page behind this very table. */
static void put_places(FILE *out, const int *cpu_fds, int nr_cpus)
{
	const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t at = (uint64_t)ftello(out) + (uint64_t)nr_cpus * 16;

	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		at = (at + page_bytes - 1) / page_bytes * page_bytes;
		put(out, at, 8);
		put(out, size_of(cpu_fds[cpu]), 8);
		at += size_of(cpu_fds[cpu]);
	}
}

static int put_data(FILE *out, int fd, struct error *err)
{
	const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	char bytes[COPY_BYTES];
	ssize_t nr;
	off_t at = 0;

	while ((uint64_t)ftello(out) % page_bytes && !ferror(out))
		fputc(0, out);
	for (; (nr = pread(fd, bytes, sizeof(bytes), at)) > 0; at += nr)
		fwrite(bytes, (size_t)nr, 1, out);
	return nr < 0 ? error_plain(err, "cannot read back what was recorded: %s", strerror(errno)) : 0;
}

int trace_dat_write(FILE *out, const struct trace_dat_header *header, const int *cpu_fds, int nr_cpus,
		    struct error *err)
{
	put_header(out, header);
	put(out, (uint64_t)nr_cpus, 4);
	put_name(out, "options  ");
	put(out, 0, 2);
	put_name(out, "flyrecord");
	put_places(out, cpu_fds, nr_cpus);
	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		if (size_of(cpu_fds[cpu]) && put_data(out, cpu_fds[cpu], err) != 0)
			return -1;
	}
	return 0;
}
