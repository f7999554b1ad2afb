/* SPDX-License-Identifier: BSD-2-Clause */
/* sampling_rate - programs whose tasks wait often are sampled more densely. */
#include "check.h"

#include "experiment/sampling_rate.h"

#include <stdbool.h>
#include <stdlib.h>

#define USUAL 500000
#define DENSEST 150000

static uint64_t period_of(uint64_t busy_ns, uint64_t waits)
{
	struct sampling_rate sampling_rate = {0};

	for (int i = 0; i < 50; i++)
		sampling_rate_update(&sampling_rate, busy_ns, waits, 0);
	return sampling_rate_period_ns(&sampling_rate, USUAL, DENSEST);
}

TEST("nothing known, or no waits: the usual period")
{
	struct sampling_rate sampling_rate = {0};

	CHECK_EQUAL(sampling_rate_period_ns(&sampling_rate, USUAL, DENSEST), USUAL);
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
	struct sampling_rate sampling_rate = {.busy_ns = 100000000, .waits = 100};

	CHECK_EQUAL(sampling_rate_period_ns(&sampling_rate, USUAL, 2 * USUAL), USUAL);
}

TEST("a program that changes its ways is soon followed")
{
	struct sampling_rate sampling_rate = {0};

	for (int i = 0; i < 50; i++)
		sampling_rate_update(&sampling_rate, 100000000, 100, 100);
	for (int i = 0; i < 20; i++)
		sampling_rate_update(&sampling_rate, 100000000, 0, 0);
	CHECK_EQUAL(sampling_rate_period_ns(&sampling_rate, USUAL, DENSEST), USUAL);
}

/* Half of it each time; twice as many waits are ended by a device. */
static bool warns(uint64_t busy_ns, uint64_t task_wakeups, uint64_t period_ns)
{
	struct sampling_rate sampling_rate = {0};
	for (int i = 0; i < 2; i++)
		sampling_rate_update(&sampling_rate, busy_ns / 2, 3 * task_wakeups / 2,
				     task_wakeups / 2);
	char *warning = sampling_rate_warning(&sampling_rate, period_ns);
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
	struct sampling_rate sampling_rate = {0};

	sampling_rate_update(&sampling_rate, 1000000000, 100000, 0);
	CHECK(!sampling_rate_warning(&sampling_rate, 60000));
	sampling_rate_update(&sampling_rate, 1000000000, 100000, 100);
	CHECK(!sampling_rate_warning(&sampling_rate, 60000));
}
