/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bursts - work in pieces shorter than a sampling period, each after a wait, and as much work in
 * one piece: sampling must find the same time in both.
 *
 * period = measured
 */
#include "work.h"

#include <sys/prctl.h>

#define PIECES 5

WORK_FUNCTION void short_work(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void long_work(uint64_t loops)
{
	WORK(loops); /* target B */
}

WORK_FUNCTION void pause_briefly(void)
{
	const struct timespec time = {.tv_nsec = 100000};
	nanosleep(&time, NULL);
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	prctl(PR_SET_TIMERSLACK, 1);
	while (work_goes_on()) {
		for (int i = 0; i < PIECES; i++) {
			short_work(work_loops(200, 'A'));
			pause_briefly();
		}
		long_work(work_loops(1000, 'B'));
		LEVER_PROGRESS_NAMED("round");
		work.visits++;
	}
	work_end();
	return 0;
}
