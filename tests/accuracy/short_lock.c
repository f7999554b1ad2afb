/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * short_lock - two threads with a mutex that is held for 2 us and free for 3: they meet many times
 * in a sampling period. With a shorter critical section fewer of them sleep for it, which pauses
 * of a whole period cannot show: an interval must reach far up.
 *
 * period = measured
 */
#include "work.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

WORK_FUNCTION void critical(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void outside(uint64_t loops)
{
	WORK(loops);
}

static void *run(void *unused)
{
	uint64_t critical_loops = work_loops(2, 'A');
	uint64_t outside_loops = (uint64_t)(3 * work.loops_per_us);

	while (work_goes_on()) {
		pthread_mutex_lock(&mutex);
		critical(critical_loops);
		work.visits++;
		pthread_mutex_unlock(&mutex);
		outside(outside_loops);
		LEVER_PROGRESS_NAMED("operation");
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
