/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cores_pool - one thread makes items, a worker on each other core takes them. The workers decide
 * the rate, until the items cost them a sixth less.
 *
 * period = max(250 * A, 300 * B)
 */
#include "work.h"

#define QUEUE_MOST 64

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_room = PTHREAD_COND_INITIALIZER, has_item = PTHREAD_COND_INITIALIZER;
static int queued, is_over; /* under the mutex */

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
		pthread_mutex_lock(&mutex);
		while (queued == QUEUE_MOST)
			pthread_cond_wait(&has_room, &mutex);
		queued++;
		pthread_cond_signal(&has_item);
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_lock(&mutex);
	is_over = 1;
	pthread_cond_broadcast(&has_item);
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

static int worker_count(void)
{
	return work_cores() - 1;
}

static void *run_worker(void *unused)
{
	uint64_t loops = work_loops(300 * worker_count(), 'B');

	while (queue_take()) {
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
