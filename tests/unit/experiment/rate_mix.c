/* SPDX-License-Identifier: BSD-2-Clause */
/* rate_mix - the same code at a high and at a low rate, or not. */
#include "check.h"

#include "experiment/rate_mix.h"
#include "stats/random.h"

#define SAMPLES 300 /* a window */
#define CYCLE_NS 1.5e8

/* In windows of a low and a high rate in turn, code 1 takes these parts of the time. */
static struct rate_mix mix_of(unsigned windows, double low_part, double high_part, double high_rate)
{
	struct random random = random_seeded(3);
	struct rate_mix mix = {0};

	rate_mix_add(&mix, 7, 1e9); /* from before the window */
	for (unsigned i = 0; i < windows; i++) {
		double part = i % 2 ? high_part : low_part;
		rate_mix_begin(&mix);
		for (int j = 0; j < SAMPLES; j++)
			rate_mix_add(&mix, random_uniform(&random) < part ? 1 : 2, 250000);
		rate_mix_end(&mix, i % 2 ? high_rate : 1, 1e8);
	}
	return mix;
}

static bool is_same(unsigned windows, double low_part, double high_part, double high_rate)
{
	struct rate_mix mix = mix_of(windows, low_part, high_part, high_rate);
	bool found = rate_mix_is_same(&mix, 0.3, CYCLE_NS);

	rate_mix_release(&mix);
	return found;
}

TEST("the same code at each rate is the same mix, but for chance")
{
	CHECK(is_same(20, 0.7, 0.7, 2));
	CHECK(is_same(10, 0.5, 0.5, 2));
	CHECK(is_same(20, 0.7, 0.72, 2));
}

TEST("other code at a high rate is another mix")
{
	CHECK(!is_same(20, 1, 0, 2));
	CHECK(!is_same(20, 0.7, 0.85, 2));
}

TEST("windows of whole cycles, whose rates are alike, tell nothing; nor do a few")
{
	CHECK(!is_same(20, 0.7, 0.7, 1.1));
	CHECK(!is_same(6, 0.7, 0.7, 2));
}

TEST("windows that are short beside a cycle hold none, and their rates would differ")
{
	struct rate_mix mix = mix_of(20, 0.7, 0.7, 1.1), other = mix_of(20, 0.7, 0.85, 1.1);

	CHECK(rate_mix_is_same(&mix, 0.3, 3e8));
	CHECK(!rate_mix_is_same(&mix, 0.3, CYCLE_NS));
	CHECK(!rate_mix_is_same(&other, 0.3, 3e8));
	rate_mix_release(&mix);
	rate_mix_release(&other);
}

TEST("the excess is what a slower core does not explain")
{
	struct rate_mix mix = mix_of(40, 0.7, 0.85, 2), alike = mix_of(40, 0.7, 0.7, 2);

	CHECK_NEAR(rate_mix_distance(&mix), 0.15, 0.02);
	CHECK_NEAR(rate_mix_excess(&mix), 0.075, 0.02); /* of code 2, four times as long a unit */
	CHECK_NEAR(rate_mix_excess(&alike), 0, 0.01);
	rate_mix_release(&mix);
	rate_mix_release(&alike);
}

/* One thread runs code 1, and another, which waits for it, code 2 for so long a unit. */
static bool is_same_with_waiting(double low_rate, double low_us, double high_us, double deviation)
{
	struct rate_mix mix = {0};

	for (unsigned i = 0; i < 20; i++) {
		double rate = i % 2 ? 2 : low_rate, us = i % 2 ? high_us : low_us;
		for (unsigned j = 0; j < 400; j++)
			rate_mix_add(&mix, 1, 250000);
		for (unsigned j = 0; j < (unsigned)(400 * rate * us); j++)
			rate_mix_add(&mix, 2, 250000);
		rate_mix_end(&mix, rate, 1e8);
	}
	bool found = rate_mix_is_same(&mix, deviation, CYCLE_NS);
	rate_mix_release(&mix);
	return found;
}

TEST("where a core slows one thread alone, and another waits for it, the program has no cycles")
{
	CHECK(is_same_with_waiting(1.2, 0.3, 0.3, 0.3));
	CHECK(is_same_with_waiting(1, 0.3, 0.2, 0.3));
	CHECK(!is_same_with_waiting(1, 0.3, 0.05, 0.3));
	CHECK(!is_same_with_waiting(1, 0.05, 0.4, 0.3));
}

/* One thread runs both codes; on a slower core each takes so many times as long. */
static bool is_same_serial(double part, double slower, double other_slower)
{
	double slow = part * slower, length = slow + (1 - part) * other_slower;

	return is_same(40, slow / length, part, length);
}

TEST("where a core slows a half of a thread's work, which is then a larger part, it has no cycles")
{
	CHECK(is_same_serial(0.7, 2, 1.2));
	CHECK(is_same_serial(0.5, 2, 1));
	CHECK(!is_same_serial(0.2, 4, 1));
	CHECK(!is_same_serial(0.5, 10, 0.4));
}

TEST("a rate that varies more than that of slow cores is of a program that works in cycles")
{
	CHECK(!is_same_with_waiting(1, 0.3, 0.3, 0.6));
	CHECK(is_same_with_waiting(1, 0.3, 0.3, 0.39));
}

TEST("it is settled with four windows of each kind, or with sixteen")
{
	struct rate_mix few = mix_of(6, 0.5, 0.5, 2), enough = mix_of(8, 0.5, 0.5, 2);
	struct rate_mix steady = mix_of(16, 0.5, 0.5, 1);

	CHECK(!rate_mix_is_settled(&few));
	CHECK(rate_mix_is_settled(&enough));
	CHECK(rate_mix_is_settled(&steady));
	CHECK(!rate_mix_is_same(&steady, 0.3, CYCLE_NS));
	rate_mix_release(&few);
	rate_mix_release(&enough);
	rate_mix_release(&steady);
}

/* Of windows of 100 ms, in which one thread always runs, or rests while the rate is low. */
static bool is_same_with_rest(unsigned samples_at_low)
{
	struct rate_mix mix = {0};

	for (unsigned i = 0; i < 20; i++) {
		for (unsigned j = 0; j < (i % 2 ? 400 : samples_at_low); j++)
			rate_mix_add(&mix, 1, 250000);
		rate_mix_end(&mix, i % 2 ? 2 : 1, 1e8);
	}
	bool found = rate_mix_is_same(&mix, 0.3, CYCLE_NS);
	rate_mix_release(&mix);
	return found;
}

TEST("a program that rests while its rate is low works in cycles, though it runs the same code")
{
	CHECK(is_same_with_rest(400));
	CHECK(is_same_with_rest(370));
	CHECK(!is_same_with_rest(300));
}
