/* SPDX-License-Identifier: BSD-2-Clause */
/* The bounds of wire/delay_budget.h, for a core that pauses whenever and for as long as it may. */
#include "wire/delay_budget.h"

#include "check.h"

#include <stdint.h>

#define CAP_NS 2000000ull

/* The sum of pauses over `time_ns`, of a core that asks to pause after each `apart_ns`. */
static uint64_t pauses(uint64_t time_ns, uint64_t apart_ns, uint64_t start_ns)
{
	struct delay_budget budget = {0};
	uint64_t sum = 0;

	for (uint64_t now = start_ns; now - start_ns < time_ns; now += apart_ns) {
		uint64_t pause = delay_budget_left(&budget, CAP_NS, now);
		now += pause;
		sum += pause;
		delay_budget_spend(&budget, pause, now);
	}
	return sum;
}

TEST("pauses of one interrupt, a few microseconds apart, together take hardly more than the cap")
{
	CHECK(pauses(CAP_NS + 20000, 5000, 1000000000) <= CAP_NS + 20000 * DELAY_BUDGET_REFILL);
}

TEST("a thousand wake-ups with interrupts off, 1 us apart, pause for 18 ms, not for 2 s")
{
	struct delay_budget budget = {0};
	uint64_t now = 5000000000, sum = 0;

	for (int i = 0; i < 1000; i++) {
		uint64_t pause = delay_budget_left(&budget, CAP_NS, now);
		sum += pause;
		now += pause;
		delay_budget_spend(&budget, pause, now);
		now += 1000;
	}
	CHECK(sum <= CAP_NS + 1000 * 1000 * DELAY_BUDGET_REFILL);
	CHECK(sum > CAP_NS * 8);
}

TEST("of each second a core keeps a seventeenth")
{
	for (uint64_t apart = 1000; apart < 300000; apart = apart * 3 / 2)
		CHECK(pauses(1000000000, apart, 77) <=
		      CAP_NS + 1000000000ull / (DELAY_BUDGET_REFILL + 1) * DELAY_BUDGET_REFILL +
			      DELAY_BUDGET_REFILL * apart);
}

TEST("pauses that leave a twentieth of the time are not cut, and a long rest gives the cap at most")
{
	struct delay_budget budget = {0};
	uint64_t now = 1000;

	for (int i = 0; i < 1000; i++) {
		CHECK(delay_budget_left(&budget, CAP_NS, now) >= 1500000);
		now += 1500000;
		delay_budget_spend(&budget, 1500000, now);
		now += 100000;
	}
	CHECK_EQUAL(delay_budget_left(&budget, CAP_NS, now + (1ull << 62)), CAP_NS);
}

TEST("a pause that took longer than it may, or a clock that goes back, does no harm")
{
	struct delay_budget budget = {0};

	delay_budget_spend(&budget, CAP_NS * 3, 1000000);
	CHECK_EQUAL(delay_budget_left(&budget, CAP_NS, 1000000), 0);
	CHECK_EQUAL(delay_budget_left(&budget, CAP_NS, 999000), 0);
	CHECK_EQUAL(delay_budget_left(&budget, CAP_NS, 999000 + CAP_NS), CAP_NS);
}
