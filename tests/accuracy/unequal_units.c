/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unequal_units - one thread, two lines, 70 to 30; for a while all units are slow, then all are
 * quick, as with files of several kinds, or cores that change their speed. The rate rises and falls
 * as in a cycle, but each part of one holds the same mix of code.
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

/* Always the same numbers, from 0 to 1. */
static double next_number(void)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(state >> 11) / (double)(1ull << 53);
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	uint64_t larger_loops = work_loops(700, 'A'), smaller_loops = work_loops(300, 'B');

	for (int kind = 0; work_goes_on(); kind = !kind) {
		double slowness = kind ? 1 : 0.5;
		int units = (int)((100 + 500 * next_number()) / slowness);
		for (int i = 0; i < units && work_goes_on(); i++) {
			larger((uint64_t)(slowness * (double)larger_loops));
			smaller((uint64_t)(slowness * (double)smaller_loops));
			LEVER_PROGRESS_NAMED("round");
			work.visits++;
		}
	}
	work_end();
	return 0;
}
