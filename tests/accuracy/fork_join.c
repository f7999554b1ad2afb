/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fork_join - two branches of equal work that meet after each round: each alone gains nothing, both
 * together everything but the meeting, for which the truth is measured.
 *
 * period = measured
 * set = A B
 * set = A B:50
 */
#include "rounds.h"

WORK_FUNCTION void compress_left(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void compress_right(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void left(void)
{
	compress_left(work_loops(500, 'A'));
}

static void right(void)
{
	compress_right(work_loops(500, 'B'));
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	rounds_run(left, right);
	work_end();
	return 0;
}
