/* SPDX-License-Identifier: BSD-2-Clause */
/* core_speed - a loop is timed on the cores that are named, and the caller stays where it was. */
#include "check.h"

#include "collect/scale/core_speed.h"

#include <sched.h>

TEST("every core has a speed, and measuring it moves nobody")
{
	cpu_set_t before, after, none;
	CHECK_EQUAL(sched_getaffinity(0, sizeof(before), &before), 0);
	struct core_speed core_speed = core_speed_measure(&before);
	CHECK(core_speed.alone > 0);
	CHECK(core_speed.together > 0);
	CHECK_EQUAL(sched_getaffinity(0, sizeof(after), &after), 0);
	CHECK(CPU_EQUAL(&before, &after));
	CPU_ZERO(&none);
	core_speed = core_speed_measure(&none);
	CHECK_NEAR(core_speed.alone, 0, 0);
}
