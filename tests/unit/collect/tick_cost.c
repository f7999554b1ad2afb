/* SPDX-License-Identifier: BSD-2-Clause */
/* tick_cost - what separates ticks from other interrupts: the size of their holes. */
#include "check.h"

#include "base/clock.h"
#include "collect/tick_cost.h"

#include <signal.h>
#include <sys/time.h>

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

static volatile uint64_t handled;

static void on_alarm(int number)
{
	uint64_t until = clock_now_ns() + 20000;

	(void)number;
	handled++;
	while (clock_now_ns() < until)
		;
}

TEST("of the interrupts of a thread only those count in which a tick was handled")
{
	static uint64_t holes[TICK_COST_HOLES_MOST];
	const struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
	const volatile uint64_t none = 0;
	struct sigaction action = {.sa_handler = on_alarm}, old;

	sigaction(SIGALRM, &action, &old);
	setitimer(ITIMER_REAL, &often, NULL);
	size_t count = 0;
	while (!count)
		count = tick_cost_find_holes(holes, count, 10000000, &handled);
	CHECK(count <= handled);
	CHECK_EQUAL(tick_cost_find_holes(holes, 0, 10000000, &none), 0);
	CHECK(tick_cost_find_holes(holes, count, 10000000, &handled) >= count);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &old, NULL);
	for (size_t i = 1; i < count; i++)
		CHECK(holes[i - 1] <= holes[i]);
}
