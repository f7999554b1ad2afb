/* SPDX-License-Identifier: BSD-2-Clause */
/* speed - a loop is timed on the cores that are named, and the caller stays where it was. */
#include "check.h"

#include "collect/speed.h"

#include <sched.h>

TEST("every core has a speed, and measuring it moves nobody")
{
	cpu_set_t before, after, none;
	CHECK_EQUAL(sched_getaffinity(0, sizeof(before), &before), 0);
	struct speed speed = speed_measure(&before);
	CHECK(speed.alone > 0);
	CHECK(speed.together > 0);
	CHECK_EQUAL(sched_getaffinity(0, sizeof(after), &after), 0);
	CHECK(CPU_EQUAL(&before, &after));
	CPU_ZERO(&none);
	speed = speed_measure(&none);
	CHECK_NEAR(speed.alone, 0, 0);
}
