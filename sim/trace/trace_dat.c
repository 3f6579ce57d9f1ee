/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parent's side: a file to seek in, the child, and what comes out of its pipe.
 *
 *	READING -pipe ends-> child is awaited -complete-> END
 *				 -any other outcome, signal-> error
 */
#include "sim/trace/trace_dat.h"

#include "sim/trace/trace_dat_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIPE_BYTES ((size_t)64 << 10)
#define MAX_MORE_BYTES ((rlim_t)4 << 30) /* of address space beyond what the program has; the library maps 100 MB */
#define MAX_CPU_S 20 /* and for each MiB of the file, which is read in half a second when compressed well: */
#define MAX_CPU_S_PER_MIB 4

static const char magic[TRACE_DAT_MAGIC_BYTES] = { '\x17', '\x08', '\x44', 't', 'r', 'a', 'c', 'i', 'n', 'g' };

struct trace_dat {
	const char *path;
	int events; /* end of the pipe, -1 when it is closed */
	char *buffer; /* PIPE_BYTES, of which [at, end) are to be taken */
	size_t at, end;
	pid_t child; /* 0 once it was awaited */
	int status; /* of its end */
	struct trace_dat_report *report; /* a mapping of its own */
};

bool trace_dat_recognize(const char *bytes, size_t nr)
{
	return nr >= sizeof(magic) && memcmp(bytes, magic, sizeof(magic)) == 0;
}

static int fail(const char *path, struct error *err)
{
	return error_plain(err, "cannot read '%s': %s", path, strerror(errno));
}

/* The file itself when its own bytes are the trace; -1 when they are compressed, or of standard input. */
static int open_plain(const char *path)
{
	const int fd = strcmp(path, "-") == 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	char bytes[sizeof(magic)];
	struct stat stat;

	if (fd >= 0 && fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) &&
	    pread(fd, bytes, sizeof(bytes), 0) == (ssize_t)sizeof(bytes) && trace_dat_recognize(bytes, sizeof(bytes)))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static int copy_all(struct trace_file *file, FILE *copy, struct error *err)
{
	const char *bytes;
	size_t nr;

	do {
		if (trace_file_peek(file, 1, &bytes, &nr, err) != 0)
			return -1;
		if (fwrite(bytes, 1, nr, copy) != nr)
			return error_plain(err, "cannot unpack '%s' into a temporary file: %s", trace_file_path(file),
					   strerror(errno));
		trace_file_skip(file, nr);
	} while (nr);
	if (fflush(copy) != 0)
		return error_plain(err, "cannot unpack '%s' into a temporary file: %s", trace_file_path(file),
				   strerror(errno));
	return 0;
}

/* A file without a name that holds what comes out of another. */
static int open_copy(struct trace_file *file, struct error *err)
{
	FILE *copy = tmpfile();
	int fd = -1;

	if (!copy)
		return error_plain(err, "cannot unpack '%s' into a temporary file: %s", trace_file_path(file),
				   strerror(errno));
	if (copy_all(file, copy, err) == 0) {
		fd = fcntl(fileno(copy), F_DUPFD_CLOEXEC, 0);
		if (fd < 0)
			fail(trace_file_path(file), err);
		else
			lseek(fd, 0, SEEK_SET);
	}
	fclose(copy);
	return fd;
}

static void set_limit(__rlimit_resource_t resource, rlim_t most)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) != 0 || limit.rlim_cur <= most)
		return;
	limit.rlim_cur = most;
	setrlimit(resource, &limit);
}

/* Address space is counted from what the program has, which sanitizers make large. */
static void set_limits(int fd)
{
	struct stat stat = { 0 };
	unsigned long pages = 0;
	FILE *statm = fopen("/proc/self/statm", "r");

	if (statm && fscanf(statm, "%lu", &pages) == 1)
		set_limit(RLIMIT_AS, (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + MAX_MORE_BYTES);
	if (statm)
		fclose(statm);
	if (fstat(fd, &stat) == 0)
		set_limit(RLIMIT_CPU, MAX_CPU_S + MAX_CPU_S_PER_MIB * ((rlim_t)stat.st_size >> 20));
	set_limit(RLIMIT_CORE, 0);
}

/* The library prints where it likes, and a crash of it is no business of a handler of ours. */
static void isolate(pid_t parent)
{
	static const int signals[] = { SIGINT,	SIGTERM, SIGHUP, SIGPIPE, SIGSEGV, SIGBUS,
				       SIGABRT, SIGFPE,	 SIGILL, SIGXCPU, SIGALRM };
	const int null = open("/dev/null", O_RDWR);

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_DFL);
	for (int fd = 0; fd <= 2; fd++)
		dup2(null, fd);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
}

static _Noreturn void run_child(pid_t parent, int fd, int out, struct trace_dat_report *report)
{
	FILE *events = fdopen(out, "wb");

	isolate(parent);
	set_limits(fd);
	if (events && setvbuf(events, NULL, _IOFBF, PIPE_BYTES) == 0)
		trace_dat_translate(fd, events, report);
	_exit(0);
}

/* Pipe, mapping and child. */
static int start(struct arena *arena, struct trace_dat *dat, int fd, struct error *err)
{
	const pid_t parent = getpid();
	int ends[2];

	dat->report = mmap(NULL, sizeof(*dat->report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (dat->report == MAP_FAILED) {
		dat->report = NULL;
		return fail(dat->path, err);
	}
	if (pipe2(ends, O_CLOEXEC) != 0)
		return fail(dat->path, err);
	dat->child = fork();
	if (dat->child == 0) {
		close(ends[0]);
		run_child(parent, fd, ends[1], dat->report);
	}
	close(ends[1]);
	dat->events = ends[0];
	dat->buffer = arena_alloc(arena, PIPE_BYTES);
	return dat->child > 0 ? 0 : fail(dat->path, err);
}

struct trace_dat *trace_dat_open(struct arena *arena, struct trace_file *file, struct error *err)
{
	struct trace_dat *dat = arena_alloc(arena, sizeof(*dat));
	int fd = open_plain(trace_file_path(file));

	if (fd < 0)
		fd = open_copy(file, err);
	if (fd < 0)
		return NULL;
	dat->path = trace_file_path(file);
	dat->events = -1;
	if (start(arena, dat, fd, err) != 0) {
		trace_dat_close(dat);
		dat = NULL;
	}
	close(fd);
	return dat;
}

/* A child that still writes finds nobody there any more. */
static void await_child(struct trace_dat *dat)
{
	if (dat->events >= 0)
		close(dat->events);
	dat->events = -1;
	while (dat->child > 0 && waitpid(dat->child, &dat->status, 0) < 0 && errno == EINTR)
		;
	dat->child = 0;
}

/* What the end of the pipe means. */
static int judge(struct trace_dat *dat, struct error *err)
{
	await_child(dat);
	switch (dat->report->outcome) {
	case TRACE_DAT_COMPLETE:
		return 0;
	case TRACE_DAT_UNREADABLE:
		return error_plain(
			err,
			"cannot read '%s': no trace.dat that trace-cmd's library can read: damaged, cut off or "
			"of another version",
			dat->path);
	case TRACE_DAT_WITHOUT_KMEM:
		return error_plain(err,
				   "'%s' has no event of a page: record kmem:mm_page_alloc, mm_page_free, "
				   "mm_page_pcpu_drain and mm_page_alloc_zone_locked",
				   dat->path);
	default:
		return error_plain(err, "cannot read '%s': trace-cmd's library failed on it%s%s", dat->path,
				   WIFSIGNALED(dat->status) ? ": " : "",
				   WIFSIGNALED(dat->status) ? strsignal(WTERMSIG(dat->status)) : "");
	}
}

/* Whether a whole event is in the buffer, after reading on where it was not. */
static bool buffer_fill(struct trace_dat *dat)
{
	ssize_t nr = 1;

	while (dat->end - dat->at < sizeof(struct trace_event) && dat->events >= 0 && nr > 0) {
		memmove(dat->buffer, dat->buffer + dat->at, dat->end - dat->at);
		dat->end -= dat->at;
		dat->at = 0;
		do
			nr = read(dat->events, dat->buffer + dat->end, PIPE_BYTES - dat->end);
		while (nr < 0 && errno == EINTR);
		dat->end += nr > 0 ? (size_t)nr : 0;
	}
	return dat->end - dat->at >= sizeof(struct trace_event);
}

int trace_dat_next(struct trace_dat *dat, struct trace_event *event, struct error *err)
{
	if (!buffer_fill(dat))
		return judge(dat, err);
	memcpy(event, dat->buffer + dat->at, sizeof(*event));
	dat->at += sizeof(*event);
	if (!trace_event_is_valid(event))
		return error_plain(err, "cannot read '%s': trace-cmd's library failed on it", dat->path);
	return 1;
}

const struct trace_skipped *trace_dat_skipped(const struct trace_dat *dat)
{
	return &dat->report->skipped;
}

void trace_dat_close(struct trace_dat *dat)
{
	if (!dat)
		return;
	if (dat->child > 0)
		kill(dat->child, SIGKILL);
	await_child(dat);
	if (dat->report)
		munmap(dat->report, sizeof(*dat->report));
	dat->report = NULL;
}
