/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fork_join - two branches of equal work that meet after each round: each alone gains nothing, both
 * together everything but the meeting, for which the truth is measured. Each branch has a core of
 * its own: left to the scheduler, branches of no length meet on one core in some runs and on two in
 * others, in 7 to 54 us.
 *
 * period = measured
 * set = A B
 * set = A B:50
 */
#include "rounds.h"

#include <sched.h>
#include <stdbool.h>

WORK_FUNCTION void compress_left(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void compress_right(uint64_t loops)
{
	WORK(loops); /* target B */
}

/* On the core of this number among those that the program may use. */
static void stay_on(int number)
{
	cpu_set_t allowed, core;
	int chosen = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	while (chosen < CPU_SETSIZE && (!CPU_ISSET(chosen, &allowed) || number--))
		chosen++;
	CPU_ZERO(&core);
	CPU_SET(chosen, &core);
	sched_setaffinity(0, sizeof(core), &core);
}

static void left(void)
{
	static bool stays;

	if (!stays)
		stay_on(0);
	stays = true;
	compress_left(work_loops(500, 'A'));
}

static void right(void)
{
	static bool stays;

	if (!stays)
		stay_on(1);
	stays = true;
	compress_right(work_loops(500, 'B'));
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	rounds_run(left, right);
	work_end();
	return 0;
}
