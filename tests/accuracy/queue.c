/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * queue - a producer and a consumer with a short queue, a mutex and two condition variables.
 *
 * period = max(450 * A, 600 * B)
 * set = A B
 */
#include "work.h"

#ifndef QUEUE_MOST
#define QUEUE_MOST 8
#define PRODUCE_US 450
#define CONSUME_US 600
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_room = PTHREAD_COND_INITIALIZER, has_item = PTHREAD_COND_INITIALIZER;
static int queued, is_over; /* under the mutex */

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
		pthread_mutex_lock(&mutex);
		while (queued == QUEUE_MOST)
			pthread_cond_wait(&has_room, &mutex);
		queued++;
		pthread_cond_signal(&has_item);
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_lock(&mutex);
	is_over = 1;
	pthread_cond_signal(&has_item);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static int queue_take(void)
{
	pthread_mutex_lock(&mutex);
	while (!queued && !is_over)
		pthread_cond_wait(&has_item, &mutex);
	int has_taken = queued > 0;
	queued -= has_taken;
	pthread_cond_signal(&has_room);
	pthread_mutex_unlock(&mutex);
	return has_taken;
}

static void *run_consumer(void *unused)
{
	uint64_t loops = work_loops(CONSUME_US, 'B');

	while (queue_take()) {
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
