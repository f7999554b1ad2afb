/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fsync_journal - one thread computes while another appends to a file and waits until that is on
 * the disk; they meet after each round. Most of what it waits for is the journal's thread in the
 * kernel, which itself waits for the disk. To be asked with --disk slow, where that takes some 10
 * ms. The truth is measured: less to compute.
 *
 * Not asked for 75 %: with so much left to compute, the loop device's worker waits behind it for
 * its core, up to the scheduler's next tick, in the bare program only; each round then takes 2 to 3
 * ms more.
 *
 * period = measured cuts = 25 50 100
 */
#include "rounds.h"

static int file;

WORK_FUNCTION void compute(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void save(size_t bytes)
{
	static const char block[4096];

	if (write(file, block, bytes) < 0 || fsync(file))
		exit(1);
}

static void computing(void)
{
	compute(work_loops(25000, 'A'));
}

static void saving(void)
{
	save(4096);
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	file = work_file();
	rounds_run(computing, saving);
	work_end();
	return 0;
}
