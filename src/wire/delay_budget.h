/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * delay_budget - how much a core may pause with interrupts off, whatever is owed.
 *
 * A cap for each pause does not bound their sum: one interrupt can hold two ticks, and one wake-up
 * of a thousand waiters a thousand pauses. So a core may pause for the cap at once, and regains
 * DELAY_BUDGET_REFILL ns for each ns that it does not pause. In any time T it pauses for at most
 * cap + T x 16 / 17; what is beyond stays owed. docs/security.md has the figures.
 */
#pragma once

#include "wire/delay.h"

#define DELAY_BUDGET_REFILL 16

/* Written on its core. Zero: nothing is spent. */
struct delay_budget {
	__u64 spent_ns, updated_ns;
};

/* What is left at `now`. */
DELAY_RULE __u64 delay_budget_left(struct delay_budget *budget, __u64 cap_ns, __u64 now)
{
	__s64 passed = now - budget->updated_ns;
	__u64 regained = delay_not_negative(passed);

	/* No product of a long time. */
	regained = regained < cap_ns ? regained * DELAY_BUDGET_REFILL : budget->spent_ns;
	budget->spent_ns = delay_not_negative(budget->spent_ns - regained);
	budget->updated_ns = now;
	return delay_not_negative(cap_ns - budget->spent_ns);
}

/* The core has paused for `paused_ns`, until `now`. */
DELAY_RULE void delay_budget_spend(struct delay_budget *budget, __u64 paused_ns, __u64 now)
{
	budget->spent_ns += paused_ns;
	budget->updated_ns = now;
}
