/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests of the line as scripts: rows of accesses with what each must return
 * and when it must end. The rows of one CPU run one after the other; the test
 * asserts after the run.
 */
#ifndef CONTEND_TESTS_LINE_SCRIPT_H
#define CONTEND_TESTS_LINE_SCRIPT_H

#include "tests/support/rig.h"

enum line_verb {
	READ,
	WRITE, /* operand */
	ADD, /* operand */
	OR,
	XOR,
	AND,
	SWAP,
	CAS, /* expected -> operand; `value` is the word found */
	LOSING_CAS, /* the same, and it must fail */
	PEEK, /* at the word, by the observer */
	READERS, /* how many cores hold the line for reading; by the observer */
	MAY_WRITE, /* 1 when core `operand` holds the line for writing; by the observer */
	MAY_READ, /* the same for reading */
};

struct line_step {
	int cpu;
	sim_ps at_ps; /* the CPU waits until then; at once when that is past */
	enum line_verb verb;
	uint64_t operand;
	uint64_t expected; /* CAS */
	uint64_t value; /* what it must return */
	sim_ps end_ps; /* what the CPU's clock must show then */
	int word;
};

struct line_script {
	const char *what; /* printed when a row fails */
	const struct line_step *steps;
	int nr_steps;
	int home_node;
};

/* Run a script on a line at rest and assert every row's value and end. The sum of what the CPUs counted. */
struct cpu_counters line_script_run(const struct machine_config *config, const struct line_script *script);

/* As above, for a table of rows on a line whose home is node 0. */
#define LINE_STEPS(config, steps) \
	line_script_run(config, &(struct line_script){ #steps, steps, (int)(sizeof(steps) / sizeof((steps)[0])), 0 })

#endif
