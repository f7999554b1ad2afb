/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cores_jobs - a worker on each core takes a job under one lock, computes for a millisecond, and
 * merges the result under another lock, which is mostly held on 16 cores.
 *
 * period = measured
 */
#include "work.h"

static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER, result = PTHREAD_MUTEX_INITIALIZER;

WORK_FUNCTION void take(uint64_t loops)
{
	WORK(loops);
}

WORK_FUNCTION void compute(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void merge(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void *run(void *unused)
{
	uint64_t take_loops = work_loops(10, 'C'),
		 merge_loops = work_loops(1120.0 / work_cores(), 'B');
	uint32_t state = (uint32_t)pthread_self();

	while (work_goes_on()) {
		pthread_mutex_lock(&queue);
		take(take_loops);
		pthread_mutex_unlock(&queue);
		state = state * 1103515245u + 12345u;
		compute(work_loops(500 + (state >> 16) % 1024, 'A'));
		pthread_mutex_lock(&result);
		merge(merge_loops);
		work.visits++;
		pthread_mutex_unlock(&result);
		LEVER_PROGRESS_NAMED("job");
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
