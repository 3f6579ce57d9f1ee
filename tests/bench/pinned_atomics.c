/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one contended cache line costs on the machine at hand: threads pinned
 * to given CPUs hammer one word, or read one page of a file.
 *
 *	pinned_atomics fetch-add 0 1
 *	pinned_atomics --repeat 100 --duration-ms 20 pread-tmpfs 0 1
 *
 * One CSV row per repetition. ns_per_op_per_thread is what one operation costs
 * its thread; 1e9 / aggregate_ops_per_s of ping-pong is one transfer of the
 * line, as core-to-core-latency counts it. run_length is the mean number of
 * operations that a thread does before another one gets in between. A row
 * with involuntary switches was disturbed by other work. A cell is empty where
 * a mode has no such number.
 */
#include <argp.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define LINE_BYTES 128 /* two lines: the adjacent-line prefetcher of x86 moves pairs */
#define BATCH 512 /* operations between two looks at the clock */
#define MAX_CPUS 256
#define PAGE_BYTES 4096
#define PREAD_BYTES 64
#define CALIBRATION_SPINS UINT64_C(2000000)
#define NS_PER_S 1e9
#define NS_PER_MS 1e6

struct shared {
	alignas(LINE_BYTES) _Atomic uint64_t word; /* the contended line */
	alignas(LINE_BYTES) atomic_bool stop;
	alignas(LINE_BYTES) atomic_int nr_waiting; /* threads that have not reached the start */
};

struct worker {
	alignas(LINE_BYTES) pthread_t thread;
	const struct mode *mode;
	struct shared *shared;
	const char *file; /* read by the pread modes */
	int cpu;
	int index; /* among the workers of the run */
	uint64_t think_spins;
	double duration_ns;
	double deadline_ns;
	uint64_t nr_ops;
	uint64_t nr_runs; /* sequences of operations without another thread's in between; 0 when the mode cannot tell */
	uint64_t nr_failures; /* of compare-and-swap */
	double elapsed_ns;
	long voluntary, involuntary; /* context switches */
};

struct mode {
	const char *name;
	void (*loop)(struct worker *worker); /* runs until stopped; fills in nr_ops, nr_runs and nr_failures */
	bool has_failures;
	bool is_pread;
};

struct options {
	const struct mode *mode;
	int cpus[MAX_CPUS];
	int nr_cpus;
	int nr_repeats;
	long duration_ms;
	double think_ns;
	const char *file;
};

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * NS_PER_S + (double)ts.tv_nsec;
}

static void spin(uint64_t nr_spins)
{
	for (uint64_t i = 0; i < nr_spins; i++)
		__asm__ volatile("");
}

/* The fastest of a few tries: a try that was interrupted is slower. */
static double spins_per_ns(void)
{
	double best = 0;

	for (int try = 0; try < 10; try++) {
		double start = now_ns();

		spin(CALIBRATION_SPINS);
		best = fmax(best, (double)CALIBRATION_SPINS / (now_ns() - start));
	}
	return best;
}

static bool stop_flag(const struct worker *worker)
{
	return atomic_load_explicit(&worker->shared->stop, memory_order_relaxed);
}

/* The first worker whose time is up stops all. No other thread has to wake up for it and push a worker off its CPU. */
static bool stopped(const struct worker *worker)
{
	if (stop_flag(worker))
		return true;
	if (now_ns() < worker->deadline_ns)
		return false;
	atomic_store(&worker->shared->stop, true);
	return true;
}

/* Each load's address hangs on the value before it, so that loads do not overlap. The word stays 0. */
static void loop_load(struct worker *worker)
{
	uint64_t index = 0;

	while (!stopped(worker)) {
		for (int i = 0; i < BATCH; i++) {
			index = atomic_load_explicit(&worker->shared->word + index, memory_order_relaxed);
			spin(worker->think_spins);
		}
		worker->nr_ops += BATCH;
	}
}

static void loop_store(struct worker *worker)
{
	while (!stopped(worker)) {
		for (int i = 0; i < BATCH; i++) {
			atomic_store_explicit(&worker->shared->word, (uint64_t)i, memory_order_relaxed);
			spin(worker->think_spins);
		}
		worker->nr_ops += BATCH;
	}
}

static void loop_fetch_add(struct worker *worker)
{
	uint64_t expected = UINT64_MAX;
	uint64_t nr_runs = 0;

	while (!stopped(worker)) {
		for (int i = 0; i < BATCH; i++) {
			uint64_t old = atomic_fetch_add(&worker->shared->word, 1);

			nr_runs += old != expected;
			expected = old + 1;
			spin(worker->think_spins);
		}
		worker->nr_ops += BATCH;
	}
	worker->nr_runs = nr_runs;
}

/* A load, then compare-and-swap with the value that the failed one returned, as the kernel's atomic_add_unless(). */
static void loop_cas(struct worker *worker)
{
	uint64_t expected = UINT64_MAX;
	uint64_t nr_runs = 0, nr_failures = 0;

	while (!stopped(worker)) {
		for (int i = 0; i < BATCH; i++) {
			uint64_t old = atomic_load_explicit(&worker->shared->word, memory_order_relaxed);

			while (!atomic_compare_exchange_weak(&worker->shared->word, &old, old + 1))
				nr_failures++;
			nr_runs += old != expected;
			expected = old + 1;
			spin(worker->think_spins);
		}
		worker->nr_ops += BATCH;
	}
	worker->nr_runs = nr_runs;
	worker->nr_failures = nr_failures;
}

static void loop_swap(struct worker *worker)
{
	uint64_t own = (uint64_t)worker->index + 1;
	uint64_t nr_runs = 0;

	while (!stopped(worker)) {
		for (int i = 0; i < BATCH; i++) {
			nr_runs += atomic_exchange(&worker->shared->word, own) != own;
			spin(worker->think_spins);
		}
		worker->nr_ops += BATCH;
	}
	worker->nr_runs = nr_runs;
}

/* Two threads: one turns 0 into 1, the other 1 into 0. The failures are the tries before it is this thread's turn. */
static void loop_ping_pong(struct worker *worker)
{
	uint64_t from = (uint64_t)worker->index;
	uint64_t nr_ops = 0, nr_failures = 0;

	while (nr_ops % BATCH || !stopped(worker)) {
		uint64_t old = from;

		while (!atomic_compare_exchange_strong(&worker->shared->word, &old, 1 - from)) {
			old = from;
			nr_failures++;
			if (stop_flag(worker))
				goto out;
		}
		nr_ops++;
		spin(worker->think_spins);
	}
out:
	worker->nr_ops = nr_ops;
	worker->nr_runs = nr_ops;
	worker->nr_failures = nr_failures;
}

/* An open file of its own for each thread: they then share the inode and its page, and no struct file. */
static void loop_pread(struct worker *worker)
{
	char bytes[PREAD_BYTES];
	int fd = open(worker->file, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		error(EXIT_FAILURE, errno, "%s", worker->file);
	while (!stopped(worker)) {
		for (int i = 0; i < BATCH; i++) {
			if (pread(fd, bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
				error(EXIT_FAILURE, errno, "%s: cannot read %zu bytes", worker->file, sizeof(bytes));
			spin(worker->think_spins);
		}
		worker->nr_ops += BATCH;
	}
	close(fd);
}

static const struct mode modes[] = {
	{ .name = "load", .loop = loop_load },
	{ .name = "store", .loop = loop_store },
	{ .name = "fetch-add", .loop = loop_fetch_add },
	{ .name = "cas-loop", .loop = loop_cas, .has_failures = true },
	{ .name = "swap", .loop = loop_swap },
	{ .name = "ping-pong", .loop = loop_ping_pong, .has_failures = true },
	{ .name = "pread-tmpfs", .loop = loop_pread, .is_pread = true },
	{ .name = "pread-file", .loop = loop_pread, .is_pread = true },
	{ .name = NULL },
};

static const struct mode *find_mode(const char *name)
{
	for (const struct mode *mode = modes; mode->name; mode++) {
		if (!strcmp(mode->name, name))
			return mode;
	}
	return NULL;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		error(EXIT_FAILURE, errno, "cannot run on CPU %d", cpu);
}

static void wait_for_all(struct shared *shared)
{
	atomic_fetch_sub(&shared->nr_waiting, 1);
	while (atomic_load(&shared->nr_waiting))
		sched_yield();
}

static void *worker_main(void *arg)
{
	struct worker *worker = arg;
	struct rusage before, after;
	double start;

	pin(worker->cpu);
	wait_for_all(worker->shared);
	getrusage(RUSAGE_THREAD, &before);
	start = now_ns();
	worker->deadline_ns = start + worker->duration_ns;
	worker->mode->loop(worker);
	worker->elapsed_ns = now_ns() - start;
	getrusage(RUSAGE_THREAD, &after);
	worker->voluntary = after.ru_nvcsw - before.ru_nvcsw;
	worker->involuntary = after.ru_nivcsw - before.ru_nivcsw;
	return NULL;
}

/* A one-page tmpfs file without a name; opened again by its path under /proc. */
static int make_tmpfs_file(char *path, size_t path_bytes)
{
	char page[PAGE_BYTES] = { 1 };
	int fd = memfd_create("pinned_atomics", MFD_CLOEXEC);

	if (fd < 0 || write(fd, page, sizeof(page)) != (ssize_t)sizeof(page))
		error(EXIT_FAILURE, errno, "cannot make a tmpfs file");
	snprintf(path, path_bytes, "/proc/self/fd/%d", fd);
	return fd;
}

static void run_workers(const struct options *options, struct shared *shared, struct worker *workers)
{
	int err;

	*shared = (struct shared){ .nr_waiting = options->nr_cpus };
	for (int i = 0; i < options->nr_cpus; i++) {
		err = pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]);
		if (err)
			error(EXIT_FAILURE, err, "cannot start a thread");
	}
	for (int i = 0; i < options->nr_cpus; i++)
		pthread_join(workers[i].thread, NULL);
}

static void print_cell(bool known, double value)
{
	if (known)
		printf(",%.6g", value);
	else
		printf(",");
}

static void print_row(const struct options *options, const struct worker *workers)
{
	struct worker sum = { 0 };
	double ops_per_s = 0;

	printf("%s,", options->mode->name);
	for (int i = 0; i < options->nr_cpus; i++) {
		const struct worker *worker = &workers[i];

		printf("%s%d", i ? "+" : "", worker->cpu);
		sum.nr_ops += worker->nr_ops;
		sum.nr_runs += worker->nr_runs;
		sum.nr_failures += worker->nr_failures;
		sum.elapsed_ns += worker->elapsed_ns;
		sum.voluntary += worker->voluntary;
		sum.involuntary += worker->involuntary;
		ops_per_s += (double)worker->nr_ops / worker->elapsed_ns * NS_PER_S;
	}
	printf(",%g,%.6g,%.6g", options->think_ns, sum.elapsed_ns / (double)sum.nr_ops, ops_per_s);
	print_cell(options->mode->has_failures, (double)sum.nr_failures / (double)sum.nr_ops);
	print_cell(sum.nr_runs, (double)sum.nr_ops / (double)sum.nr_runs);
	print_cell(options->mode->is_pread, (double)sum.voluntary / (double)sum.nr_ops);
	printf(",%ld\n", sum.involuntary);
}

static void measure(const struct options *options)
{
	struct shared *shared = aligned_alloc(LINE_BYTES, sizeof(*shared));
	struct worker *workers = aligned_alloc(LINE_BYTES, sizeof(*workers) * (size_t)options->nr_cpus);
	double think_spins = options->think_ns > 0 ? options->think_ns * spins_per_ns() : 0;

	if (!shared || !workers)
		error(EXIT_FAILURE, errno, "cannot allocate memory");
	for (int repeat = 0; repeat < options->nr_repeats; repeat++) {
		for (int i = 0; i < options->nr_cpus; i++) {
			workers[i] = (struct worker){
				.mode = options->mode,
				.shared = shared,
				.file = options->file,
				.cpu = options->cpus[i],
				.index = i,
				.think_spins = (uint64_t)(think_spins + 0.5),
				.duration_ns = (double)options->duration_ms * NS_PER_MS,
			};
		}
		run_workers(options, shared, workers);
		print_row(options, workers);
	}
	free(workers);
	free(shared);
}

static long parse_number(struct argp_state *state, const char *text, long min, long max)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (end == text || *end || value < min || value > max)
		argp_error(state, "'%s' is not a whole number from %ld to %ld", text, min, max);
	return value;
}

static void parse_argument(struct options *options, char *arg, struct argp_state *state)
{
	if (!options->mode) {
		options->mode = find_mode(arg);
		if (!options->mode)
			argp_error(state, "unknown mode '%s'", arg);
		return;
	}
	if (options->nr_cpus == MAX_CPUS)
		argp_error(state, "more than %d CPUs", MAX_CPUS);
	options->cpus[options->nr_cpus++] = (int)parse_number(state, arg, 0, CPU_SETSIZE - 1);
}

static void check_options(const struct options *options, struct argp_state *state)
{
	if (!options->nr_cpus)
		argp_error(state, "needs a mode and at least one CPU");
	if (options->mode->loop == loop_ping_pong && options->nr_cpus != 2)
		argp_error(state, "ping-pong takes two CPUs");
	if (!strcmp(options->mode->name, "pread-file") && !options->file)
		argp_error(state, "pread-file needs --file");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 't':
		options->think_ns = (double)parse_number(state, arg, 0, 1000000000);
		break;
	case 'd':
		options->duration_ms = parse_number(state, arg, 1, 3600000);
		break;
	case 'r':
		options->nr_repeats = (int)parse_number(state, arg, 1, 1000000);
		break;
	case 'f':
		options->file = arg;
		break;
	case ARGP_KEY_ARG:
		parse_argument(options, arg, state);
		break;
	case ARGP_KEY_END:
		check_options(options, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option argp_options[] = {
	{ "think-ns", 't', "NS", 0, "private work after each operation (default 0)", 0 },
	{ "duration-ms", 'd', "MS", 0, "length of a repetition (default 100)", 0 },
	{ "repeat", 'r', "N", 0, "repetitions, one row each (default 1)", 0 },
	{ "file", 'f', "PATH", 0, "what pread-file reads", 0 },
	{ 0 },
};

int main(int argc, char **argv)
{
	const struct argp argp = {
		.options = argp_options,
		.parser = parse_option,
		.args_doc = "MODE CPU...",
		.doc = "Cost of one contended cache line between pinned threads.\v"
		       "Modes: load store fetch-add cas-loop swap ping-pong pread-tmpfs pread-file",
	};
	struct options options = { .nr_repeats = 1, .duration_ms = 100 };
	char tmpfs_path[64];
	int tmpfs_fd = -1;

	argp_parse(&argp, argc, argv, 0, NULL, &options);
	if (!strcmp(options.mode->name, "pread-tmpfs")) {
		tmpfs_fd = make_tmpfs_file(tmpfs_path, sizeof(tmpfs_path));
		options.file = tmpfs_path;
	}
	puts("mode,cpus,think_ns,ns_per_op_per_thread,aggregate_ops_per_s,cas_failures_per_op,run_length,"
	     "voluntary_switches_per_op,involuntary_switches");
	measure(&options);
	if (tmpfs_fd >= 0)
		close(tmpfs_fd);
	return EXIT_SUCCESS;
}
