/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timer - one thread sleeps and computes in turn. A second one computes all the time, without any
 * progress: pauses for its speedup must reach the sleeper, although only a timer wakes it.
 *
 * period = measured
 */
#include "work.h"

#include <sys/prctl.h>

#define SLEEP_NS 2000000

WORK_FUNCTION void answer(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void idle_work(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void *run_aside(void *unused)
{
	uint64_t loops = work_loops(500, 'B');

	while (work_goes_on())
		idle_work(loops);
	return unused;
}

int main(int count, char **arguments)
{
	const struct timespec sleep_time = {.tv_nsec = SLEEP_NS};
	pthread_t aside;

	work_begin(count, arguments);
	prctl(PR_SET_TIMERSLACK, 1);
	pthread_create(&aside, NULL, run_aside, NULL);
	uint64_t loops = work_loops(3000, 'A');
	while (work_goes_on()) {
		nanosleep(&sleep_time, NULL);
		answer(loops);
		LEVER_PROGRESS_NAMED("answer");
		work.visits++;
	}
	pthread_join(aside, NULL);
	work_end();
	return 0;
}
