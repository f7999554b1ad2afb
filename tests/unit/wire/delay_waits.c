/* SPDX-License-Identifier: BSD-2-Clause */
/* When a wait in the target ends (wire/delay_task.h). */
#include "wire/delay_core.h"

#include "check.h"

/* A task waits from 0 to 1000, a device wakes it, and it has a core at 1300. Speedup: 50 %. */
static __s64 owed_at_core(bool lasts_until_core)
{
	struct delay_settings settings = {.generation = 1, .speedups = {DELAY_SPEEDUP_ONE / 2}};
	struct delay_local core = {.generation = 1};
	struct delay_task task = {.is_seen = 1};
	__u64 end = lasts_until_core ? 1300 : 1000, global = end / 2;
	struct delay_entry entry = {.now_ns = 1300, .global_ns = global, .is_member = true};

	delay_leave(&task, &settings, 0, true, 0, 0);
	delay_wake(&task, DELAY_WAKER_EXTERNAL, 0, 500, 1000);
	task.credit_ns = delay_wait_credit(&settings, 0, end);
	if (lasts_until_core)
		delay_wake_late(&task, global, 1300);
	delay_enter(&core, &task, &settings, &entry);
	return delay_gap(&core, &settings, global);
}

TEST("a wait in the target owes nothing, whether it ends at the wake-up or on the core")
{
	CHECK_EQUAL(owed_at_core(false), 0);
	CHECK_EQUAL(owed_at_core(true), 0);
}
