/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * oversubscribed_pool - twice as many workers as cores take items that one thread makes. All cores
 * are busy, so that each microsecond of work counts.
 *
 * period = 100 + 600 * A + 300 * B
 */
#include "work.h"

#include <sched.h>

#define QUEUE_MOST 8
#define WORKERS_MOST 14

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_room = PTHREAD_COND_INITIALIZER, has_item = PTHREAD_COND_INITIALIZER;
static int queued, is_over; /* under the mutex */

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

static void *run_worker(void *unused)
{
	uint64_t larger_loops = work_loops(600, 'A'), smaller_loops = work_loops(300, 'B');

	while (queue_take()) {
		larger(larger_loops);
		smaller(smaller_loops);
		__atomic_fetch_add(&work.visits, 1, __ATOMIC_RELAXED);
		LEVER_PROGRESS_NAMED("item");
	}
	return unused;
}

static int worker_count(void)
{
	cpu_set_t cores;
	int count = sched_getaffinity(0, sizeof(cores), &cores) ? 4 : 2 * CPU_COUNT(&cores);

	return count < WORKERS_MOST ? count : WORKERS_MOST;
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
