/* SPDX-License-Identifier: BSD-2-Clause */
/* slowdown_limit - steps are spaced so that delays stay below a share of the time. */
#include "check.h"

#include "experiment/slowdown_limit.h"

#define MS 1000000ull
#define REST_NS (50 * MS)

/* Steps of 100 ms, with their delays in turn: the share of its own time that a program loses. */
static double slowdown_of(double most, const uint64_t *delays, unsigned count, unsigned *steps)
{
	struct slowdown_limit limit = {.most = most};
	uint64_t now = 7000 * MS, delayed = 3 * MS, began = now, before = delayed;

	*steps = 0;
	while (now - began < 60000 * MS) {
		if (slowdown_limit_allows(&limit, now, delayed, 60 * MS)) {
			now += 100 * MS;
			delayed += delays[(*steps)++ % count];
		} else {
			now += REST_NS;
		}
	}
	return (double)(delayed - before) / (double)(now - began - (delayed - before));
}

TEST("steps of any cost stay within the bound, and use what it allows")
{
	const uint64_t alike[] = {50 * MS}, uneven[] = {0, 75 * MS, 0, 10 * MS, 90 * MS};
	const double bounds[] = {0.01, 0.05, 0.1, 0.5};
	unsigned steps;

	for (int i = 0; i < 4; i++) {
		double slowdown = slowdown_of(bounds[i], alike, 1, &steps);
		CHECK(slowdown <= bounds[i] && slowdown > 0.8 * bounds[i]);
		slowdown = slowdown_of(bounds[i], uneven, 5, &steps);
		CHECK(slowdown <= bounds[i] && slowdown > 0.6 * bounds[i]);
	}
}

TEST("without a bound, and where nothing is delayed, steps follow each other")
{
	const uint64_t all[] = {100 * MS - 1}, none[] = {0};
	unsigned steps;

	slowdown_of(0, all, 1, &steps);
	CHECK_EQUAL(steps, 600);
	slowdown_of(0.1, none, 1, &steps);
	CHECK(steps > 590);
}

TEST("ticks while the program must not be paused take a fifth of what is allowed")
{
	const struct slowdown_limit tenth = {.most = 0.1}, all = {.most = 1};

	CHECK_NEAR((double)slowdown_limit_period_ns(&tenth, MS, 25000), 1250000, 2);
	CHECK_EQUAL(slowdown_limit_period_ns(&all, MS, 25000), MS);
}
