/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lock_backoff - two threads that try a lock, and nap for 100 us when it is taken: no task ever
 * wakes another, and without a speedup they hardly meet.
 *
 * period = measured
 */
#include "work.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

WORK_FUNCTION void work_outside(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void work_inside(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void *run(void *unused)
{
	uint64_t outside = work_loops(900, 'A'), inside = work_loops(600, 'B');

	while (work_goes_on()) {
		work_outside(outside);
		while (pthread_mutex_trylock(&mutex))
			usleep(100);
		work_inside(inside);
		work.visits++;
		LEVER_PROGRESS_NAMED("visit");
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	work_in_threads(2, run);
	work_end();
	return 0;
}
