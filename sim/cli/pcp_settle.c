/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/pcp_settle.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FREED_PAGES 32 /* for each CPU; 5 would do */
#define ALLOCATED_PAGES 16 /* 12 would do; they come from those freed, so no list is refilled */

struct pcp_settle {
	cpu_set_t cpus;
	char *pages; /* FREED_PAGES for each CPU, and as many that stay: the last ones touched wait in a folio_batch */
	size_t cpu_bytes, bytes;
};

struct pcp_settle *pcp_settle_begin(struct arena *arena, struct error *err)
{
	struct pcp_settle *settle = arena_calloc(arena, 1, sizeof(*settle));

	if (sched_getaffinity(0, sizeof(settle->cpus), &settle->cpus) != 0)
		CPU_ZERO(&settle->cpus); /* more CPUs than the set has: their state stays unknown */
	settle->cpu_bytes = FREED_PAGES * (size_t)sysconf(_SC_PAGESIZE);
	settle->bytes = settle->cpu_bytes * ((size_t)CPU_COUNT(&settle->cpus) + 1);
	settle->pages = mmap(NULL, settle->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (settle->pages == MAP_FAILED) {
		error_plain(err, "cannot map %zu bytes: %s", settle->bytes, strerror(errno));
		return NULL;
	}
	madvise(settle->pages, settle->bytes, MADV_NOHUGEPAGE);
	madvise(settle->pages, settle->bytes, MADV_DONTFORK); /* pages that a child shares are not freed */
	memset(settle->pages, 1, settle->bytes);
	return settle;
}

static void settle_cpu(const struct pcp_settle *settle, char *pages)
{
	madvise(pages, settle->cpu_bytes, MADV_DONTNEED);
	memset(pages, 1, settle->cpu_bytes / FREED_PAGES * ALLOCATED_PAGES);
}

void pcp_settle_run(struct pcp_settle *settle)
{
	char *pages = settle->pages;

	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		cpu_set_t one;

		if (!CPU_ISSET(cpu, &settle->cpus))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one) == 0)
			settle_cpu(settle, pages);
		pages += settle->cpu_bytes;
	}
	sched_setaffinity(0, sizeof(settle->cpus), &settle->cpus);
}

void pcp_settle_end(struct pcp_settle *settle)
{
	if (settle)
		munmap(settle->pages, settle->bytes);
}
