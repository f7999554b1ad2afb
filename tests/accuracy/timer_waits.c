/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timer_waits - four threads, each for itself, wait for timers in one line and compute a little.
 *
 * period = max(3000 * A + 300, 600)
 * cuts = 25 50 75
 */
#include "work.h"

#include <sys/prctl.h>

#define THREADS 4

WORK_FUNCTION void compute(uint64_t loops)
{
	WORK(loops);
}

WORK_FUNCTION void wait_for_timer(long nanoseconds)
{
	struct timespec time = {0, nanoseconds};

	if (nanoseconds > 0)
		nanosleep(&time, NULL); /* target A */
}

static void *run(void *unused)
{
	uint64_t loops = work_loops(300, 'B');
	long nanoseconds = (long)work_left_of(3e6, 'A');

	prctl(PR_SET_TIMERSLACK, 1);
	while (work_goes_on()) {
		wait_for_timer(nanoseconds);
		compute(loops);
		LEVER_PROGRESS_NAMED("round");
		__atomic_fetch_add(&work.visits, 1, __ATOMIC_RELAXED);
	}
	return unused;
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	work_in_threads(THREADS, run);
	work_end();
	return 0;
}
