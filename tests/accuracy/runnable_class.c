/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runnable_class - waits for a core: two threads that share one. Without the waits each has a core
 * of its own.
 *
 * period = measured
 * cuts = 100
 */
#include "work.h"

#include <sched.h>

WORK_FUNCTION void compute(uint64_t loops)
{
	WORK(loops);
}

static void *run(void *unused)
{
	while (work_goes_on()) {
		compute((uint64_t)(500 * work.loops_per_us)); /* target A is class:S */
		__atomic_fetch_add(&work.visits, 1, __ATOMIC_RELAXED);
		LEVER_PROGRESS_NAMED("operation");
	}
	return unused;
}

int main(int count, char **arguments)
{
	cpu_set_t core;

	work_begin(count, arguments);
	CPU_ZERO(&core);
	CPU_SET(0, &core);
	if (work_left_of(1, 'A') > 0)
		sched_setaffinity(0, sizeof(core), &core);
	work_in_threads(2, run);
	work_end();
	return 0;
}
