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

/* The share of spins seen of those expected, `lag` + 1 ticks after one that spins. */
static double repeats_of(bool (*spins)(unsigned tick), unsigned lag)
{
	struct delay_spin_repeats repeats = {0};
	struct delay_task task = {0};

	for (unsigned i = 0; i < 20000; i++) {
		delay_spin_repeat(&repeats, &task, spins(i), 100);
		const struct delay_spin_tick tick = {.is_spinning = spins(i), .weight_ns = 100};
		delay_spin_credit(&task.spin, &tick);
	}
	return (double)repeats.seen[lag] / (double)repeats.expected[lag];
}

static bool spins_at_random(unsigned tick)
{
	__u64 mixed = (tick + 1) * 0x9e3779b97f4a7c15ULL;

	mixed = (mixed ^ mixed >> 31) * 0xbf58476d1ce4e5b9ULL;
	return (mixed ^ mixed >> 29) % 5 == 0;
}

static bool spins_for_long(unsigned tick)
{
	return tick % 30 < 10;
}

static bool spins_now_and_then(unsigned tick)
{
	return tick % 7 == 0;
}

static bool spins_in_rhythm(unsigned tick)
{
	return tick % 2 == 0;
}

TEST("spins shorter than a period repeat by chance, longer ones and rare ones do not")
{
	CHECK_NEAR(repeats_of(spins_at_random, 0), 1, 0.2);
	CHECK_NEAR(repeats_of(spins_at_random, 1), 1, 0.2);
	CHECK(repeats_of(spins_for_long, 0) > 1.5);
	CHECK(repeats_of(spins_now_and_then, 0) < 0.5);
	CHECK(repeats_of(spins_in_rhythm, 1) > 1.5);
}
