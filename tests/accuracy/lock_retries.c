/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lock_retries - two threads try a lock, and sleep for 100 us where it is taken. How often they
 * meet decides, which only dense sampling shows (docs/limits.md).
 *
 * period = measured
 */
#include "work.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

WORK_FUNCTION void inside(void)
{
	WORK(work_loops(150, 'A')); /* target A */
}

WORK_FUNCTION void outside(void)
{
	WORK(work_loops(400, 'B')); /* target B */
}

static void *run(void *argument)
{
	(void)argument;
	while (work_goes_on()) {
		while (pthread_mutex_trylock(&mutex))
			usleep(100);
		inside();
		work.visits++;
		LEVER_PROGRESS_NAMED("unit");
		pthread_mutex_unlock(&mutex);
		outside();
	}
	return NULL;
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	work_in_threads(2, run);
	work_end();
	return 0;
}
