/* SPDX-License-Identifier: BSD-2-Clause */
/* pace - programs whose tasks wait often are sampled more densely. */
#include "check.h"

#include "experiment/pace.h"

#include <stdbool.h>
#include <stdlib.h>

#define USUAL 500000
#define DENSEST 150000

static uint64_t period_of(uint64_t busy_ns, uint64_t waits)
{
	struct pace pace = {0};

	for (int i = 0; i < 50; i++)
		pace_learn(&pace, busy_ns, waits, 0);
	return pace_period_ns(&pace, USUAL, DENSEST);
}

TEST("nothing known, or no waits: the usual period")
{
	struct pace pace = {0};

	CHECK_EQUAL(pace_period_ns(&pace, USUAL, DENSEST), USUAL);
	CHECK_EQUAL(period_of(100000000, 0), USUAL);
	CHECK_EQUAL(period_of(100000000, 1), USUAL);
}

TEST("a share of the time between waits, within the limits")
{
	CHECK_EQUAL(period_of(100000000, 50), 200000);
	CHECK_EQUAL(period_of(100000000, 100), DENSEST);
	CHECK_EQUAL(period_of(100000000, 100000), DENSEST);
	CHECK_EQUAL(period_of(0, 100), DENSEST);
}

TEST("a densest period above the usual one is none")
{
	struct pace pace = {.busy_ns = 100000000, .waits = 100};

	CHECK_EQUAL(pace_period_ns(&pace, USUAL, 2 * USUAL), USUAL);
}

TEST("a program that changes its ways is soon followed")
{
	struct pace pace = {0};

	for (int i = 0; i < 50; i++)
		pace_learn(&pace, 100000000, 100, 100);
	for (int i = 0; i < 20; i++)
		pace_learn(&pace, 100000000, 0, 0);
	CHECK_EQUAL(pace_period_ns(&pace, USUAL, DENSEST), USUAL);
}

/* Half of it each time; twice as many waits are ended by a device. */
static bool warns(uint64_t busy_ns, uint64_t handovers, uint64_t period_ns)
{
	struct pace pace = {0};
	for (int i = 0; i < 2; i++)
		pace_learn(&pace, busy_ns / 2, 3 * handovers / 2, handovers / 2);
	char *warning = pace_warning(&pace, period_ns);
	bool is_given = warning;

	free(warning);
	return is_given;
}

TEST("hand-overs that come about as often as samples are warned of, few are not")
{
	CHECK(warns(1000000000, 10000, 60000));
	CHECK(!warns(1000000000, 10000, 40000));
	CHECK(!warns(1000000, 10, 60000));
	CHECK(!warns(0, 0, 60000));
}

TEST("waits that no other task ends are not warned of")
{
	struct pace pace = {0};

	pace_learn(&pace, 1000000000, 100000, 0);
	CHECK(!pace_warning(&pace, 60000));
	pace_learn(&pace, 1000000000, 100000, 100);
	CHECK(!pace_warning(&pace, 60000));
}
