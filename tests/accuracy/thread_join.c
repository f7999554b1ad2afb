/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_join - each round starts two threads and waits for both: a new thread inherits the debt of
 * its parent, and its own debt must not be lost when it ends.
 *
 * period = measured
 */
#include "work.h"

WORK_FUNCTION void slow(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void fast(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void *run_slow(void *unused)
{
	slow(work_loops(2500, 'A'));
	return unused;
}

static void *run_fast(void *unused)
{
	fast(work_loops(1500, 'B'));
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t threads[2];

	work_begin(count, arguments);
	while (work_goes_on()) {
		pthread_create(&threads[0], NULL, run_slow, NULL);
		pthread_create(&threads[1], NULL, run_fast, NULL);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		LEVER_PROGRESS_NAMED("round");
		work.visits++;
	}
	work_end();
	return 0;
}
