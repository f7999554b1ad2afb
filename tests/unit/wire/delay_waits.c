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

TEST("what a waker has paid in advance, the task that waited for it has, too")
{
	struct delay_task task = {.is_seen = 1, .left_ns = 1000, .gap_ns = 50};

	delay_wake(&task, DELAY_WAKER_TASK, -20, 0, 1030);
	CHECK_EQUAL(delay_gap_after_wake(&task, true), 20); /* it did not wait long enough */
	delay_wake(&task, DELAY_WAKER_TASK, -20, 0, 1100);
	CHECK_EQUAL(delay_gap_after_wake(&task, true), -20);
	delay_wake(&task, DELAY_WAKER_TASK, 20, 0, 1100); /* a rest of a debt is the waker's own */
	CHECK_EQUAL(delay_gap_after_wake(&task, true), 0);
	delay_wake(&task, DELAY_WAKER_TASK, -20, 0, 1100);
	CHECK_EQUAL(delay_gap_after_wake(&task, false), 0); /* its core was busy meanwhile */
	task.gap_ns = -30; /* paid in advance before the wait, and waited for since */
	delay_wake(&task, DELAY_WAKER_TASK, -20, 0, 1100);
	CHECK_EQUAL(delay_gap_after_wake(&task, true), -20);
}

TEST("ticks of any number of cores raise G once in a period, and make up for one that is missed")
{
	for (int cores = 1; cores <= 64; cores *= 4) {
		__u64 slot = 0, counted = 0;

		for (__u64 now = 1000; now < 101000; now += 1000 / (unsigned)cores) {
			__u64 next = delay_tick_slot(slot, 1000, now);
			counted += next != slot;
			slot = next;
		}
		CHECK(counted >= 98 && counted <= 101);
	}
	CHECK(delay_tick_slot(5000, 1000, 5999) == 5000);
	CHECK(delay_tick_slot(5000, 1000, 7500) == 6500);   /* a period is left, */
	CHECK(delay_tick_slot(5000, 1000, 90000) == 89000); /* and no more */
}

TEST("the target's time on many cores raises G by one core's, and no more than two periods late")
{
	const struct delay_settings settings = {.period_ns = 1000,
						.speedups = {DELAY_SPEEDUP_ONE / 2,
							     DELAY_SPEEDUP_ONE}};

	for (unsigned cores = 1; cores <= 64; cores *= 4) {
		__u64 slot = 0, grown = 0;

		for (__u64 now = 1000; now < 101000; now += 1000 / cores) {
			__u64 most = delay_charge_most(&settings, slot, 1, now);
			__u64 growth = most < 500 ? most : 500; /* each core charges all its time */
			if (growth)
				slot = delay_charge_slot(&settings, slot, 1, growth, now);
			grown += growth;
		}
		CHECK(grown >= 49000 && grown <= 50500);
	}
	CHECK_EQUAL(delay_charge_most(&settings, 5000, 1, 5249), 0); /* not each tick writes G */
	CHECK_EQUAL(delay_charge_most(&settings, 5000, 1, 5250), 125);
	CHECK_EQUAL(delay_charge_most(&settings, 5000, 2, 5250), 250);
	CHECK_EQUAL(delay_charge_most(&settings, 5000, 1, 90000), 1000);
	CHECK_EQUAL(delay_charge_slot(&settings, 5000, 1, 100, 5250), 5200);
	CHECK_EQUAL(delay_charge_slot(&settings, 5000, 1, 100, 90000), 88200);
	CHECK_EQUAL(delay_charge_most(&settings, 6000, 1, 5250), 0); /* a clock that is behind */
}
