/* SPDX-License-Identifier: BSD-2-Clause */
/* tick_cost - what separates ticks from other interrupts: the size of their holes. */
#include "check.h"

#include "collect/tick_cost.h"

#define TICKS 100

TEST("many short interrupts are not taken for ticks")
{
	uint64_t holes[3 * TICKS];

	for (size_t i = 0; i < 2 * TICKS; i++)
		holes[i] = 1000 + i;
	for (size_t i = 0; i < TICKS; i++)
		holes[2 * TICKS + i] = 14000 + i;
	CHECK_EQUAL(tick_cost_of(holes, 3 * TICKS, TICKS, 1), 14000 + TICKS / 4);
}

TEST("a few long interruptions hardly move it")
{
	uint64_t holes[TICKS + 10];

	for (size_t i = 0; i < TICKS; i++)
		holes[i] = 14000;
	for (size_t i = TICKS; i < TICKS + 10; i++)
		holes[i] = 4000000;
	CHECK_EQUAL(tick_cost_of(holes, TICKS + 10, TICKS, 1), 14000);
}

TEST("with a few ticks missing those that came tell it; with half of them missing nothing does")
{
	uint64_t holes[TICKS];

	for (size_t i = 0; i < TICKS; i++)
		holes[i] = 14000;
	CHECK_EQUAL(tick_cost_of(holes, TICKS - 30, TICKS, 1), 14000);
	CHECK_EQUAL(tick_cost_of(holes, TICKS / 2 - 1, TICKS, 1), 0);
	CHECK_EQUAL(tick_cost_of(holes, 0, TICKS, 1), 0);
	CHECK_EQUAL(tick_cost_of(holes, 0, 0, 1), 0);
}

TEST("the mean takes part of long interruptions, up to half of a tick")
{
	uint64_t holes[TICKS];

	for (size_t i = 0; i < TICKS; i++)
		holes[i] = i < TICKS / 2 ? 10000 : i < TICKS * 3 / 4 ? 12000 : 4000000;
	CHECK_EQUAL(tick_cost_mean(holes, TICKS, TICKS), (2 * 10000 + 12000 + 15000) / 4);
	CHECK_EQUAL(tick_cost_mean(holes, TICKS / 2 - 1, TICKS), 0);
}
