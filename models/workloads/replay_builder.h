/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From recorded events to the steps of a script, one after the other: what is live, what lies on which recorded list, and so which
 * steps fired no event. See replay_script.h for the rules.
 */
#ifndef CONTEND_WORKLOADS_REPLAY_BUILDER_H
#define CONTEND_WORKLOADS_REPLAY_BUILDER_H

#include "models/workloads/replay_lists.h"
#include "models/workloads/replay_records.h"
#include "models/workloads/replay_script.h"
#include "sim/trace/live_blocks.h"

/* What is known of a recorded CPU's pcp. */
struct known_pcp {
	struct replay_list lists[NR_PCP_LISTS];
	int refilling; /* list that its last event refilled, plus 1; 0: it was none */
};

struct replay_builder {
	struct arena *arena; /* of the script */
	struct arena *scratch;
	struct replay_script *script;
	struct replay_stream **by_cpu; /* TRACE_MAX_CPUS; NULL: no stream */
	struct known_pcp **pcps; /* the same */
	struct live_blocks *live; /* allocated now */
	struct live_blocks *listed; /* on a list, by an event; number: which */
	struct live_blocks *drained; /* and not taken since */
};

/* What the event tells, after all those before it. */
void replay_builder_add(struct replay_builder *builder, const struct replay_record *record);

#endif
