/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * oversubscribed - one thread more than cores, all alike and independent: the kernel moves them
 * from core to core all the time, and keeps all cores busy.
 *
 * period = 700 * A + 300 * B
 */
#include "work.h"

WORK_FUNCTION void larger(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void smaller(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void *run(void *unused)
{
	uint64_t larger_loops = work_loops(700, 'A'), smaller_loops = work_loops(300, 'B');

	while (work_goes_on()) {
		larger(larger_loops);
		smaller(smaller_loops);
		__atomic_fetch_add(&work.visits, 1, __ATOMIC_RELAXED);
		LEVER_PROGRESS_NAMED("operation");
	}
	return unused;
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	work_in_threads(work_cores() + 1, run);
	work_end();
	return 0;
}
