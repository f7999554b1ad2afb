/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * user_and_kernel - one branch computes, the other reads from the kernel: each alone gains nothing.
 * The truth is measured, as nobody knows how long a read takes.
 *
 * period = measured
 * set = A B
 */
#include "rounds.h"

#include <fcntl.h>

static char page[1 << 16];
static int zeros;

WORK_FUNCTION void compute(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void fill(int times)
{
	for (int i = 0; i < times; i++)
		if (read(zeros, page, sizeof(page)) < 0) /* target B is syscall:read */
			exit(1);
}

static void left(void)
{
	compute(work_loops(500, 'A'));
}

static void right(void)
{
	fill((int)work_left_of(100, 'B'));
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	zeros = open("/dev/zero", O_RDONLY);
	rounds_run(left, right);
	work_end();
	return 0;
}
