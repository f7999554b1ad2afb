/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * housekeeping - two threads that need both cores meet after each round; four others look after
 * something each 20 ms, for a few microseconds.
 *
 * period = max(1200 * A, 800)
 */
#include "rounds.h"

#define HELPERS 4
#define HELPERS_NAP_US 20000

static uint64_t first_loops, second_loops, helper_loops;

WORK_FUNCTION void first_piece(void)
{
	WORK(first_loops); /* target A */
}

WORK_FUNCTION void second_piece(void)
{
	WORK(second_loops);
}

static void *help(void *unused)
{
	for (;;) {
		usleep(HELPERS_NAP_US);
		WORK(helper_loops);
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t helper;

	work_begin(count, arguments);
	first_loops = work_loops(1200, 'A');
	second_loops = work_loops(800, 'B');
	helper_loops = work_loops(5, 'C');
	for (int i = 0; i < HELPERS; i++)
		pthread_create(&helper, NULL, help, NULL);
	rounds_run(first_piece, second_piece);
	work_end();
	return 0;
}
