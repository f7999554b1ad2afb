/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fsync_alone - one thread appends, waits until that is on the disk, and computes. The truth is
 * measured with fewer fsyncs: with each one goes the way back onto the core, too.
 *
 * period = measured
 */
#include "work.h"

static int file;

WORK_FUNCTION void save(int times)
{
	static const char block[4096];

	for (int i = 0; i < times; i++)
		if (pwrite(file, block, sizeof(block), 0) < 0)
			exit(1);
		else if (fdatasync(file)) /* target A is syscall:fdatasync */
			exit(1);
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	file = work_file();
	while (work_goes_on()) {
		save((int)(work_left_of(8, 'A') + 0.5));
		WORK(400 * work.loops_per_us);
		work.visits++;
		LEVER_PROGRESS_NAMED("round");
	}
	work_end();
	return 0;
}
