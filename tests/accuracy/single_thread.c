/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * single_thread - one thread, two lines, 70 to 30: no other thread can be paused.
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

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	uint64_t larger_loops = work_loops(700, 'A'), smaller_loops = work_loops(300, 'B');

	while (work_goes_on()) {
		larger(larger_loops);
		smaller(smaller_loops);
		LEVER_PROGRESS_NAMED("round");
		work.visits++;
	}
	work_end();
	return 0;
}
