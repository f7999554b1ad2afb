/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inclusive - functions with all that they call: decode has callees in two places, one of which
 * another function calls, too, and waits for a timer within.
 *
 * period = 150 * A + 200 * C + 300 * A * C + 250 * A + 150 + 200 * B + 100 * B * C
 */
#include "work.h"

#include <sys/prctl.h>

WORK_FUNCTION void unpack(double microseconds)
{
	WORK((uint64_t)(microseconds * work.loops_per_us));
}

/* Called by decode and by the main loop: its target is the sum over both. */
WORK_FUNCTION void checksum(double microseconds)
{
	WORK((uint64_t)(work_left_of(microseconds, 'C') * work.loops_per_us));
	__asm__ volatile("" ::: "memory"); /* no tail call */
}

WORK_FUNCTION void wait_for_device(double microseconds)
{
	struct timespec time = {0, (long)(microseconds * 1e3)};

	if (time.tv_nsec > 0)
		nanosleep(&time, NULL);
	__asm__ volatile("" ::: "memory");
}

WORK_FUNCTION void decode(double share)
{
	unpack(150 * share);
	checksum(300 * share);
	wait_for_device(250 * share);
	__asm__ volatile("" ::: "memory");
}

WORK_FUNCTION void render(double share)
{
	unpack(200 * share);
	checksum(100 * share);
	__asm__ volatile("" ::: "memory");
}

static void round_of_work(void)
{
	decode(work_left_of(1, 'A')); /* target A is inclusive:decode */
	render(work_left_of(1, 'B')); /* target B is inclusive:render */
	checksum(200);                /* target C is inclusive:checksum */
	unpack(150);
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	prctl(PR_SET_TIMERSLACK, 1);
	while (work_goes_on()) {
		round_of_work();
		LEVER_PROGRESS_NAMED("round");
		work.visits++;
	}
	work_end();
	return 0;
}
