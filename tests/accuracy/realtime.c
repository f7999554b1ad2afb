/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * realtime - two threads with real-time priority (SCHED_FIFO), where permitted, meet after each
 * round; the time that the kernel reserves for other tasks is part of the period.
 *
 * period = measured
 */
#include "rounds.h"

#include <sched.h>

WORK_FUNCTION void control(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void observe(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void controlling(void)
{
	control(work_loops(1500, 'A'));
}

static void observing(void)
{
	observe(work_loops(1000, 'B'));
}

int main(int count, char **arguments)
{
	struct sched_param priority = {.sched_priority = 5};

	work_begin(count, arguments);
	sched_setscheduler(0, SCHED_FIFO, &priority); /* its threads have it, too */
	rounds_run(controlling, observing);
	work_end();
	return 0;
}
