/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a message over a local stream socket costs on the machine at hand: CPU
 * time of one write() and of one read(), by two processes pinned to two CPUs.
 *
 *	socket_costs unix 65536 65536 100
 *	socket_costs tcp 64 131072 100
 *
 * Arguments: socket, bytes per write, bytes per read at most, repetitions. One
 * CSV row per repetition. CPU time leaves out what other work takes from the
 * processes, but not that it cools their caches: take lower quartiles.
 */
#include <arpa/inet.h>
#include <err.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BUFFER_BYTES (1 << 20)
#define DURATION_S 0.05
#define BATCH 16 /* writes between two looks at the clock */

/* What one of the processes has measured. */
struct side {
	double calls, bytes, cpu_s, sleeps;
};

struct measurement {
	struct side writer, reader;
};

static double seconds(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %d", cpu);
}

static void connect_tcp(int ends[2])
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t bytes = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || ends[0] < 0 || bind(listener, (struct sockaddr *)&address, bytes) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &bytes) ||
	    connect(ends[0], (struct sockaddr *)&address, bytes) || (ends[1] = accept(listener, NULL, NULL)) < 0)
		err(1, "loopback");
	close(listener);
}

static void end_side(struct side *side, double cpu_from_s)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	side->cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_from_s;
	side->sleeps = (double)usage.ru_nvcsw;
}

static void read_all(int end, char *buffer, size_t bytes, struct side *side)
{
	const double cpu_from_s = seconds(CLOCK_PROCESS_CPUTIME_ID);
	ssize_t got;

	while ((got = read(end, buffer, bytes)) > 0) {
		side->calls++;
		side->bytes += (double)got;
	}
	end_side(side, cpu_from_s);
}

static void write_for_a_while(int end, const char *buffer, size_t bytes, struct side *side)
{
	const double cpu_from_s = seconds(CLOCK_PROCESS_CPUTIME_ID);
	const double until_s = seconds(CLOCK_MONOTONIC) + DURATION_S;

	while (seconds(CLOCK_MONOTONIC) < until_s) {
		for (int i = 0; i < BATCH; i++) {
			ssize_t sent = write(end, buffer, bytes);

			if (sent < 0)
				err(1, "write");
			side->calls++;
			side->bytes += (double)sent;
		}
	}
	end_side(side, cpu_from_s);
}

/* Both sides are children, so that CPU times and switches start from nothing. */
static void measure(bool tcp, size_t write_bytes, size_t read_bytes, struct measurement *shared)
{
	char *buffer = aligned_alloc(4096, BUFFER_BYTES);
	int ends[2];

	memset(buffer, 1, BUFFER_BYTES);
	if (tcp)
		connect_tcp(ends);
	else if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		err(1, "socketpair");
	for (int side = 0; side < 2; side++) {
		if (fork())
			continue;
		pin(side);
		close(ends[1 - side]);
		if (side)
			read_all(ends[1], buffer, read_bytes, &shared->reader);
		else
			write_for_a_while(ends[0], buffer, write_bytes, &shared->writer);
		_exit(0);
	}
	close(ends[0]);
	close(ends[1]);
	while (wait(NULL) > 0)
		;
	free(buffer);
}

int main(int argc, char **argv)
{
	struct measurement *shared =
		mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int repetitions = argc == 5 ? atoi(argv[4]) : 0;

	if (repetitions <= 0 || shared == MAP_FAILED)
		errx(2, "usage: socket_costs unix|tcp WRITE_BYTES READ_BYTES REPETITIONS");
	puts("socket,write_bytes,write_ns,read_ns,bytes_per_read,write_sleeps,read_sleeps");
	while (repetitions--) {
		const struct side *writer = &shared->writer, *reader = &shared->reader;

		*shared = (struct measurement){ 0 };
		measure(strcmp(argv[1], "tcp") == 0, (size_t)atol(argv[2]), (size_t)atol(argv[3]), shared);
		printf("%s,%s,%.0f,%.0f,%.0f,%.4f,%.4f\n", argv[1], argv[2], 1e9 * writer->cpu_s / writer->calls,
		       1e9 * reader->cpu_s / reader->calls, reader->bytes / reader->calls,
		       writer->sleeps / writer->calls, reader->sleeps / reader->calls);
		fflush(stdout);
	}
	return 0;
}
