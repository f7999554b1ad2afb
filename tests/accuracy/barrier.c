/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * barrier - two unequal threads meet after each round: the slower one determines the period.
 *
 * period = max(4000 * A, 3200 * B)
 */
#include "rounds.h"

WORK_FUNCTION void slow(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void fast(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void slow_piece(void)
{
	slow(work_loops(4000, 'A'));
}

static void fast_piece(void)
{
	fast(work_loops(3200, 'B'));
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	rounds_run(slow_piece, fast_piece);
	work_end();
	return 0;
}
