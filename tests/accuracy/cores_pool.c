/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cores_pool - one thread makes items, a worker on each other core takes them. The workers decide
 * the rate, until the items cost them a sixth less.
 *
 * period = max(250 * A, 300 * B)
 */
#define QUEUE_MOST 64
#include "items.h"

WORK_FUNCTION void make_item(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void use_item(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void *run_producer(void *unused)
{
	uint64_t loops = work_loops(250, 'A');

	while (work_goes_on()) {
		make_item(loops);
		items_put();
	}
	items_end();
	return unused;
}

static int worker_count(void)
{
	return work_cores() - 1;
}

static void *run_worker(void *unused)
{
	uint64_t loops = work_loops(300 * worker_count(), 'B');

	while (items_take()) {
		use_item(loops);
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
	work_in_threads(worker_count(), run_worker);
	pthread_join(producer, NULL);
	work_end();
	return 0;
}
