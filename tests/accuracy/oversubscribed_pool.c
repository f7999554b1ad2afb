/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * oversubscribed_pool - twice as many workers as cores take items that one thread makes. All cores
 * are busy, so that each microsecond of work counts.
 *
 * period = 100 + 600 * A + 300 * B
 */
#define QUEUE_MOST 8
#include "items.h"

WORK_FUNCTION void larger(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void smaller(uint64_t loops)
{
	WORK(loops); /* target B */
}

WORK_FUNCTION void make_item(uint64_t loops)
{
	WORK(loops);
}

static void *run_producer(void *unused)
{
	uint64_t loops = work_loops(100, 'C');

	while (work_goes_on()) {
		make_item(loops);
		items_put();
	}
	items_end();
	return unused;
}

static void *run_worker(void *unused)
{
	uint64_t larger_loops = work_loops(600, 'A'), smaller_loops = work_loops(300, 'B');

	while (items_take()) {
		larger(larger_loops);
		smaller(smaller_loops);
		__atomic_fetch_add(&work.visits, 1, __ATOMIC_RELAXED);
		LEVER_PROGRESS_NAMED("item");
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t producer;

	work_begin(count, arguments);
	pthread_create(&producer, NULL, run_producer, NULL);
	work_in_threads(2 * work_cores(), run_worker);
	pthread_join(producer, NULL);
	work_end();
	return 0;
}
