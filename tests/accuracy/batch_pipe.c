/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * batch_pipe - a producer fills a buffer of 200 items and waits until the consumer takes it whole:
 * a cycle is longer than a window, and in a part of it nothing is produced.
 *
 * period = max(120 * A, 200 * B) / 200
 * cuts = 25 50 75
 */
#include "work.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full, is_over;

WORK_FUNCTION void produce(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void consume(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void *consumer(void *unused)
{
	uint64_t loops = work_loops(1000, 'B');

	for (;;) {
		pthread_mutex_lock(&mutex);
		while (!full && !is_over)
			pthread_cond_wait(&changed, &mutex);
		if (!full) {
			pthread_mutex_unlock(&mutex);
			return unused;
		}
		full = 0;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&mutex);
		for (int i = 0; i < 200; i++)
			consume(loops);
	}
}

int main(int count, char **arguments)
{
	pthread_t thread;

	work_begin(count, arguments);
	uint64_t loops = work_loops(600, 'A');

	pthread_create(&thread, NULL, consumer, NULL);
	while (work_goes_on()) {
		for (int i = 0; i < 200; i++) {
			produce(loops);
			LEVER_PROGRESS_NAMED("item");
			work.visits++;
		}
		pthread_mutex_lock(&mutex);
		while (full)
			pthread_cond_wait(&changed, &mutex);
		full = 1;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_lock(&mutex);
	is_over = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
	work_end();
	return 0;
}
