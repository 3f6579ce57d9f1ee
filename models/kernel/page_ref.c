/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/kernel/page_ref.h"

void page_ref_set(const void *params, struct cpu *cpu, struct folio *folio, int count)
{
	(void)params;
	line_write(cpu, folio->page, FOLIO_REFCOUNT, (uint64_t)count);
}

bool page_ref_dec_and_test(const void *params, struct cpu *cpu, struct folio *folio)
{
	(void)params;
	return line_fetch_add(cpu, folio->page, FOLIO_REFCOUNT, (uint64_t)-1) == 1;
}

bool page_ref_freeze(const void *params, struct cpu *cpu, struct folio *folio, int count)
{
	uint64_t expected = (uint64_t)count;

	(void)params;
	return line_cas(cpu, folio->page, FOLIO_REFCOUNT, &expected, 0);
}

int page_ref_count(const struct folio *folio)
{
	return (int)line_peek(folio->page, FOLIO_REFCOUNT);
}

bool page_ref_inc_unless_zero(struct cpu *cpu, struct folio *folio, uint64_t count, sim_ps reload_ps, sim_ps backoff_ps)
{
	while (count) {
		cpu_work(cpu, reload_ps);
		if (line_cas(cpu, folio->page, FOLIO_REFCOUNT, &count, count + 1))
			return true;
		cpu_work(cpu, backoff_ps);
	}
	return false;
}
