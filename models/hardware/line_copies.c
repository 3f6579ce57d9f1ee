/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/hardware/line_state.h"

static bool tenure_covers(const struct tenure *tenure, int core, sim_ps start, sim_ps commit)
{
	return tenure->core == core && tenure->from <= start && start + commit < tenure->until;
}

bool line_may_write(const struct line *line, int core, sim_ps start, sim_ps commit)
{
	return tenure_covers(&line->owner, core, start, commit) || tenure_covers(&line->old_owner, core, start, commit);
}

bool line_may_read(const struct line *line, int core, sim_ps start)
{
	const struct copy *copy = &line->copies[core];

	if (start < copy->from)
		return false;
	return copy->epoch == line->epoch || (copy->epoch == line->epoch - 1 && start < line->old_copies_until);
}

bool line_cluster_may_read(const struct line *line, int cluster, sim_ps start)
{
	const struct copy *copy = &line->cluster_copies[cluster];

	return line->owner.core == NOBODY && copy->epoch == line->epoch && copy->from <= start;
}

sim_ps line_safe_until(const struct line *line, int core)
{
	const sim_ps now = engine_now(line->engine);
	const sim_ps horizon = now + line->machine->snoop_min_ps;

	if (line->far_until > now) /* an atomic at the home takes effect between */
		return now;
	if (line->owner.core == core)
		return ps_min(line->owner.until, horizon);
	if (line->old_owner.core == core)
		return line->old_owner.until;
	return horizon;
}

void line_add_copy(struct line *line, int core, sim_ps from)
{
	const int cluster = line->machine->cluster_of[core];
	const int node = cluster / (int)line->machine->config.topology.clusters_per_node;
	struct copy *first = &line->cluster_copies[cluster];

	if (line->copies[core].epoch == line->epoch)
		return;
	line->copies[core] = (struct copy){ .epoch = line->epoch, .from = from };
	if (first->epoch != line->epoch)
		*first = (struct copy){ .epoch = line->epoch, .from = from };
	line->copies_cluster = line->nr_copies == 0 || line->copies_cluster == cluster ? cluster : SEVERAL;
	line->copies_nodes |= UINT64_C(1) << node;
	line->nr_copies++;
}

void line_end_tenure(struct line *line, sim_ps lose)
{
	line->old_owner = line->owner;
	line->old_owner.until = ps_min(line->owner.until, lose);
	line->owner.core = NOBODY;
}

void line_new_epoch(struct line *line, int core, sim_ps lose, sim_ps arrive)
{
	line_end_tenure(line, lose);
	if (line->spinners)
		line_wake_spinners(line, core, lose);
	line->old_copies_until = lose;
	line->epoch++;
	line->nr_copies = 0;
	line->copies_cluster = NOBODY;
	line->copies_nodes = 0;
	if (core == NOBODY)
		return;
	line->owner = (struct tenure){ .core = core, .from = arrive, .until = SIM_PS_MAX };
	line_add_copy(line, core, arrive);
}
