/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/trace/recorder.h"

#include "sim/trace/kallsyms.h"
#include "sim/trace/trace_dat_write.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#define NAME "contend-"
#define WORK_EVENT "workqueue_execute_start"
#define WORK_FILES "events/workqueue/" WORK_EVENT "/"
#define WORK_FUNCTION "vmstat_update"
#define PIPE_BYTES (1 << 20)

static const char *const kmem_events[] = { "mm_page_alloc", "mm_page_free", "mm_page_pcpu_drain",
					   "mm_page_alloc_zone_locked" };

#define NR_KMEM_EVENTS ((int)(sizeof(kmem_events) / sizeof(kmem_events[0])))

struct recorder {
	struct tracefs_instance *instance;
	const char *directory;
	const char *events[NR_KMEM_EVENTS + 2]; /* those of kmem, WORK_EVENT, NULL */
	uint64_t work_address; /* of WORK_FUNCTION; 0: without WORK_EVENT */
	int nr_cpus; /* that the kernel may have */
	struct pollfd *polls; /* trace_pipe_raw by CPU, -1 of one that is off; then the caller's fd */
	int *spools; /* by CPU */
	int pipe[2]; /* between a buffer and its spool */
	size_t pipe_bytes;
	char *page; /* one sub-buffer */
	size_t page_bytes;
};

static int refuse(struct error *err, const char *what)
{
	return error_plain(err, "cannot record: %s: %s%s", what, strerror(errno),
			   errno == EACCES || errno == EPERM ? "; recording needs root" : "");
}

/* The process whose buffer has this name, 0 when it is none of ours. */
static pid_t owner_of(const char *name)
{
	const char *pid;

	if (strncmp(name, NAME, strlen(NAME)) != 0)
		return 0;
	pid = name + strlen(NAME);
	return pid[strspn(pid, "0123456789")] ? 0 : (pid_t)strtol(pid, NULL, 10);
}

/*
 * Buffers of recorders that are no more: their memory is lost to the machine until somebody removes them. The library could
 * choose the names by a regular expression, but never frees that (libtracefs 1.6.4).
 */
static void remove_leftovers(void)
{
	char **names = tracefs_instances(NULL);

	for (int i = 0; names && names[i]; i++) {
		const pid_t pid = owner_of(names[i]);
		struct tracefs_instance *left;

		if (pid <= 0 || kill(pid, 0) == 0 || errno != ESRCH)
			continue;
		left = tracefs_instance_create(names[i]);
		if (left) {
			tracefs_instance_destroy(left);
			tracefs_instance_free(left);
		}
	}
	tracefs_list_free(names);
}

static int write_file(struct recorder *recorder, const char *file, const char *text, struct error *err)
{
	errno = 0;
	if (tracefs_instance_file_write(recorder->instance, file, text) < 0)
		return refuse(err, file);
	return 0;
}

/* When the 1 s workers run, which a replay without this event guesses. */
static void enable_work(struct arena *arena, struct recorder *recorder)
{
	const uint64_t address = kallsyms_address(KALLSYMS, WORK_FUNCTION);
	const char *filter = arena_printf(arena, "function == 0x%" PRIx64, address);

	if (!address || tracefs_instance_file_write(recorder->instance, WORK_FILES "filter", filter) < 0 ||
	    tracefs_instance_file_write(recorder->instance, WORK_FILES "enable", "1") < 0)
		return;
	recorder->work_address = address;
	recorder->events[NR_KMEM_EVENTS] = WORK_EVENT;
}

static int set_up(struct arena *arena, struct recorder *recorder, uint32_t buffer_kib, struct error *err)
{
	if (write_file(recorder, "tracing_on", "0", err) != 0 ||
	    write_file(recorder, "trace_clock", RECORDER_CLOCK, err) != 0 ||
	    write_file(recorder, "buffer_size_kb", arena_printf(arena, "%u", buffer_kib), err) != 0)
		return -1;
	for (int i = 0; i < NR_KMEM_EVENTS; i++) {
		const char *file = arena_printf(arena, "events/kmem/%s/enable", kmem_events[i]);

		if (write_file(recorder, file, "1", err) != 0)
			return -1;
		recorder->events[i] = kmem_events[i];
	}
	enable_work(arena, recorder);
	return 0;
}

/* A file in the directory without a name, where the file system can do that, or with one no longer. */
static int open_spool(struct arena *arena, const char *directory)
{
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char *path;

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd;
	path = arena_printf(arena, "%s/spool-XXXXXX", directory);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

/* Every sub-buffer takes one of a pipe's places, which are as many as its pages. */
static int open_pipe(struct recorder *recorder, struct error *err)
{
	int bytes;

	if (pipe2(recorder->pipe, O_CLOEXEC) != 0)
		return refuse(err, "pipe");
	bytes = fcntl(recorder->pipe[1], F_SETPIPE_SZ, PIPE_BYTES);
	if (bytes < 0)
		bytes = fcntl(recorder->pipe[1], F_GETPIPE_SZ);
	recorder->pipe_bytes = (size_t)bytes;
	return 0;
}

static int open_cpus(struct arena *arena, struct recorder *recorder, struct error *err)
{
	for (int cpu = 0; cpu < recorder->nr_cpus; cpu++) {
		const char *file = arena_printf(arena, "per_cpu/cpu%d/trace_pipe_raw", cpu);

		recorder->polls[cpu].events = POLLIN;
		recorder->polls[cpu].fd =
			tracefs_instance_file_open(recorder->instance, file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (recorder->polls[cpu].fd < 0 && errno != ENOENT && errno != ENODEV)
			return refuse(err, file);
		recorder->spools[cpu] = open_spool(arena, recorder->directory);
		if (recorder->spools[cpu] < 0)
			return error_plain(err, "cannot write into '%s': %s", recorder->directory, strerror(errno));
	}
	return 0;
}

static struct recorder *recorder_create(struct arena *arena, const char *directory)
{
	struct recorder *recorder = arena_calloc(arena, 1, sizeof(*recorder));

	recorder->directory = directory;
	recorder->nr_cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	recorder->polls = arena_calloc(arena, (size_t)recorder->nr_cpus + 1, sizeof(*recorder->polls));
	recorder->spools = arena_calloc(arena, (size_t)recorder->nr_cpus, sizeof(*recorder->spools));
	for (int cpu = 0; cpu < recorder->nr_cpus; cpu++)
		recorder->polls[cpu].fd = recorder->spools[cpu] = -1;
	recorder->pipe[0] = recorder->pipe[1] = -1;
	recorder->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	recorder->page = arena_alloc(arena, recorder->page_bytes);
	return recorder;
}

struct recorder *recorder_open(struct arena *arena, const char *directory, uint32_t buffer_kib, struct error *err)
{
	struct recorder *recorder = recorder_create(arena, directory);
	const char *tracefs;

	tracefs_set_loglevel(TEP_LOG_NONE);
	tracefs = tracefs_tracing_dir(); /* the library's; mounted now if it was not */
	if (!tracefs) {
		error_plain(err,
			    "cannot record: no tracefs: run as root, on a kernel that has it (CONFIG_FTRACE), after "
			    "`mount -t tracefs nodev /sys/kernel/tracing`");
		return NULL;
	}
	remove_leftovers();
	errno = 0;
	recorder->instance = tracefs_instance_create(arena_printf(arena, NAME "%d", (int)getpid()));
	if (!recorder->instance) {
		refuse(err, tracefs);
		return NULL;
	}
	if (set_up(arena, recorder, buffer_kib, err) != 0 || open_pipe(recorder, err) != 0 ||
	    open_cpus(arena, recorder, err) != 0) {
		recorder_close(recorder);
		return NULL;
	}
	return recorder;
}

const char *const *recorder_events(const struct recorder *recorder)
{
	return recorder->events;
}

int recorder_start(struct recorder *recorder, struct error *err)
{
	return write_file(recorder, "tracing_on", "1", err);
}

int recorder_stop(struct recorder *recorder, struct error *err)
{
	return write_file(recorder, "tracing_on", "0", err);
}

static int refuse_spool(const struct recorder *recorder, ssize_t nr, struct error *err)
{
	return error_plain(err, "cannot write into '%s': %s", recorder->directory, strerror(nr < 0 ? errno : ENOSPC));
}

/*
 * Full sub-buffers, by splice, which gives no others: a spool's own pages make events too, and whoever took each of those at
 * once, with a page of file for it, would never end. At most a pipe's worth, some 500 times as many events as it makes.
 */
static int move_full(struct recorder *recorder, int cpu, struct error *err)
{
	ssize_t nr, written;

	nr = splice(recorder->polls[cpu].fd, NULL, recorder->pipe[1], NULL, recorder->pipe_bytes,
		    SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
	if (nr < 0 && errno != EAGAIN && errno != EINTR)
		return refuse(err, "trace_pipe_raw");
	for (; nr > 0; nr -= written) {
		written = splice(recorder->pipe[0], NULL, recorder->spools[cpu], NULL, (size_t)nr, SPLICE_F_MOVE);
		if (written <= 0)
			return refuse_spool(recorder, written, err);
	}
	return 0;
}

/* All that is left, each read a whole sub-buffer. Recording is off. */
static int move_rest(struct recorder *recorder, int cpu, struct error *err)
{
	ssize_t nr, written;

	while ((nr = read(recorder->polls[cpu].fd, recorder->page, recorder->page_bytes)) > 0) {
		memset(recorder->page + nr, 0, recorder->page_bytes - (size_t)nr);
		written = write(recorder->spools[cpu], recorder->page, recorder->page_bytes);
		if (written != (ssize_t)recorder->page_bytes)
			return refuse_spool(recorder, written, err);
	}
	return nr < 0 && errno != EAGAIN && errno != EINTR ? refuse(err, "trace_pipe_raw") : 0;
}

int recorder_wait(struct recorder *recorder, int fd, struct error *err)
{
	struct pollfd *last = &recorder->polls[recorder->nr_cpus];

	*last = (struct pollfd){ .fd = fd, .events = POLLIN };
	for (;;) {
		if (poll(recorder->polls, (nfds_t)recorder->nr_cpus + 1, -1) < 0 && errno != EINTR)
			return refuse(err, "poll");
		if (last->revents)
			return 0;
		for (int cpu = 0; cpu < recorder->nr_cpus; cpu++) {
			if (recorder->polls[cpu].revents && move_full(recorder, cpu, err) != 0)
				return -1;
		}
	}
}

/* Texts of tracefs for the file's head; those of the C library, not of the arena, are copied. NULL: there is none. */
static const char *read_text(struct arena *arena, struct tracefs_instance *instance, const char *file)
{
	char *text = tracefs_instance_file_read(instance, file, NULL);
	const char *copy = text ? arena_strdup(arena, text) : NULL;

	free(text);
	return copy;
}

/* The texts of a header whose systems have room. False when tracefs lacks one. */
static bool read_header(struct arena *arena, const struct recorder *recorder, struct trace_dat_header *header,
			struct trace_dat_system systems[2])
{
	const char **kmem = arena_calloc(arena, NR_KMEM_EVENTS + 1, sizeof(*kmem));
	const char **work = arena_calloc(arena, 2, sizeof(*work));
	const char *cmdlines = read_text(arena, NULL, "saved_cmdlines");
	bool complete = true;

	for (int i = 0; i < NR_KMEM_EVENTS; i++) {
		kmem[i] = read_text(arena, recorder->instance,
				    arena_printf(arena, "events/kmem/%s/format", kmem_events[i]));
		complete = complete && kmem[i];
	}
	if (recorder->work_address)
		work[0] = read_text(arena, recorder->instance, WORK_FILES "format");
	systems[0] = (struct trace_dat_system){ .name = "kmem", .formats = kmem };
	systems[1] = (struct trace_dat_system){ .name = "workqueue", .formats = work };
	*header = (struct trace_dat_header){
		.header_page = read_text(arena, NULL, "events/header_page"),
		.header_event = read_text(arena, NULL, "events/header_event"),
		.systems = systems,
		.nr_systems = work[0] ? 2 : 1,
		.kallsyms = arena_printf(arena, "%016" PRIx64 " t " WORK_FUNCTION "\n", recorder->work_address),
		.saved_cmdlines = cmdlines ? cmdlines : "",
	};
	return complete && header->header_page && header->header_event && !work[0] == !recorder->work_address;
}

int recorder_write(struct recorder *recorder, FILE *out, struct error *err)
{
	struct arena *arena = arena_create();
	struct trace_dat_system systems[2];
	struct trace_dat_header header;
	int failed = read_header(arena, recorder, &header, systems) ? 0 : refuse(err, "events");

	for (int cpu = 0; cpu < recorder->nr_cpus && !failed; cpu++)
		failed = recorder->polls[cpu].fd >= 0 ? move_rest(recorder, cpu, err) : 0;
	if (!failed)
		failed = trace_dat_write(out, &header, recorder->spools, recorder->nr_cpus, err);
	arena_destroy(arena);
	return failed;
}

/* The number behind a key of a CPU's stats, 0 without it. */
static uint64_t stat_of(const char *stats, const char *key)
{
	const char *at = strstr(stats, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

void recorder_count(const struct recorder *recorder, uint64_t *nr_events, uint64_t *nr_lost)
{
	*nr_events = *nr_lost = 0;
	for (int cpu = 0; cpu < recorder->nr_cpus; cpu++) {
		char file[64];
		char *stats;

		snprintf(file, sizeof(file), "per_cpu/cpu%d/stats", cpu);
		stats = tracefs_instance_file_read(recorder->instance, file, NULL);
		if (!stats)
			continue;
		*nr_events += stat_of(stats, "entries: ") + stat_of(stats, "read events: ");
		*nr_lost += stat_of(stats, "\noverrun: ") + stat_of(stats, "commit overrun: ") +
			    stat_of(stats, "dropped events: ");
		free(stats);
	}
}

void recorder_close(struct recorder *recorder)
{
	if (!recorder)
		return;
	for (int cpu = 0; cpu < recorder->nr_cpus; cpu++) {
		if (recorder->polls[cpu].fd >= 0)
			close(recorder->polls[cpu].fd);
		if (recorder->spools[cpu] >= 0)
			close(recorder->spools[cpu]);
	}
	for (int i = 0; i < 2; i++) {
		if (recorder->pipe[i] >= 0)
			close(recorder->pipe[i]);
	}
	tracefs_instance_destroy(recorder->instance);
	tracefs_instance_free(recorder->instance);
}
