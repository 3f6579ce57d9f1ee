/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/trace_record.h"

#include "sim/cli/cli.h"
#include "sim/cli/pcp_lists.h"
#include "sim/cli/pcp_settle.h"
#include "sim/trace/recorder.h"
#include "sim/util/outfile.h"
#include "sim/util/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BUFFER_MIB 64
#define MEMORY_PARTS 16 /* of the machine's memory, the buffers take one at most */
#define ZONEINFO_BYTES ((size_t)4 << 20) /* 768 CPUs in ten zones take 1 MiB */

static const char *const file_names[] = { "trace.dat", "zoneinfo-before.txt", "zoneinfo-after.txt", "manifest.json" };

/* A recording that is under way. */
struct session {
	const struct trace_record *record;
	const char *directory; /* the temporary one */
	struct recorder *recorder;
	struct pcp_settle *settle;
	int signal_fd;
	sigset_t mask_before;
	pid_t command; /* 0: not forked, or ended */
	int start_fd, exec_fd; /* closing the one starts the command; the other says why it could not be */
	int wait_status;
	char *zoneinfo_before, *zoneinfo_after; /* ZONEINFO_BYTES */
	double seconds;
	uint64_t nr_events, nr_lost;
	int buffer_mib;
};

static int buffer_mib_of(const struct trace_record *record)
{
	const uint64_t memory_mib = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) >> 20;
	const uint64_t share_mib = memory_mib / MEMORY_PARTS / (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);

	if (record->buffer_mib)
		return record->buffer_mib;
	return share_mib >= BUFFER_MIB ? BUFFER_MIB : share_mib > 0 ? (int)share_mib : 1;
}

/* ---- directory ---- */

static bool is_empty_directory(const char *path)
{
	DIR *directory = opendir(path);
	int nr = 0;

	while (directory && readdir(directory))
		nr++;
	if (directory)
		closedir(directory);
	return directory && nr <= 2;
}

static int make_directory(struct session *session, struct error *err)
{
	const char *path = session->record->directory;
	struct stat stat;

	if (lstat(path, &stat) == 0 && !is_empty_directory(path))
		return error_plain(err, "'%s' exists: say another directory with -o", path);
	session->directory = arena_printf(session->record->arena, "%s.%d.tmp", path, (int)getpid());
	return outfile_mkdirs(session->directory, err);
}

static const char *path_in(const struct session *session, const char *name)
{
	return arena_printf(session->record->arena, "%s/%s", session->directory, name);
}

static void remove_directory(const struct session *session)
{
	if (!session->directory)
		return;
	for (size_t i = 0; i < sizeof(file_names) / sizeof(file_names[0]); i++)
		unlink(path_in(session, file_names[i]));
	rmdir(session->directory);
}

/* ---- command ---- */

static void block_signals(struct session *session)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, &session->mask_before);
	session->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC);
}

static _Noreturn void run_command(const struct session *session, int start_fd, int exec_fd)
{
	char byte;
	int reason;

	if (read(start_fd, &byte, 1) != 1) /* the recorder gave up */
		_exit(STATUS_FAILED);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &session->mask_before, NULL);
	execvp(session->record->command[0], session->record->command);
	reason = errno;
	if (write(exec_fd, &reason, sizeof(reason)) < 0)
		_exit(STATUS_FAILED);
	_exit(STATUS_FAILED);
}

static int fork_command(struct session *session, struct error *err)
{
	int start[2], exec[2];

	if (pipe2(start, O_CLOEXEC) != 0 || pipe2(exec, O_CLOEXEC) != 0)
		return error_plain(err, "cannot start a process: %s", strerror(errno));
	session->command = fork();
	if (session->command == 0) {
		close(start[1]);
		run_command(session, start[0], exec[1]);
	}
	close(start[0]);
	close(exec[1]);
	session->start_fd = start[1];
	session->exec_fd = exec[0];
	return session->command > 0 ? 0 : error_plain(err, "cannot start a process: %s", strerror(errno));
}

static int start_command(struct session *session, struct error *err)
{
	const char *name = session->record->command[0];
	int reason;

	if (write(session->start_fd, "", 1) != 1)
		return error_plain(err, "cannot start '%s': %s", TEXT_SHOWN(name), strerror(errno));
	if (read(session->exec_fd, &reason, sizeof(reason)) == (ssize_t)sizeof(reason))
		return error_plain(err, "cannot run '%s': %s", TEXT_SHOWN(name), strerror(reason));
	return 0;
}

/* Until the command has ended. */
static int attend_command(struct session *session, struct error *err)
{
	struct signalfd_siginfo info;

	while (session->command) {
		if (recorder_wait(session->recorder, session->signal_fd, err) != 0)
			return -1;
		if (read(session->signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
			continue;
		if (info.ssi_signo == SIGCHLD &&
		    waitpid(session->command, &session->wait_status, WNOHANG) == session->command)
			session->command = 0;
		else if (info.ssi_signo != SIGCHLD && info.ssi_code == SI_USER) /* from a terminal it has it already */
			kill(session->command, (int)info.ssi_signo);
	}
	return 0;
}

/* ---- recording ---- */

static int read_zoneinfo(char *text, struct error *err)
{
	const int fd = open("/proc/zoneinfo", O_RDONLY | O_CLOEXEC);
	size_t bytes = 0;
	ssize_t nr = -1;

	while (fd >= 0 && (nr = read(fd, text + bytes, ZONEINFO_BYTES - 1 - bytes)) > 0)
		bytes += (size_t)nr;
	if (fd >= 0)
		close(fd);
	text[bytes] = '\0';
	return nr == 0 ? 0 : error_plain(err, "cannot read '/proc/zoneinfo': %s", strerror(errno));
}

/* Memory that is there before it is used, or the kernel would hand it out between zoneinfo and the first event. */
static char *touched(struct arena *arena, size_t bytes)
{
	return memset(arena_alloc(arena, bytes), 1, bytes);
}

static int record_command(struct session *session, struct error *err)
{
	struct timespec from, to;

	if (read_zoneinfo(session->zoneinfo_before, err) != 0 || recorder_start(session->recorder, err) != 0)
		return -1;
	pcp_settle_run(session->settle);
	clock_gettime(CLOCK_MONOTONIC, &from);
	if (start_command(session, err) != 0 || attend_command(session, err) != 0 ||
	    recorder_stop(session->recorder, err) != 0)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &to);
	session->seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
	recorder_count(session->recorder, &session->nr_events, &session->nr_lost);
	return read_zoneinfo(session->zoneinfo_after, err);
}

static int prepare(struct session *session, struct error *err)
{
	struct arena *arena = session->record->arena;
	int emptied;

	session->buffer_mib = buffer_mib_of(session->record);
	session->zoneinfo_before = touched(arena, ZONEINFO_BYTES);
	session->zoneinfo_after = touched(arena, ZONEINFO_BYTES);
	session->recorder = recorder_open(arena, session->directory, (uint32_t)session->buffer_mib << 10, err);
	session->settle = session->recorder ? pcp_settle_begin(arena, err) : NULL;
	if (!session->settle || fork_command(session, err) != 0)
		return -1;
	if (!session->record->empty_lists)
		return 0;
	emptied = pcp_lists_empty(arena, session->signal_fd, err);
	return emptied == 1 ? error_plain(err, "interrupted before the command was started") : emptied;
}

/* ---- files ---- */

static int write_trace(const struct session *session, struct error *err)
{
	struct outfile *file = outfile_open(path_in(session, "trace.dat"), err);

	if (!file)
		return -1;
	if (recorder_write(session->recorder, outfile_stream(file), err) == 0)
		return outfile_commit(file, err);
	outfile_abort(file);
	return -1;
}

static int write_text(const struct session *session, const char *name, const char *text, struct error *err)
{
	struct outfile *file = outfile_open(path_in(session, name), err);

	if (!file)
		return -1;
	fputs(text, outfile_stream(file));
	return outfile_commit(file, err);
}

/* Arguments need not be UTF-8, JSON must be. */
static json_t *words_json(const char *const *words)
{
	json_t *json = json_array();

	for (; *words; words++) {
		json_t *word = json_string(*words);

		json_array_append_new(json, word ? word : json_string("(not UTF-8)"));
	}
	return json;
}

static json_t *status_json(int wait_status)
{
	if (WIFEXITED(wait_status))
		return json_pack("{s: i}", "exit", WEXITSTATUS(wait_status));
	return json_pack("{s: i}", "signal", WTERMSIG(wait_status));
}

static int write_manifest(const struct session *session, struct error *err)
{
	const struct trace_record *record = session->record;
	struct utsname system;
	json_t *json;
	char *text;
	int failed;

	uname(&system);
	json = json_pack("{s: s, s: s, s: i, s: o, s: o, s: f, s: o, s: I, s: I, s: s, s: i, s: b, s: s}", "kernel",
			 system.release, "architecture", system.machine, "cpus", (int)sysconf(_SC_NPROCESSORS_ONLN),
			 "command", words_json((const char *const *)record->command), "status",
			 status_json(session->wait_status), "seconds", session->seconds, "events",
			 words_json(recorder_events(session->recorder)), "recorded_events",
			 (json_int_t)session->nr_events, "lost_events", (json_int_t)session->nr_lost, "clock",
			 RECORDER_CLOCK, "buffer_mib_per_cpu", session->buffer_mib, "lists_emptied",
			 record->empty_lists, "recorder_pages",
			 "none: zoneinfo-before.txt was read after the buffers were allocated");
	text = json ? json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) : NULL;
	json_decref(json);
	failed = text ? write_text(session, "manifest.json", arena_printf(record->arena, "%s\n", text), err)
		      : error_plain(err, "cannot write the manifest");
	free(text);
	return failed;
}

static int write_files(const struct session *session, struct error *err)
{
	const char *path = session->record->directory;

	if (write_trace(session, err) != 0 ||
	    write_text(session, "zoneinfo-before.txt", session->zoneinfo_before, err) != 0 ||
	    write_text(session, "zoneinfo-after.txt", session->zoneinfo_after, err) != 0 ||
	    write_manifest(session, err) != 0)
		return -1;
	if (rename(session->directory, path) != 0)
		return error_plain(err, "cannot rename '%s' to '%s': %s", session->directory, path, strerror(errno));
	return 0;
}

static void report(const struct session *session)
{
	const char *path = session->record->directory;

	fprintf(stderr, "%s: %" PRIu64 " events of %.3f s\n", path, session->nr_events, session->seconds);
	if (session->nr_lost)
		cli_warn("%" PRIu64
			 " EVENTS WERE LOST (%.1f %%): a replay of this trace goes wrong where they are missing; "
			 "record again with more than --buffer %d (MiB for each CPU)",
			 session->nr_lost,
			 100.0 * (double)session->nr_lost / (double)(session->nr_lost + session->nr_events),
			 session->buffer_mib);
}

static void end_session(struct session *session)
{
	if (session->start_fd >= 0)
		close(session->start_fd); /* a command that was not started ends */
	if (session->exec_fd >= 0)
		close(session->exec_fd);
	if (session->command > 0)
		kill(session->command, SIGTERM);
	while (session->command > 0 && waitpid(session->command, NULL, 0) < 0 && errno == EINTR)
		;
	recorder_close(session->recorder); /* the kernel keeps a buffer that a process has open: after the command's */
	pcp_settle_end(session->settle);
	if (session->signal_fd >= 0)
		close(session->signal_fd);
	sigprocmask(SIG_SETMASK, &session->mask_before, NULL);
}

int trace_record(const struct trace_record *record)
{
	struct session session = { .record = record, .start_fd = -1, .exec_fd = -1, .signal_fd = -1 };
	struct error err;
	int status;

	if (make_directory(&session, &err) != 0)
		return cli_fail(STATUS_USAGE, &err);
	block_signals(&session);
	if (prepare(&session, &err) == 0 && record_command(&session, &err) == 0 && write_files(&session, &err) == 0) {
		report(&session);
		status = WIFEXITED(session.wait_status) ? WEXITSTATUS(session.wait_status)
							: 128 + WTERMSIG(session.wait_status);
	} else {
		status = cli_fail(STATUS_FAILED, &err);
		remove_directory(&session);
	}
	end_session(&session);
	return status;
}
