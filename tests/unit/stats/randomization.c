/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of stats/randomization.h. Exact probabilities are those of Wilcoxon's signed rank
 * statistic: of 2^n signs, the number of subsets of 1 ... n with a given sum.
 */
#include "stats/randomization.h"
#include "check.h"
#include "stats/random.h"

#include <math.h>

static struct randomization_look look_at(const double *values, size_t count, double spent)
{
	struct randomization *randomization = randomization_new(1);
	struct randomization_look look = randomization_look(randomization, values, 0, count, spent);
	randomization_free(randomization);
	return look;
}

TEST("with six units of one sign p is 2/64, with five no 95 % interval exists")
{
	static const double values[] = {0.01, 0.02, 0.03, 0.04, 0.05, 0.06};
	struct randomization_look six = look_at(values, 6, 0.05), five = look_at(values, 5, 0.05);

	CHECK_NEAR(six.p, 2.0 / 64, 1e-12);
	CHECK(six.is_rejected);
	CHECK_NEAR(six.low, 0.01, 1e-12);
	CHECK_NEAR(six.high, 0.06, 1e-12);
	CHECK_NEAR(five.p, 2.0 / 32, 1e-12);
	CHECK(!five.is_rejected && isinf(five.low) && isinf(five.high));
}

TEST("p and estimate of ten units are the exact ones of Wilcoxon, and of Hodges and Lehmann")
{
	/* R: wilcox.test(x, conf.int = TRUE): V = 48, p = 0.03710938. */
	static const double values[] = {1.1, 2.2, -0.3, 4.1, 5.7, 3.3, -0.9, -1.5, 7.5, 2.9};
	struct randomization_look look = look_at(values, 10, 0.05);
	/* Signed ranks: -0.3, -0.9 and -1.5 have the ranks 1, 2 and 4; W+ = 55 - 7 = 48. */
	CHECK_NEAR(look.p, 2 * 19.0 / 1024, 1e-12); /* subsets of 1 ... 10 with a sum up to 7: 19 */
	CHECK(look.is_rejected);
	CHECK_NEAR(look.estimate, 2.3, 0.11);
	CHECK(look.low > 0 && look.low < look.estimate && look.estimate < look.high);
}

TEST("equal values and zeros are no reason to reject")
{
	static const double zeros[8] = {0}, mixed[8] = {1, -1, 1, -1, 1, -1, 1, -1};
	CHECK(!look_at(zeros, 8, 0.05).is_rejected);
	CHECK(!look_at(mixed, 8, 0.05).is_rejected);
	CHECK_NEAR(look_at(mixed, 8, 0.05).p, 1, 1e-12);
}

/* Cauchy noise that remembers its past: no method that trusts a distribution would do. */
static double noise(struct random *random, double *past)
{
	*past = 0.8 * *past + tan(M_PI * (random_uniform(random) - 0.5));
	return *past;
}

/* Looks after every fourth unit from the sixth on, at the end for the last time. */
static bool is_called(struct random *random, size_t units, double change, bool *holds)
{
	struct randomization *randomization = randomization_new(random_next(random));
	struct randomization_look look = {0};
	double values[64], past = 0;
	bool is_rejected = false;

	for (size_t i = 0; i < units; i++) {
		double size = noise(random, &past);
		values[i] = change + (random_below(random, 2) ? size : -size);
		if (i < 5 || i % 4 != 1)
			continue;
		look = randomization_look(randomization, values, 0, i + 1,
					  0.05 * (double)(i + 1) / (double)units);
		is_rejected |= look.is_rejected;
		*holds &= look.low <= change && look.high >= change;
	}
	randomization_free(randomization);
	return is_rejected;
}

TEST("looking after every fourth unit calls at most 5 % of unchanged programs changed")
{
	struct random random = random_seeded(7);
	unsigned called = 0, missed = 0;

	for (unsigned i = 0; i < 200; i++) {
		bool holds = true;
		called += is_called(&random, 30, 0, &holds);
		missed += !holds;
	}
	printf("# called %u of 200, interval missed at some look %u\n", called, missed);
	CHECK(called <= 18); /* 10 are expected at most; 18 with probability 0.01 */
	CHECK(missed <= 18);
}

TEST("a change is found, and the intervals of all looks hold it")
{
	struct random random = random_seeded(8);
	unsigned called = 0, missed = 0;

	for (unsigned i = 0; i < 150; i++) {
		bool holds = true;
		called += is_called(&random, 38, 20, &holds);
		missed += !holds;
	}
	printf("# called %u of 150, interval missed at some look %u\n", called, missed);
	CHECK(called >= 140);
	CHECK(missed <= 15);
}

TEST("first units that are slower than all later ones are warm-up")
{
	double totals[30] = {9, 8, 3};

	for (size_t i = 3; i < 30; i++)
		totals[i] = 4 + (double)(i % 5) / 10;
	CHECK_EQUAL(randomization_warm_up(totals, 30), 2);
	CHECK_EQUAL(randomization_warm_up(totals, 21), 2);
	CHECK_EQUAL(randomization_warm_up(totals, 20), 1);
	CHECK_EQUAL(randomization_warm_up(totals, 10), 0); /* too few to tell */
}
