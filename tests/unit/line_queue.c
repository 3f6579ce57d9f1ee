/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The queue of a line by itself: requests come and go by a script, and the
 * picks must come in the order given.
 */
#include "models/hardware/line_queue.h"

#include "tests/support/rig.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 128

/* Clusters of four CPUs: 0 to 3 and 4 to 7 in one socket, 8 to 11 and 12 to 15 in the other. */
static struct machine_config queue_machine(enum arbitration arbitration, uint32_t cluster_turn)
{
	struct machine_config config = rig_machine(1);

	config.topology.cores_per_cluster = 4;
	config.line.arbitration = arbitration;
	config.line.cluster_turn = cluster_turn;
	return config;
}

struct queue_case {
	const char *what;
	enum arbitration arbitration;
	uint32_t cluster_turn;
	int holder;
	/*
	 * "w3" adds a write of CPU 3, "r3" a read, "-3" takes the request of CPU 3 away, "." picks and removes, "*"
	 * picks all that wait.
	 */
	const char *script;
	const char *picks; /* what the picks must be; "none" when nobody waits */
};

/* clang-format off */
static const struct queue_case queue_cases[] = {
	{ "an empty queue has nobody", ARBITRATION_CLUSTER_TURNS, 1, -1, ". .", "none none" },
	{ "one cluster is first in first out", ARBITRATION_CLUSTER_TURNS, 1, -1, "w2 w0 w3 w1 *", "2 0 3 1" },
	{ "clusters come in the order of their first request", ARBITRATION_CLUSTER_TURNS, 1, -1, "w12 w0 w8 w4 *", "12 0 8 4" },
	{ "clusters alternate", ARBITRATION_CLUSTER_TURNS, 1, -1, "w0 w1 w2 w4 w5 w6 *", "0 4 1 5 2 6" },
	{ "a turn of two", ARBITRATION_CLUSTER_TURNS, 2, -1, "w0 w1 w2 w4 w5 w6 *", "0 1 4 5 2 6" },
	{ "a read ends a turn", ARBITRATION_CLUSTER_TURNS, 3, -1, "w0 r1 w2 w4 w5 w6 *", "0 1 4 5 6 2" },
	{ "a cluster that comes back goes on with its turn", ARBITRATION_CLUSTER_TURNS, 2, -1, "w0 . w1 w4 w2 *", "0 1 4 2" },
	{ "a cluster that was served alone yields", ARBITRATION_CLUSTER_TURNS, 2, -1, "w0 . w1 . w2 . w3 w4 *", "0 1 2 4 3" },
	{ "a turn begins anew after another's", ARBITRATION_CLUSTER_TURNS, 2, -1, "w0 . w4 . w1 w2 w5 *", "0 4 1 2 5" },
	{ "a request may leave the middle", ARBITRATION_CLUSTER_TURNS, 1, -1, "w0 w1 w2 -1 *", "0 2" },
	{ "a request may leave the front", ARBITRATION_CLUSTER_TURNS, 1, -1, "w0 w1 w4 -0 *", "1 4" },
	{ "a request may leave the end", ARBITRATION_CLUSTER_TURNS, 1, -1, "w0 w1 -1 w2 *", "0 2" },
	{ "a whole cluster may leave", ARBITRATION_CLUSTER_TURNS, 1, -1, "w0 w4 w8 -4 w5 *", "0 8 5" },
	{ "all may leave", ARBITRATION_CLUSTER_TURNS, 1, -1, "w0 w4 -0 -4 . w8 *", "none 8" },
	{ "by arrival", ARBITRATION_FIFO, 1, 0, "w8 w0 w9 w4 w1 w12 *", "8 0 9 4 1 12" },
	{ "nearest to cluster 0", ARBITRATION_NEAREST, 1, 0, "w8 w4 w0 w9 w1 w12 *", "0 1 4 8 9 12" },
	{ "nearest to cluster 3", ARBITRATION_NEAREST, 1, 3, "w4 w0 w8 w12 *", "12 8 4 0" },
	{ "nearest to nobody is by arrival", ARBITRATION_NEAREST, 1, -1, "w8 w4 w0 *", "8 4 0" },
	{ "nearest to several is by arrival", ARBITRATION_NEAREST, 1, -2, "w8 w4 w0 *", "8 4 0" },
	{ "newest of a cluster, in turns", ARBITRATION_NEWEST, 1, -1, "w0 w1 w2 w4 w5 *", "2 5 1 4 0" },
};
/* clang-format on */

struct queue_play {
	const struct queue_case *each;
	struct line_queue queue;
	struct rig rig;
	char picks[TEXT_BYTES];
};

static bool pick_one(struct queue_play *play)
{
	struct line_request *request = line_queue_pick(&play->queue, play->each->holder);
	char *end = play->picks + strlen(play->picks);

	if (end > play->picks)
		*end++ = ' ';
	if (!request) {
		strcpy(end, "none");
		return false;
	}
	sprintf(end, "%d", request->cpu->id);
	line_queue_remove(&play->queue, request);
	return true;
}

static void take_word(struct queue_play *play, const char *word)
{
	struct cpu *cpu = &play->rig.cpus[word[1] ? atoi(word + 1) : 0];

	switch (word[0]) {
	case '.':
		pick_one(play);
		break;
	case '*':
		while (play->queue.nr_clusters_waiting)
			pick_one(play);
		break;
	case '-':
		line_queue_remove(&play->queue, &cpu->request);
		break;
	default:
		line_queue_add(&play->queue, cpu, NULL, word[0] == 'w');
	}
}

static void requests_are_picked_in_the_machines_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(queue_cases); i++) {
		struct queue_play play = { .each = &queue_cases[i] };
		struct machine_config config = queue_machine(play.each->arbitration, play.each->cluster_turn);
		char script[TEXT_BYTES];

		rig_create(&play.rig, &config, 1);
		line_queue_init(&play.queue, play.rig.arena, play.rig.machine, 1);
		strcpy(script, play.each->script);
		for (char *word = strtok(script, " "); word; word = strtok(NULL, " "))
			take_word(&play, word);
		rig_destroy(&play.rig);
		if (strcmp(play.picks, play.each->picks))
			print_error("%s\n", play.each->what);
		assert_string_equal(play.picks, play.each->picks);
	}
}

static void a_picked_request_stays_until_it_is_removed(void **state)
{
	struct machine_config config = queue_machine(ARBITRATION_FIFO, 1);
	struct line_queue queue = { .machine = NULL };
	struct line_request *request;
	struct rig rig;

	(void)state;
	rig_create(&rig, &config, 1);
	line_queue_init(&queue, rig.arena, rig.machine, 1);
	line_queue_add(&queue, &rig.cpus[1], NULL, true);
	line_queue_add(&queue, &rig.cpus[0], NULL, false);
	request = line_queue_pick(&queue, -1);
	assert_ptr_equal(request, &rig.cpus[1].request);
	assert_ptr_equal(line_queue_pick(&queue, -1), request);
	assert_ptr_equal(line_queue_oldest(&queue, 0), request);
	assert_ptr_equal(request->next, &rig.cpus[0].request);
	assert_true(request->write);
	assert_false(request->next->write);
	assert_null(line_queue_oldest(&queue, 1));
	rig_destroy(&rig);
}

static void only_other_clusters_are_others(void **state)
{
	struct machine_config config = queue_machine(ARBITRATION_CLUSTER_TURNS, 1);
	struct line_queue queue = { .machine = NULL };
	struct rig rig;

	(void)state;
	rig_create(&rig, &config, 1);
	line_queue_init(&queue, rig.arena, rig.machine, 1);
	assert_false(line_queue_other_cluster_waits(&queue, 0));
	line_queue_add(&queue, &rig.cpus[0], NULL, true);
	line_queue_add(&queue, &rig.cpus[1], NULL, true);
	assert_false(line_queue_other_cluster_waits(&queue, 0));
	assert_true(line_queue_other_cluster_waits(&queue, 1));
	line_queue_add(&queue, &rig.cpus[4], NULL, true);
	assert_true(line_queue_other_cluster_waits(&queue, 0));
	line_queue_remove(&queue, &rig.cpus[0].request);
	line_queue_remove(&queue, &rig.cpus[1].request);
	assert_true(line_queue_other_cluster_waits(&queue, 0));
	assert_false(line_queue_other_cluster_waits(&queue, 1));
	rig_destroy(&rig);
}

/* Which of the four CPUs of a cluster comes first, over many draws of one stream. */
static void random_order_gives_all_the_same_chance(void **state)
{
	struct machine_config config = queue_machine(ARBITRATION_RANDOM, 1);
	struct line_queue queue = { .machine = NULL };
	int first[4] = { 0 };
	struct rig rig;

	(void)state;
	rig_create(&rig, &config, 1);
	line_queue_init(&queue, rig.arena, rig.machine, 1);
	for (int cpu = 0; cpu < 4; cpu++)
		line_queue_add(&queue, &rig.cpus[cpu], NULL, true);
	for (int i = 0; i < 4000; i++)
		first[line_queue_pick(&queue, -1)->cpu->id]++;
	for (int cpu = 0; cpu < 4; cpu++)
		assert_in_range(first[cpu], 890, 1110); /* 1000 and four standard deviations of 27 */
	rig_destroy(&rig);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_are_picked_in_the_machines_order),
		cmocka_unit_test(a_picked_request_stays_until_it_is_removed),
		cmocka_unit_test(only_other_clusters_are_others),
		cmocka_unit_test(random_order_gives_all_the_same_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
