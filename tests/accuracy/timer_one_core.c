/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timer_one_core - timer_barrier.c on a single core, where the second thread computes after its
 * wait: a thread that waits does not occupy the core.
 *
 * period = measured
 */
#include "rounds.h"

#include <sched.h>
#include <sys/prctl.h>

WORK_FUNCTION void compute(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void digest(uint64_t loops)
{
	WORK(loops); /* target C */
}

WORK_FUNCTION void rest(long nanoseconds)
{
	struct timespec time = {0, nanoseconds};

	if (nanoseconds > 0)
		nanosleep(&time, NULL); /* target B */
}

static void computing(void)
{
	compute(work_loops(1000, 'A'));
}

static void waiting(void)
{
	rest((long)work_left_of(3000e3, 'B'));
	digest(work_loops(500, 'C'));
}

int main(int count, char **arguments)
{
	cpu_set_t core;

	work_begin(count, arguments);
	prctl(PR_SET_TIMERSLACK, 1); /* of this thread, and of those that it makes */
	CPU_ZERO(&core);
	CPU_SET(0, &core);
	sched_setaffinity(0, sizeof(core), &core);
	rounds_run(computing, waiting);
	work_end();
	return 0;
}
