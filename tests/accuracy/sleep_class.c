/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sleep_class - a class of waits of one line: a sleep beside work, joined at a barrier; another
 * sleep does not count.
 *
 * period = measured
 */
#include "rounds.h"

#include <sys/prctl.h>

WORK_FUNCTION void compute(uint64_t loops)
{
	WORK(loops);
}

WORK_FUNCTION void nap(double microseconds)
{
	struct timespec time = {0, (long)(microseconds * 1e3)};

	if (time.tv_nsec > 0)
		nanosleep(&time, NULL);
}

WORK_FUNCTION void rest(double microseconds)
{
	struct timespec time = {0, (long)(microseconds * 1e3)};

	if (time.tv_nsec > 0)
		nanosleep(&time, NULL); /* target A is class:B here */
}

static void computing(void)
{
	compute((uint64_t)(1500 * work.loops_per_us));
}

static void waiting(void)
{
	rest(work_left_of(2500, 'A'));
	nap(500);
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	prctl(PR_SET_TIMERSLACK, 1); /* of this thread, and of those that it makes */
	rounds_run(computing, waiting);
	work_end();
	return 0;
}
