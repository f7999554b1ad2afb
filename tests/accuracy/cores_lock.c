/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cores_lock - one thread a core, and one mutex, for which most of the threads wait.
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
	uint64_t critical_loops = work_loops(300, 'A');
	uint64_t outside_loops = work_loops(180 * work_cores(), 'B');

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
	work_in_threads(work_cores(), run);
	work_end();
	return 0;
}
