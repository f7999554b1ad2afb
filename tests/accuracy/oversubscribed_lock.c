/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * oversubscribed_lock - twice as many threads as cores, and one mutex that is held for less than
 * half of the time, so that cores decide.
 *
 * period = 800 * A + 200 * B
 * cuts = 25 50
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
	uint64_t outside_loops = work_loops(800, 'A'), critical_loops = work_loops(200, 'B');

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
	work_begin(count, arguments);
	work_in_threads(2 * work_cores(), run);
	work_end();
	return 0;
}
