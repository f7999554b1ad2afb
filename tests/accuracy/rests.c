/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rests - one thread, two lines, 70 to 30, that rests after each 200 rounds: the same code at each
 * rate, but less of it at a low one, and parts of cycles would tell too large a gain.
 *
 * period = 700 * A + 300 * B + 750
 */
#include "work.h"

#define ROUNDS 200

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
	const struct timespec rest = {.tv_nsec = ROUNDS * 750000};

	work_begin(count, arguments);
	uint64_t larger_loops = work_loops(700, 'A'), smaller_loops = work_loops(300, 'B');

	while (work_goes_on()) {
		for (int i = 0; i < ROUNDS; i++) {
			larger(larger_loops);
			smaller(smaller_loops);
			LEVER_PROGRESS_NAMED("round");
			work.visits++;
		}
		nanosleep(&rest, NULL);
	}
	work_end();
	return 0;
}
