/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as the journal of a small sweep. Refused with a message, or its
 * runs are taken, and a journal continued from there is sound: it has the
 * same runs and one more.
 *
 * Hashes are put right first where lines have room for them, or the fuzzer
 * would never get past them; every other input is read as it comes.
 */
#include "tests/fuzz/fuzz.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/io/journal.h"
#include "sim/util/hash.h"

#define HASH_DIGITS 16

#define MUST(condition) \
	do { \
		if (!(condition)) \
			abort(); \
	} while (0)

static const char *const names[] = { "a", "b" };
static const struct metric metrics[] = { { "throughput", "ops/s" }, { "sleeps", "per op" } };

/* Two machines, two variants, one point, three replications. */
static struct results *make_results(struct arena *arena)
{
	struct results *results = arena_alloc(arena, sizeof(*results));
	const char **both = arena_calloc(arena, 2, sizeof(*both));

	memcpy(both, names, sizeof(names));
	*results = (struct results){
		.arena = arena,
		.experiment = "x",
		.version = "0.1.0",
		.config_hash = "0123456789abcdef",
		.machines = both,
		.nr_machines = 2,
		.variants = both,
		.nr_variants = 2,
		.nr_metrics = 2,
		.nr_replications = 3,
	};
	results->metrics = arena_calloc(arena, 2, sizeof(*results->metrics));
	memcpy(results->metrics, metrics, sizeof(metrics));
	results_allocate(results);
	return results;
}

static void set_hashes(char *bytes, size_t size)
{
	char *line = bytes;

	for (char *end; (end = memchr(line, '\n', size - (size_t)(line - bytes))); line = end + 1) {
		char hash[HASH_DIGITS + 1];

		if (end - line <= HASH_DIGITS)
			continue;
		snprintf(hash, sizeof(hash), "%016" PRIx64,
			 hash_bytes(line + HASH_DIGITS + 1, (size_t)(end - line) - HASH_DIGITS - 1));
		memcpy(line, hash, HASH_DIGITS);
	}
}

static void continue_journal(const char *path, const struct journal_content *content, struct results *results)
{
	static const struct run_place place = { .machine = 1, .variant = 1, .replication = 2 };
	struct results *again = make_results(results->arena);
	struct journal *journal = journal_continue(path, content, NULL);
	struct journal_content more;

	*results_at(results, 1, 1, 0, 2, 0) = 1;
	*results_at(results, 1, 1, 0, 2, 1) = 2;
	MUST(journal && journal_append(journal, results, place, NULL) == 0);
	journal_close(journal);
	MUST(journal_read(path, "b0", again, &more, NULL) == 0);
	MUST(more.nr_runs == content->nr_runs + 1 && more.nr_damaged == content->nr_damaged);
	for (size_t i = 0; i < results_nr_values(results); i++)
		MUST(isnan(results->values[i])
			     ? isnan(again->values[i])
			     : fabs(again->values[i] - results->values[i]) <= 1e-8 * fabs(results->values[i]));
}

static void check(const char *path)
{
	struct arena *arena = arena_create();
	struct results *results = make_results(arena);
	struct journal_content content;
	struct error err = { 0 };

	if (journal_read(path, "b0", results, &content, &err))
		MUST(err.text[0]);
	else if (content.sound_bytes)
		continue_journal(path, &content, results);
	else
		MUST(content.nr_runs == 0 && content.nr_damaged == 0);
	arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/contend-fuzz-XXXXXX";
	char *bytes = malloc(size + 1);
	int fd = mkstemp(path);

	MUST(bytes && fd >= 0);
	memcpy(bytes, data, size);
	if (size > 0 && data[0] != '!')
		set_hashes(bytes, size);
	MUST(write(fd, bytes, size) == (ssize_t)size);
	close(fd);
	check(path);
	unlink(path);
	free(bytes);
	return 0;
}
