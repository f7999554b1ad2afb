/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * batch_line - one thread: a batch of quick items, then one of slow ones; a window holds parts of
 * both in any ratio.
 *
 * period = (150 * A + 150 * B) / 360
 */
#include "work.h"

WORK_FUNCTION void quick(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void slow(uint64_t loops)
{
	WORK(loops); /* target B */
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	uint64_t a = work_loops(500, 'A'), b = work_loops(2500, 'B');

	while (work_goes_on())
		for (int i = 0; i < 360; i++) {
			if (i < 300)
				quick(a);
			else
				slow(b);
			LEVER_PROGRESS_NAMED("item");
			work.visits++;
		}
	work_end();
	return 0;
}
