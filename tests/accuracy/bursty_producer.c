/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bursty_producer - a producer makes ten items, then sleeps for 1.2 ms as if it waited for a
 * sensor; a consumer takes them from a queue of 12. Only the producer's time counts.
 *
 * period = measured
 */
#define QUEUE_MOST 12
#include "items.h"

WORK_FUNCTION void produce(void)
{
	WORK(work_loops(90, 'A')); /* target A */
}

WORK_FUNCTION void consume(void)
{
	WORK(work_loops(110, 'B')); /* target B */
}

static void *consumer(void *unused)
{
	while (items_take()) {
		consume();
		work.visits++;
		LEVER_PROGRESS_NAMED("item");
	}
	return unused;
}

int main(int count, char **arguments)
{
	struct timespec rest = {0, 1200000};
	pthread_t thread;
	work_begin(count, arguments);
	pthread_create(&thread, NULL, consumer, NULL);
	while (work_goes_on()) {
		for (int i = 0; i < 10; i++) {
			produce();
			items_put();
		}
		nanosleep(&rest, NULL);
	}
	items_end();
	pthread_join(thread, NULL);
	work_end();
	return 0;
}
