/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * outside_lock - two threads with a mutex that is held for 2 us and free for 8: they seldom meet,
 * until the work outside gets short, and then at each turn. Pauses leave that as it is: intervals
 * must be wide at 75 and 100 %. The period is one at which hand-overs are rare.
 *
 * period = measured
 * options = --period 60us
 */
#include "work.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

WORK_FUNCTION void critical(uint64_t loops)
{
	WORK(loops);
}

WORK_FUNCTION void outside(uint64_t loops)
{
	WORK(loops); /* target A */
}

static void *run(void *unused)
{
	uint64_t critical_loops = (uint64_t)(2 * work.loops_per_us);
	uint64_t outside_loops = work_loops(8, 'A');

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
