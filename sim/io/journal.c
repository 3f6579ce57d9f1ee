/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/io/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/util/hash.h"
#include "sim/util/outfile.h"
#include "sim/util/text.h"

#define FORMAT "contend-journal 1"
#define HASH_DIGITS 16
#define HEAD_WORDS 7
#define HEAD_BYTES 512
#define SYNC_S 1

struct journal {
	int fd;
	off_t sound_bytes; /* up to the last whole line */
	time_t synced_s; /* when, on the monotonic clock */
};

static int fail(const char *path, const char *problem, struct error *err)
{
	return error_plain(err, "the journal '%s': %s", path, problem);
}

/* --- the head --- */

/* What comes after the hash. Blanks would split the words. */
static void head_text(const struct results *results, const char *build, char *out)
{
	snprintf(out, HEAD_BYTES, FORMAT " version=%s config=%s build=%s shard=%d/%d metrics=%d", results->version,
		 results->config_hash, build, results->shard, results->nr_shards, results->nr_metrics);
}

/* A text cut into words in place; how many, HEAD_WORDS + 1 when there are more. */
static int split_words(char *text, char *words[HEAD_WORDS + 1])
{
	int nr = 0;

	while (text && nr <= HEAD_WORDS)
		words[nr++] = strsep(&text, " ");
	return nr;
}

static const char *after_equals(const char *word)
{
	const char *equals = strchr(word, '=');

	return equals ? equals + 1 : word;
}

static int check_head(const char *path, char *found, const struct results *results, const char *build,
		      struct error *err)
{
	static const char *const whats[HEAD_WORDS] = {
		"format",	    "format", "version of contend", "configuration",
		"build of contend", "shard",  "set of metrics",
	};
	char *found_words[HEAD_WORDS + 1], *own_words[HEAD_WORDS + 1];
	char own[HEAD_BYTES];

	head_text(results, build, own);
	split_words(own, own_words);
	if (split_words(found, found_words) != HEAD_WORDS)
		return fail(path, "it is of another format", err);
	for (int i = 0; i < HEAD_WORDS; i++) {
		if (strcmp(found_words[i], own_words[i]) != 0)
			return error_plain(err, "the journal '%s' is of another %s: %s, now %s", path, whats[i],
					   TEXT_SHOWN(after_equals(found_words[i])), after_equals(own_words[i]));
	}
	return 0;
}

/* --- reading --- */

/* A whole line without its end: its text behind the hash, or NULL when the hash is wrong. */
static char *line_payload(char *line, size_t bytes)
{
	char hash[HASH_DIGITS + 1];
	char *payload = line + HASH_DIGITS + 1;

	if (bytes <= HASH_DIGITS || line[HASH_DIGITS] != ' ' || strlen(line) != bytes)
		return NULL;
	snprintf(hash, sizeof(hash), "%016" PRIx64, hash_bytes(payload, bytes - HASH_DIGITS - 1));
	return memcmp(hash, line, HASH_DIGITS) == 0 ? payload : NULL;
}

/* The next word as an index below limit, or -1. */
static int next_index(char **rest, int limit)
{
	const char *word = *rest ? strsep(rest, " ") : "";
	double number = results_number(word);

	return number >= 0 && number < limit && !word[strspn(word, "0123456789")] ? (int)number : -1;
}

static int next_value(char **rest, double *out)
{
	const char *word = *rest ? strsep(rest, " ") : "";

	*out = results_number(word);
	return isnan(*out) && strcmp(word, "nan") != 0 ? -1 : 0;
}

/* The text of a run into results, or -1 when it says nothing of them. values: room for one run. */
static int take_run(char *text, struct results *results, double *values)
{
	struct run_place place = { .machine = next_index(&text, results->nr_machines) };

	place.variant = next_index(&text, results->nr_variants);
	place.point = next_index(&text, results_nr_points(results));
	place.replication = next_index(&text, results->nr_replications);
	if (place.machine < 0 || place.variant < 0 || place.point < 0 || place.replication < 0)
		return -1;
	for (int i = 0; i < results->nr_metrics; i++) {
		if (next_value(&text, &values[i]) != 0)
			return -1;
	}
	if (text)
		return -1;
	memcpy(results_at(results, place.machine, place.variant, place.point, place.replication, 0), values,
	       (size_t)results->nr_metrics * sizeof(*values));
	return 0;
}

static int take_head(const char *path, char *line, size_t bytes, const struct results *results, const char *build,
		     struct error *err)
{
	char *text = line_payload(line, bytes);

	if (!text)
		return fail(path, "its first line is damaged, so nobody knows what it belongs to", err);
	return check_head(path, text, results, build, err);
}

/* Line by line to the end of the file or to a line that has none. */
static int read_lines(FILE *in, const char *path, const char *build, struct results *results,
		      struct journal_content *out, struct error *err)
{
	double *values = calloc((size_t)results->nr_metrics, sizeof(*values));
	char *line = NULL;
	size_t room = 0;
	ssize_t bytes;
	int failed = 0;

	while (!failed && values && (bytes = getline(&line, &room, in)) > 0 && line[bytes - 1] == '\n') {
		char *text;

		line[bytes - 1] = '\0';
		if (out->sound_bytes == 0) {
			failed = take_head(path, line, (size_t)bytes - 1, results, build, err);
		} else {
			text = line_payload(line, (size_t)bytes - 1);
			if (text && take_run(text, results, values) == 0)
				out->nr_runs++;
			else
				out->nr_damaged++;
		}
		out->sound_bytes += bytes;
	}
	if (!failed && (ferror(in) || !values))
		failed = fail(path, strerror(errno), err);
	free(line);
	free(values);
	return failed;
}

int journal_read(const char *path, const char *build, struct results *results, struct journal_content *out,
		 struct error *err)
{
	FILE *in = fopen(path, "re");
	int failed;

	*out = (struct journal_content){ .nr_runs = 0 };
	if (!in)
		return errno == ENOENT ? 0 : fail(path, strerror(errno), err);
	failed = read_lines(in, path, build, results, out, err);
	fclose(in);
	return failed;
}

/* --- writing --- */

/* A line with room for its hash in front, in memory that line_finish takes over. */
struct line {
	FILE *out;
	char *text;
	size_t bytes;
};

static int line_start(struct line *line)
{
	line->text = NULL;
	line->out = open_memstream(&line->text, &line->bytes);
	if (!line->out)
		return -1;
	fprintf(line->out, "%0*d ", HASH_DIGITS, 0);
	return 0;
}

/* The hash in front, the end behind. The text is the caller's to free, also on failure. */
static int line_finish(struct line *line)
{
	const size_t from = HASH_DIGITS + 1;
	char hash[HASH_DIGITS + 1];

	fputc('\n', line->out); /* a failure stays in the stream */
	if (fclose(line->out) != 0)
		return -1;
	snprintf(hash, sizeof(hash), "%016" PRIx64, hash_bytes(line->text + from, line->bytes - from - 1));
	memcpy(line->text, hash, HASH_DIGITS);
	return 0;
}

static int write_head(FILE *out, const struct results *results, const char *build)
{
	char head[HEAD_BYTES];
	struct line line;
	int failed = line_start(&line);

	if (failed)
		return -1;
	head_text(results, build, head);
	fputs(head, line.out);
	failed = line_finish(&line);
	if (!failed)
		fwrite(line.text, 1, line.bytes, out);
	free(line.text);
	return failed;
}

static time_t now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static struct journal *journal_open(const char *path, off_t sound_bytes, struct error *err)
{
	struct journal *journal = calloc(1, sizeof(*journal));
	int fd = journal ? open(path, O_WRONLY | O_CLOEXEC) : -1;

	/* what a dying process left of a line goes */
	if (fd < 0 || ftruncate(fd, sound_bytes) != 0 || lseek(fd, 0, SEEK_END) != sound_bytes) {
		fail(path, strerror(errno), err);
		if (fd >= 0)
			close(fd);
		free(journal);
		return NULL;
	}
	*journal = (struct journal){ .fd = fd, .sound_bytes = sound_bytes, .synced_s = now_s() };
	return journal;
}

struct journal *journal_create(const char *path, const char *build, const struct results *results, struct error *err)
{
	struct outfile *file = outfile_open(path, err);
	off_t bytes;

	if (!file)
		return NULL;
	if (write_head(outfile_stream(file), results, build) != 0) {
		outfile_abort(file);
		fail(path, strerror(errno), err);
		return NULL;
	}
	bytes = ftello(outfile_stream(file));
	return outfile_commit(file, err) ? NULL : journal_open(path, bytes, err);
}

struct journal *journal_continue(const char *path, const struct journal_content *content, struct error *err)
{
	return journal_open(path, content->sound_bytes, err);
}

/* All of it or nothing. errno says why not. */
static int write_line(struct journal *journal, const char *text, size_t bytes)
{
	ssize_t written = write(journal->fd, text, bytes);
	int reason = written < 0 ? errno : ENOSPC;

	if (written == (ssize_t)bytes) {
		journal->sound_bytes += written;
		return 0;
	}
	/* a line that would follow half a line would be lost with it */
	if (written > 0 && (ftruncate(journal->fd, journal->sound_bytes) || lseek(journal->fd, 0, SEEK_END) < 0))
		reason = errno;
	errno = reason;
	return -1;
}

static int sync_sometimes(struct journal *journal)
{
	time_t now = now_s();

	if (now - journal->synced_s < SYNC_S)
		return 0;
	journal->synced_s = now;
	return fdatasync(journal->fd);
}

int journal_append(struct journal *journal, const struct results *results, struct run_place place, struct error *err)
{
	const double *values = results_at(results, place.machine, place.variant, place.point, place.replication, 0);
	struct line line;
	int failed = line_start(&line);

	if (!failed) {
		fprintf(line.out, "%d %d %d %d", place.machine, place.variant, place.point, place.replication);
		for (int i = 0; i < results->nr_metrics; i++)
			fprintf(line.out, isnan(values[i]) ? " nan" : " %.9g", values[i]);
		failed = line_finish(&line) || write_line(journal, line.text, line.bytes) || sync_sometimes(journal);
		free(line.text);
	}
	return failed ? error_plain(err, "cannot write the journal: %s", strerror(errno)) : 0;
}

void journal_close(struct journal *journal)
{
	if (!journal)
		return;
	fdatasync(journal->fd);
	close(journal->fd);
	free(journal);
}
