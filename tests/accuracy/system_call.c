/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * system_call - a system call as target, entry and exit included. The truth is measured with fewer
 * reads of /dev/zero.
 *
 * period = measured
 */
#include "work.h"

#include <fcntl.h>

static char page[1 << 16];

WORK_FUNCTION void compute(uint64_t loops)
{
	WORK(loops);
}

WORK_FUNCTION void fill(int file, size_t bytes, int times)
{
	for (int i = 0; i < times; i++)
		if (read(file, page, bytes) < 0) /* target A is syscall:read */
			exit(1);
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	int zeros = open("/dev/zero", O_RDONLY);
	while (work_goes_on()) {
		fill(zeros, sizeof(page), (int)work_left_of(100, 'A'));
		fill(zeros, 512, (int)work_left_of(500, 'A'));
		compute((uint64_t)(300 * work.loops_per_us));
		work.visits++;
		LEVER_PROGRESS_NAMED("round");
	}
	work_end();
	return 0;
}
