/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bursts - work in pieces shorter than a sampling period, each behind a wait, and as much of it in
 * one piece: sampling must see both alike.
 *
 * period = measured
 */
#include "work.h"

#include <sys/prctl.h>

#define BURSTS 5

WORK_FUNCTION void burst(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void stretch(uint64_t loops)
{
	WORK(loops); /* target B */
}

WORK_FUNCTION void nap(void)
{
	const struct timespec time = {.tv_nsec = 100000};
	nanosleep(&time, NULL);
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	prctl(PR_SET_TIMERSLACK, 1);
	while (work_goes_on()) {
		for (int i = 0; i < BURSTS; i++) {
			burst(work_loops(200, 'A'));
			nap();
		}
		stretch(work_loops(1000, 'B'));
		LEVER_PROGRESS_NAMED("round");
		work.visits++;
	}
	work_end();
	return 0;
}
