/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * long_debt - one thread computes while another waits longer, for a timer; they meet after each
 * round. After its wait the second owes all of that work's speedup, ten times the longest single
 * pause (2 ms), and must pay it before it wakes the first: optimizing the work gains nothing.
 *
 * period = 40000
 * cuts = 25 50 100
 */
#include "rounds.h"

#include <sys/prctl.h>

WORK_FUNCTION void compute(uint64_t loops)
{
	WORK(loops); /* target A */
}

static void computing(void)
{
	compute(work_loops(25000, 'A'));
}

static void waiting(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 40000000}, NULL);
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	prctl(PR_SET_TIMERSLACK, 1); /* of this thread, and of those that it makes */
	rounds_run(computing, waiting);
	work_end();
	return 0;
}
