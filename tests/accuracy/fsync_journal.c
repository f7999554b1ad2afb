/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fsync_journal - one thread computes while another appends to a file and waits until the data are
 * on the disk; they meet after each round. Most of that wait is for the kernel's journal thread,
 * which itself waits for the disk. For --disk slow, where it takes some 10 ms. The truth is
 * measured with less to compute.
 *
 * Without a cut of 75 %: there, in the bare program only, the loop device's worker waits for the
 * core of the computing thread up to the scheduler's next tick, and a round takes 2 to 3 ms more.
 *
 * period = measured
 * cuts = 25 50 100
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
