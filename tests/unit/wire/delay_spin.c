/* SPDX-License-Identifier: BSD-2-Clause */
/* delay_spin - what a thread that spins is credited with. */
#include "wire/delay_spin.h"

#include "check.h"

/* What a thread that spins is credited with at a tick of 100 us; its gap is large. */
static __u64 credit_of(__u8 *spin, bool is_spinning, __s64 charged_ns)
{
	const struct delay_spin_tick tick = {.is_spinning = is_spinning,
					     .gap_ns = 1000,
					     .charged_ns = charged_ns,
					     .weight_ns = 100};

	return delay_spin_credit(spin, &tick);
}

TEST("a spinner that hands over to the target owes nothing for the interval in which it did")
{
	__u8 spin = 0;

	CHECK_EQUAL(credit_of(&spin, false, 0), 0);
	CHECK_EQUAL(credit_of(&spin, true, 80), 80);
	CHECK_EQUAL(credit_of(&spin, true, 80), 100);
	CHECK_EQUAL(credit_of(&spin, false, 80), 80);
	CHECK(!delay_spun(spin));
	CHECK_EQUAL(credit_of(&spin, false, 80), 0);
}

TEST("a spinner whose releaser begins the target owes what is charged from then on")
{
	__u8 spin = 0;

	CHECK_EQUAL(credit_of(&spin, true, 0), 0);
	CHECK_EQUAL(credit_of(&spin, true, 0), 100);
	CHECK_EQUAL(credit_of(&spin, false, 80), 0);
}

TEST("a spinner owes nothing of a target that took less than a period")
{
	__u8 spin = 0;

	CHECK_EQUAL(credit_of(&spin, true, 0), 0);
	CHECK_EQUAL(credit_of(&spin, false, 80), 80);
}

TEST("a spinner beside which the target ran already owes half of the charges, when its wait began")
{
	__u8 spin = 0;

	CHECK_EQUAL(credit_of(&spin, false, 80), 0);
	CHECK_EQUAL(credit_of(&spin, true, 80), 40);
	CHECK_EQUAL(credit_of(&spin, false, 80), 40);
}
