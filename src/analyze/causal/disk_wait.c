/* SPDX-License-Identifier: BSD-2-Clause */
/* disk_wait - calls by name, and a reach in proportion to the speedup beyond a quarter. */
#include "analyze/causal/disk_wait.h"

#include <math.h>
#include <string.h>

#define REACH_MOST 0.6 /* of what is left to gain, at 100 % */
#define RIGHT_UP_TO 0.25

bool disk_wait_is(const struct recording_target *target)
{
	static const char *const names[] = {"syscall:fsync", "syscall:fdatasync", "syscall:syncfs",
					    "syscall:sync",  "syscall:msync",     "class:I"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (target->name && !strcmp(target->name, names[i]))
			return true;
	return false;
}

double disk_wait_reach(double speedup, double gain)
{
	double part = (speedup - RIGHT_UP_TO) / (1 - RIGHT_UP_TO);

	return REACH_MOST * fmax(part, 0) * fmax(1 - gain, 0);
}
