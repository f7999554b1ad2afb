/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fsync - one thread computes while another writes and waits for the disk; they meet after each
 * round. Kernel threads do a part of each fsync. The truth is measured with fewer fsyncs.
 *
 * period = measured
 */
#include "rounds.h"

static int file;

WORK_FUNCTION void compute(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void save(int times)
{
	static const char block[4096];

	for (int i = 0; i < times; i++)
		if (pwrite(file, block, sizeof(block), 0) < 0 || fsync(file)) /* target B */
			exit(1);
}

static void computing(void)
{
	compute(work_loops(4000, 'A'));
}

static void saving(void)
{
	save((int)(work_left_of(12, 'B') + 0.5));
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	file = work_file();
	rounds_run(computing, saving);
	work_end();
	return 0;
}
