/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * half_lock - threads with a mutex for half of a unit, which is hardly longer than a sampling
 * period on a machine whose ticks are slow: whoever holds the mutex runs on until a tick, so that
 * the order at the mutex is not that of the faster program.
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
	WORK(loops); /* target B */
}

static void *run(void *unused)
{
	uint64_t critical_loops = work_loops(150, 'A'), outside_loops = work_loops(150, 'B');

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
