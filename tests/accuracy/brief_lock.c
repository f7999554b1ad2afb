/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * brief_lock - threads with a mutex that is held for far less than a sampling period, and mostly
 * free: a thread that finds it taken sleeps, and is woken onto an idle core. The shorter the
 * critical section, the fewer do.
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
	uint64_t critical_loops = work_loops(30, 'A'),
		 outside_loops = (uint64_t)(60 * work.loops_per_us);
	uint64_t seed = (uint64_t)(uintptr_t)&seed;

	while (work_goes_on()) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		/* 0.5 to 1.5 times: two threads do not get into step. */
		outside(outside_loops / 2 + (outside_loops * (seed >> 40)) / (1u << 24));
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
