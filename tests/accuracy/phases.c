/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * phases - target A runs in one phase and B in the next, each longer than an experiment: a line's
 * gain in its phase counts for half of the run only.
 *
 * period = (400 * A + 400 * B) / 2
 */
#include "work.h"

#define PHASE 1000 /* items */

WORK_FUNCTION void first(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void second(uint64_t loops)
{
	WORK(loops); /* target B */
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	uint64_t first_loops = work_loops(400, 'A'), second_loops = work_loops(400, 'B');

	/*
	 * Whole pairs of phases, so that a short run, too, has both in equal parts.
	 */
	while (work_goes_on())
		for (int i = 0; i < 2 * PHASE; i++) {
			if (i < PHASE)
				first(first_loops);
			else
				second(second_loops);
			LEVER_PROGRESS_NAMED("item");
			work.visits++;
		}
	work_end();
	return 0;
}
