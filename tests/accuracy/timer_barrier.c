/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timer_barrier - one thread computes while another waits for a timer; they meet after each round.
 * The longer of the two determines the period. The truth is measured, since timers do not slow down
 * with a core.
 *
 * period = measured
 */
#include "rounds.h"

#include <sys/prctl.h>

WORK_FUNCTION void compute(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void rest(long nanoseconds)
{
	struct timespec time = {0, nanoseconds};

	if (nanoseconds > 0)
		nanosleep(&time, NULL); /* target B */
}

static void computing(void)
{
	compute(work_loops(2000, 'A'));
}

static void waiting(void)
{
	rest((long)work_left_of(5000e3, 'B'));
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	prctl(PR_SET_TIMERSLACK, 1); /* of this thread, and of those that it makes */
	rounds_run(computing, waiting);
	work_end();
	return 0;
}
