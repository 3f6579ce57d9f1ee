/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace.dat that we write is one: trace-cmd's library finds in it the events that pages of a ring buffer hold. */
#include "sim/trace/trace_dat_write.h"

#include "sim/trace/trace_reader.h"
#include "tests/support/scratch.h"
#include "tests/support/unit.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* As tracefs has them, the fields that are read. */
static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
static const char header_event[] = "# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n"
				   "\tarray       :   32 bits\n\n\tpadding     : type == 29\n"
				   "\ttime_extend : type == 30\n\ttime_stamp : type == 31\n"
				   "\tdata max type_len  == 28\n";
static const char *const formats[] = {
	"name: mm_page_free\nID: 77\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int order;\toffset:16;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"pfn=0x%lx order=%d\", REC->pfn, REC->order\n",
	NULL,
};

static const char *const work_formats[] = {
	"name: workqueue_execute_start\nID: 78\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:void * function;\toffset:8;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"function %ps\", REC->function\n",
	NULL,
};

#define VMSTAT_UPDATE 0xffffffff81234560
static const char symbols[] = "ffffffff81234560 t vmstat_update\n";

#define FREE 77
#define WORK 78
#define PAYLOAD_WORDS 5 /* type and flags, pid, pfn or function, order */

struct spooled {
	int64_t time_ns;
	uint32_t type;
	uint64_t value; /* pfn or function */
};

/* A sub-buffer with one event at its own date. */
static int spool(const struct scratch *scratch, const char *name, const struct spooled *spooled)
{
	uint64_t page[512] = { (uint64_t)spooled->time_ns, 4 + 4 * PAYLOAD_WORDS };
	const uint32_t event[1 + PAYLOAD_WORDS] = {
		PAYLOAD_WORDS, spooled->type, 42, (uint32_t)spooled->value, (uint32_t)(spooled->value >> 32), 3
	};
	const int fd = open(scratch_path(scratch, name), O_RDWR | O_CREAT | O_TRUNC, 0600);

	memcpy(page + 2, event, sizeof(event));
	assert_int_equal(write(fd, page, sizeof(page)), sizeof(page));
	return fd;
}

/* One event for each CPU, the middle one has none. */
static struct trace_reader *write_and_open(const struct scratch *scratch, const struct spooled *first,
					   const struct spooled *third)
{
	const struct trace_dat_system systems[] = { { "kmem", formats }, { "workqueue", work_formats } };
	const struct trace_dat_header header = { header_page,	      header_event, systems,
						 ARRAY_SIZE(systems), symbols,	    "42 make\n" };
	const int fds[] = { spool(scratch, "0", first), open("/dev/null", O_RDONLY), spool(scratch, "2", third) };
	const char *path = scratch_path(scratch, "w.dat");
	FILE *out = fopen(path, "wb");

	assert_int_equal(trace_dat_write(out, &header, fds, ARRAY_SIZE(fds), NULL), 0);
	assert_int_equal(fclose(out), 0);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		close(fds[i]);
	return trace_reader_open(scratch->arena, path, NULL);
}

static void what_is_written_is_read_again_in_the_order_of_time(void **state)
{
	static const struct spooled first = { 2000, FREE, 0x55 };
	static const struct spooled third = { 1000, FREE, 0x123456789 };
	static const struct {
		const struct spooled *spooled;
		uint16_t cpu;
	} expected[] = { { &third, 2 }, { &first, 0 } };
	struct trace_reader *reader;
	struct trace_event event;

	if (sysconf(_SC_PAGESIZE) != 4096)
		skip();
	reader = write_and_open(*state, &first, &third);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_int_equal(trace_reader_next(reader, &event, NULL), 1);
		assert_int_equal(event.type, TRACE_PAGE_FREE);
		assert_int_equal(event.time_ns, expected[i].spooled->time_ns);
		assert_int_equal(event.pfn, expected[i].spooled->value);
		assert_int_equal(event.cpu, expected[i].cpu);
		assert_int_equal(event.order, 3);
		assert_int_equal(event.pid, 42);
		assert_string_equal(event.comm, "make");
	}
	assert_int_equal(trace_reader_next(reader, &event, NULL), 0);
	trace_reader_close(reader);
}

static void of_works_only_vmstat_update_is_an_event(void **state)
{
	static const struct spooled other = { 1000, WORK, VMSTAT_UPDATE - 0x100 };
	static const struct spooled update = { 2000, WORK, VMSTAT_UPDATE };
	static const struct trace_event expected = {
		.time_ns = 2000,
		.pid = 42,
		.cpu = 2,
		.type = TRACE_VMSTAT_UPDATE,
		.migratetype = -1,
		.percpu_refill = -1,
		.comm = "make",
	};
	struct trace_reader *reader;
	struct trace_event event;

	if (sysconf(_SC_PAGESIZE) != 4096)
		skip();
	reader = write_and_open(*state, &other, &update);
	assert_int_equal(trace_reader_next(reader, &event, NULL), 1);
	assert_true(trace_event_same(&event, &expected));
	assert_int_equal(trace_reader_next(reader, &event, NULL), 0);
	trace_reader_close(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_written_is_read_again_in_the_order_of_time, scratch_setup,
						scratch_teardown),
		cmocka_unit_test_setup_teardown(of_works_only_vmstat_update_is_an_event, scratch_setup,
						scratch_teardown),
	};

	return cmocka_run_group_tests_name("trace_dat_write", tests, NULL, NULL);
}
