/* SPDX-License-Identifier: BSD-2-Clause */
/* standstill - a thread that always sleeps does not seem to gain by pauses that come late. */
#include "check.h"

#include "analyze/causal/standstill.h"
#include "profile/window_values.h"

#define MOST 5
#define MS 1000000ull

static struct recording_experiment windows[MOST];
static struct recording_visit visits[MOST];
static const struct recording_experiment *items[MOST];
static const struct recording_point point = {.id = 7, .kind = POINT_THROUGHPUT};

/* Windows of 100 ms, in the target all the time. */
static void window(size_t index, double speedup, unsigned delay_ms, double count)
{
	visits[index] = (struct recording_visit){.point_id = 7,
						 .visits = count,
						 .duration_ns = 100 * MS,
						 .delay_ns = delay_ms * MS};
	windows[index] = (struct recording_experiment){.run_id = 1,
						       .speedup = speedup,
						       .duration_ns = 100 * MS,
						       .delay_ns = delay_ms * MS,
						       .target_ns = 100 * MS,
						       .visits = {&visits[index], 1, 1}};
	items[index] = &windows[index];
}

static double period_us(size_t index, size_t count)
{
	const struct trials trials = {.items = items, .count = count};
	double own_ns = window_visit_period(&visits[index], point.kind);

	return standstill_period(&trials, index, &point, own_ns) / 1e3;
}

TEST("visits that late pauses let through are no gain")
{
	window(0, 0, 0, 500);
	window(1, 1, 90, 100); /* 100 us each, for 200 */
	window(2, 1, 102, 20); /* less than no time */
	window(3, 0, 0, 500);
	CHECK_NEAR(period_us(1, 4), 200, 0.01);
	CHECK_NEAR(period_us(2, 4), 200, 0.01);
}

TEST("a window at the end of a run has one control beside it, and of another run none")
{
	window(0, 0, 0, 250);
	window(1, 0, 0, 500);
	window(2, 1, 90, 100);
	CHECK_NEAR(period_us(2, 3), 200, 0.01);
	windows[0].run_id = windows[1].run_id = 2;
	CHECK_NEAR(period_us(2, 3), 100, 0.01);
}

TEST("code that sets the pace goes on")
{
	window(0, 0, 0, 500);
	window(1, 1, 95, 480);
	window(2, 0, 0, 500);
	CHECK_NEAR(period_us(1, 3), 10.4, 0.1);
}

TEST("on many cores code that sets the pace is slowed down itself, but has its time a visit")
{
	window(0, 0, 0, 500);
	window(1, 1, 92, 120); /* in effective time a visit takes a third of the usual */
	window(2, 0, 0, 500);
	windows[1].target_ns = 25 * MS;
	CHECK_NEAR(period_us(1, 3), 66.7, 0.1);
	windows[1].target_ns = 40 * MS; /* for visits that need 24 */
	CHECK_NEAR(period_us(1, 3), 200, 0.01);
}

TEST("a window with time left, a slower one and controls stay as they are")
{
	window(0, 0, 0, 500);
	window(1, 0.5, 50, 250);
	window(2, 1, 90, 10);
	window(3, 0, 0, 500);
	CHECK_NEAR(period_us(0, 4), 200, 0.01);
	CHECK_NEAR(period_us(1, 4), 200, 0.01);
	CHECK_NEAR(period_us(2, 4), 1000, 0.01);
}
