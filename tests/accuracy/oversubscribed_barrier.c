/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * oversubscribed_barrier - twice as many threads as cores, all alike, and a barrier: most of the
 * waiting is for a core. However the threads are spread over the cores, the period is in proportion
 * to the work of each.
 *
 * period = 1200 * A + 400 * B
 */
#include "work.h"

static pthread_barrier_t round_done, round_begins;
static int is_over; /* written between the barriers */

WORK_FUNCTION void larger(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void smaller(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void *run(void *is_first)
{
	uint64_t larger_loops = work_loops(1200, 'A'), smaller_loops = work_loops(400, 'B');

	while (!is_over) {
		larger(larger_loops);
		smaller(smaller_loops);
		pthread_barrier_wait(&round_done);
		if (is_first) {
			LEVER_PROGRESS_NAMED("round");
			work.visits++;
			is_over = !work_goes_on();
		}
		pthread_barrier_wait(&round_begins);
	}
	return NULL;
}

int main(int count, char **arguments)
{
	pthread_t threads[WORK_THREADS_MOST];
	unsigned thread_number = 2 * (unsigned)work_cores();

	work_begin(count, arguments);
	pthread_barrier_init(&round_done, NULL, thread_number);
	pthread_barrier_init(&round_begins, NULL, thread_number);
	for (unsigned i = 0; i < thread_number; i++)
		pthread_create(&threads[i], NULL, run, i ? NULL : &threads[0]);
	for (unsigned i = 0; i < thread_number; i++)
		pthread_join(threads[i], NULL);
	work_end();
	return 0;
}
