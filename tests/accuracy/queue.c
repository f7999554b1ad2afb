/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * queue - a producer and a consumer with a short queue, a mutex and two condition variables.
 *
 * period = max(450 * A, 600 * B)
 * set = A B
 */
#ifndef QUEUE_MOST
#define QUEUE_MOST 8
#define PRODUCE_US 450
#define CONSUME_US 600
#endif
#include "items.h"

WORK_FUNCTION void produce(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void consume(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void *run_producer(void *unused)
{
	uint64_t loops = work_loops(PRODUCE_US, 'A');

	while (work_goes_on()) {
		produce(loops);
		items_put();
	}
	items_end();
	return unused;
}

static void *run_consumer(void *unused)
{
	uint64_t loops = work_loops(CONSUME_US, 'B');

	while (items_take()) {
		consume(loops);
		LEVER_PROGRESS_NAMED("item");
		work.visits++;
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t producer, consumer;

	work_begin(count, arguments);
	pthread_create(&producer, NULL, run_producer, NULL);
	pthread_create(&consumer, NULL, run_consumer, NULL);
	pthread_join(producer, NULL);
	pthread_join(consumer, NULL);
	work_end();
	return 0;
}
