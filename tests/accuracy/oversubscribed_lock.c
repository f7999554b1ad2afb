/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * oversubscribed_lock - twice as many threads as cores, and one mutex that is held for less than
 * half of the time, so that cores decide.
 *
 * period = 800 * A + 200 * B
 * cuts = 25 50
 */
#include "work.h"

#include <sched.h>

#define THREADS_MOST 16

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

static int thread_count(void)
{
	cpu_set_t cores;
	int count = sched_getaffinity(0, sizeof(cores), &cores) ? 4 : 2 * CPU_COUNT(&cores);

	return count < THREADS_MOST ? count : THREADS_MOST;
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	work_in_threads(thread_count(), run);
	work_end();
	return 0;
}
