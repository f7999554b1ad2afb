/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of stats/random.h. */
#include "stats/random.h"

#include "check.h"
#include "reference.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

TEST("the generator gives the numbers that its authors published for the state 1 2 3 4")
{
	struct random generator = {{1, 2, 3, 4}};
	CHECK_EQUAL(random_next(&generator), 11520);
	CHECK_EQUAL(random_next(&generator), 0);
	CHECK_EQUAL(random_next(&generator), 1509978240);
	CHECK_EQUAL(random_next(&generator), 1215971899390074240);
}

TEST("a seed gives the same numbers as the reference program")
{
	struct random generator = random_seeded(42);
	for (size_t i = 0; i < COUNT(random_seed_42); i++)
		CHECK(random_next(&generator) == random_seed_42[i]);
}

TEST("different seeds, 0 too, give different numbers")
{
	struct random zero = random_seeded(0), one = random_seeded(1);
	for (int i = 0; i < 100; i++)
		CHECK(random_next(&zero) != random_next(&one));
}

TEST("uniform numbers lie in [0, 1) with the mean and variance of that interval")
{
	struct random generator = random_seeded(3);
	double sum = 0, squares = 0;
	for (int i = 0; i < 100000; i++) {
		double value = random_uniform(&generator);
		CHECK(value >= 0 && value < 1);
		sum += value;
		squares += value * value;
	}
	CHECK_NEAR(sum / 1e5, 0.5, 0.004);
	CHECK_NEAR(squares / 1e5, 1.0 / 3, 0.004);
}

TEST("bounded numbers reach each value below the bound equally often")
{
	struct random generator = random_seeded(4);
	unsigned seen[7] = {0};
	for (int i = 0; i < 70000; i++)
		seen[random_below(&generator, 7)]++;
	for (int i = 0; i < 7; i++)
		CHECK_NEAR(seen[i], 10000, 400);
	CHECK_EQUAL(random_below(&generator, 1), 0);
}

TEST("a bound that is three quarters of all numbers has no bias to small ones")
{
	struct random generator = random_seeded(5);
	uint64_t bound = 3ull << 62;
	unsigned small = 0;
	for (int i = 0; i < 30000; i++) {
		uint64_t value = random_below(&generator, bound);
		CHECK(value < bound);
		small += value < 1ull << 62;
	}
	CHECK_NEAR(small, 10000, 350); /* a remainder would give 15000 */
}

TEST("shuffling makes each order of three equally often and loses nothing")
{
	struct random generator = random_seeded(6);
	unsigned seen[64] = {0}, orders = 0;
	for (int i = 0; i < 12000; i++) {
		unsigned short items[3] = {1, 2, 3};
		random_shuffle(&generator, items, 3, sizeof(items[0]));
		CHECK_EQUAL(items[0] + items[1] + items[2], 6);
		CHECK_EQUAL(items[0] * items[1] * items[2], 6);
		seen[items[0] * 16 + items[1] * 4 + items[2]]++;
	}
	for (size_t i = 0; i < COUNT(seen); i++) {
		if (!seen[i])
			continue;
		orders++;
		CHECK_NEAR(seen[i], 2000, 180);
	}
	CHECK_EQUAL(orders, 6);
}
