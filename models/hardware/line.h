/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One cache line: the only thing that moves between CPUs.
 *
 * A line holds LINE_WORDS words. It is exclusive at one core (M/E), shared by
 * several (S), or held by its home. Transactions on a line (a write request, a
 * read of an exclusive line, the first read in a cluster) are served one at a
 * time at its ordering point. For a transaction served at T with latency L,
 * occupancy O and snoop share s of L:
 *
 *	T            the request is picked
 *	T + s        the old owner loses the line; until then its accesses hit
 *	T + L        the new owner's atomic ends; its data came one atomic earlier
 *	T + O        the next request can be picked
 *
 * The access that asked for the line always completes: the snoop waits for it,
 * and everything behind moves by as much. A further access hits when it starts
 * before the snoop takes effect, an atomic when it is also through
 * `atomic_commit_pct` of its time by then. So several accesses right after an
 * arrival hit, and a failed compare-and-swap retries on a line that is still
 * here: whether it wins depends on this window and on nothing else. That an
 * atomic begun in time may end after the snoop is in L already: a ping-pong
 * measures it while the owner spins on the line.
 *
 * Reads. A read of an exclusive line leaves a copy at the owner and one here, or
 * takes the line over where `migratory_reads` says so and the owner has written
 * it. Reads with a copy in their cluster are no transaction: they run in
 * parallel at the `cluster` class.
 *
 * Cost class. While one L3 cluster alone wants a line, transfers cost the
 * class `cluster` (`core` between SMT siblings). As soon as two want it, they
 * cost the longest leg between requester, holders and home node.
 *
 * Order. Clusters take turns by their oldest request; a turn serves
 * cluster_turn writes, or all reads of that cluster that wait, together; inside
 * a cluster requests come first come first served or, as `arbitration` says, in
 * another order. Requests of one core merge: when the line arrives for a write
 * of one of its threads, waiting siblings are served in the same visit, one
 * `core` transfer after the other.
 *
 * Sources: required features and evidence in models/README.md.
 */
#ifndef CONTEND_HARDWARE_LINE_H
#define CONTEND_HARDWARE_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/hardware/cpu.h"
#include "models/hardware/machine.h"
#include "sim/engine/engine.h"
#include "sim/util/arena.h"

#define LINE_WORDS 8

struct line;

/*
 * A line at rest at its home node, all words 0, owned by the arena.
 * `name` goes into deadlock reports, `seed` into the jitter.
 */
struct line *line_create(struct arena *arena, const struct machine *machine, struct engine *engine, const char *name,
			 int home_node, uint64_t seed);

/*
 * The accesses. Each blocks the CPU until the line is here in the state that
 * it needs, then takes effect at once; the CPU's clock moves by the cost of a
 * hit (load_hit_ns, store_hit_ns, atomic_hit_ns; a compare-and-swap also
 * cmpxchg_extra_ns). Uncontended cost of a miss: the class's latency for an
 * atomic; the same less atomic_hit plus load_hit or store_hit for the others.
 */
uint64_t line_read(struct cpu *cpu, struct line *line, int word);
void line_write(struct cpu *cpu, struct line *line, int word, uint64_t value);

/* A store narrower than the word: the bits of the mask become those of the value. Costs what line_write costs. */
void line_write_bits(struct cpu *cpu, struct line *line, int word, uint64_t mask, uint64_t value);

/*
 * The same through the store buffer: the CPU goes on after store_hit_ns while the store waits for its line. Some stores
 * to one line may be under way; the CPU's next write or atomic, and its next read of that line, first wait for them
 * (x86 TSO). An actor that ends meanwhile leaves it behind, unless it is the last of the run.
 */
void line_post_bits(struct cpu *cpu, struct line *line, int word, uint64_t mask, uint64_t value);

/* Atomics; all but line_cas return the old value and cannot fail. */
uint64_t line_fetch_add(struct cpu *cpu, struct line *line, int word, uint64_t delta);
uint64_t line_fetch_or(struct cpu *cpu, struct line *line, int word, uint64_t bits);
uint64_t line_fetch_xor(struct cpu *cpu, struct line *line, int word, uint64_t bits);
uint64_t line_fetch_and(struct cpu *cpu, struct line *line, int word, uint64_t bits);
uint64_t line_swap(struct cpu *cpu, struct line *line, int word, uint64_t value);
uint64_t line_swap_bits(struct cpu *cpu, struct line *line, int word, uint64_t mask, uint64_t value);

/*
 * Compare-and-swap by the word's value.
 * On failure *expected becomes the value found, the line is exclusive here, and the CPU has counted a failure.
 */
bool line_cas(struct cpu *cpu, struct line *line, int word, uint64_t *expected, uint64_t desired);

/*
 * What a CPU does that spins: it has just read `seen` in a word, and reads on, hit after hit, until something changes.
 * Blocks, without an event in between, until a write takes this core's copy of the line away - the next line_read is
 * then a transaction - or until one that leaves it here (by an SMT sibling, or at the home) has taken effect. Returns at
 * once when the copy is lost already or the word is another. That a change concerned this word is not said: the caller
 * reads again. `waits_for` as for actor_park.
 */
void line_await_change(struct cpu *cpu, struct line *line, int word, uint64_t seen, const char *waits_for);

/* Set or look at a word outside simulated time (set-up, tests). */
void line_poke(struct line *line, int word, uint64_t value);
uint64_t line_peek(const struct line *line, int word);

/* For tests: does this core hold the line now, readable or exclusive? How many cores have a valid copy? */
bool line_held_for_read(const struct line *line, int core);
bool line_held_for_write(const struct line *line, int core);
int line_nr_holders(const struct line *line);

#endif
