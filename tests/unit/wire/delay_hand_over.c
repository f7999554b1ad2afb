/* SPDX-License-Identifier: BSD-2-Clause */
/* The way onto an idle core after a wait for a lock (wire/delay_hand_over.h). */
#include "wire/delay_core.h"

#include "check.h"

#define PERIOD 80000

static const struct delay_settings settings = {.generation = 1,
					       .period_ns = PERIOD,
					       .heartbeat_ns = 1u << 30,
					       .speedup = DELAY_SPEEDUP_ONE,
					       .speedups = {DELAY_SPEEDUP_ONE}};

/*
 * A task waits for 20 us; a tick in that wait has charged `charge_ns`, or none has. Its core was
 * idle, or not, and has it after 25 us. Returns by how much the task is then ahead of G.
 */
static __s64 charged(struct delay_task *task, __u64 charge_ns, bool core_was_idle)
{
	struct delay_local core = {.generation = 1};
	struct delay_holder holder = {.tick_ns = 110000, .charge_ns = charge_ns};
	struct delay_entry entry = {.now_ns = 145000,
				    .global_ns = 500,
				    .core_was_idle = core_was_idle,
				    .is_member = true};

	delay_leave(task, &settings, 0, true, 500, 100000);
	delay_wake(task, DELAY_WAKER_TASK, 0, 500, 120000);
	delay_hand_over(task, &settings, &holder);
	delay_enter(&core, task, &settings, &entry);
	return -delay_gap(&core, &settings, 500);
}

TEST("a tick in one of four waits for a lock charges the ways of all four, one each")
{
	struct delay_task task = {.is_seen = 1, .generation = 1};

	CHECK_EQUAL(charged(&task, 0, true), 0);
	CHECK_EQUAL(charged(&task, PERIOD, true), 25000);
	for (int i = 0; i < 3; i++)
		CHECK_EQUAL(charged(&task, 0, true), 25000);
	CHECK_EQUAL(charged(&task, 0, true), 0);
}

TEST("no way is charged where the core was not idle, and none without a hand-over")
{
	struct delay_task task = {.is_seen = 1, .generation = 1};
	struct delay_local core = {.generation = 1};
	struct delay_entry entry = {.now_ns = 250000,
				    .global_ns = 500,
				    .core_was_idle = true,
				    .is_member = true};

	CHECK_EQUAL(charged(&task, PERIOD, false), 0);
	delay_leave(&task, &settings, 0, true, 500, 200000);
	delay_wake(&task, DELAY_WAKER_TASK, 0, 500, 220000); /* no lock */
	delay_enter(&core, &task, &settings, &entry);
	CHECK_EQUAL(delay_gap(&core, &settings, 500), 0);
	CHECK_EQUAL(charged(&task, 0, true), 25000); /* it has kept them */
}

TEST("a tick before the wait tells nothing of it, and another experiment forgets the ways")
{
	struct delay_task task = {.is_seen = 1, .generation = 1, .left_ns = 1000};
	struct delay_settings next = settings;
	struct delay_holder holder = {.tick_ns = 900, .charge_ns = PERIOD};

	delay_wake(&task, DELAY_WAKER_TASK, 0, 0, 21000);
	delay_hand_over(&task, &settings, &holder);
	CHECK_EQUAL(task.ways, 0);
	holder.tick_ns = 1100;
	delay_hand_over(&task, &settings, &holder);
	CHECK(task.ways > 0);
	next.generation = 2;
	delay_task_renew(&task, &next);
	CHECK_EQUAL(task.ways, 0);
}

TEST("a wait that lasts for a period without the target's share tells nothing")
{
	struct delay_settings half = settings;

	half.speedup = DELAY_SPEEDUP_ONE / 2;
	CHECK_EQUAL(delay_ways_of_wait(&half, 2 * PERIOD, PERIOD / 2), 0);
	CHECK_EQUAL(delay_ways_of_wait(&half, PERIOD, PERIOD / 2), DELAY_WAYS_ONE / 4);
	CHECK_EQUAL(delay_ways_of_wait(&settings, 2 * PERIOD, PERIOD), DELAY_WAYS_ONE / 2);
}

TEST("the store and each charge are bounded")
{
	struct delay_task task = {.ways = DELAY_WAYS_MOST};
	struct delay_holder holder = {.tick_ns = 10, .charge_ns = ~0u};

	delay_wake(&task, DELAY_WAKER_TASK, 0, 0, 20);
	delay_hand_over(&task, &settings, &holder);
	CHECK_EQUAL(task.ways, DELAY_WAYS_MOST);
	CHECK_EQUAL(delay_way_charge(&task, 1000000000), DELAY_WAY_MOST_NS);
	CHECK_EQUAL(delay_way_charge(&task, -5), 0);
}
