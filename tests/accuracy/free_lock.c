/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * free_lock - two threads and a mutex that is nearly always free, until they compute less outside
 * of it. At 75 and 100 % of A a period of sampling is not short beside the rest that
 * each thread computes between two turns.
 *
 * period = measured
 */
#include "work.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

WORK_FUNCTION void outside(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void critical(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void *run(void *unused)
{
	uint64_t outside_loops = work_loops(1200, 'A'), critical_loops = work_loops(280, 'B');

	while (work_goes_on()) {
		outside(outside_loops);
		pthread_mutex_lock(&mutex);
		critical(critical_loops);
		work.visits++;
		pthread_mutex_unlock(&mutex);
		LEVER_PROGRESS_NAMED("operation");
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t threads[2];

	work_begin(count, arguments);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	work_end();
	return 0;
}
