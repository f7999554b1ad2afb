/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * callers - the target is a function, called from two threads with different shares: the slower of
 * the two determines the period.
 *
 * period = max(900 * A + 300, 450 * A + 750 * B)
 */
#include "rounds.h"

WORK_FUNCTION void encode(uint64_t loops) /* function A */
{
	WORK(loops);
}

WORK_FUNCTION void read_text(uint64_t loops)
{
	WORK(loops);
}

WORK_FUNCTION void read_image(uint64_t loops) /* function B */
{
	WORK(loops);
}

static void texts(void)
{
	read_text(work_loops(300, 'Z'));
	encode(work_loops(900, 'A'));
}

static void images(void)
{
	read_image(work_loops(750, 'B'));
	encode(work_loops(450, 'A'));
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	rounds_run(texts, images);
	work_end();
	return 0;
}
