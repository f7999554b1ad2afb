/* SPDX-License-Identifier: BSD-2-Clause */
/* clock - reads the clock most of its time, in the vDSO. The argument: how often. */
#include "lever.h"

#include <stdlib.h>
#include <time.h>

__attribute__((noinline)) static void look_at_clock(void)
{
	struct timespec now;

	for (int i = 0; i < 2000; i++)
		clock_gettime(CLOCK_MONOTONIC, &now);
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? strtol(argv[1], NULL, 10) : 0;

	for (long i = 0; i < count; i++) {
		look_at_clock();
		LEVER_PROGRESS_NAMED("look");
	}
	return 0;
}
