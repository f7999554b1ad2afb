/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sleep - one thread computes and waits for a timer in turn: waiting can be a target as work can.
 *
 * period = 600 * A + 900 * B
 */
#include "work.h"

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

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	uint64_t loops = work_loops(600, 'A');
	long nanoseconds = (long)work_left_of(900e3, 'B');

	prctl(PR_SET_TIMERSLACK, 1);
	while (work_goes_on()) {
		compute(loops);
		rest(nanoseconds);
		LEVER_PROGRESS_NAMED("round");
		work.visits++;
	}
	work_end();
	return 0;
}
