/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * oversubscribed - one thread more than cores, all alike and independent: the kernel moves them
 * from core to core all the time, and keeps all cores busy.
 *
 * period = 700 * A + 300 * B
 */
#include "work.h"

#include <sched.h>

#define THREADS_MOST 16

WORK_FUNCTION void larger(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void smaller(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void *run(void *unused)
{
	uint64_t larger_loops = work_loops(700, 'A'), smaller_loops = work_loops(300, 'B');

	while (work_goes_on()) {
		larger(larger_loops);
		smaller(smaller_loops);
		__atomic_fetch_add(&work.visits, 1, __ATOMIC_RELAXED);
		LEVER_PROGRESS_NAMED("operation");
	}
	return unused;
}

static int thread_count(void)
{
	cpu_set_t cores;
	int count = sched_getaffinity(0, sizeof(cores), &cores) ? 3 : CPU_COUNT(&cores) + 1;

	return count < THREADS_MOST ? count : THREADS_MOST;
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	work_in_threads(thread_count(), run);
	work_end();
	return 0;
}
