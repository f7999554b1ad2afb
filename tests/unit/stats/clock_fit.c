/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of stats/clock_fit.h on simulated clocks and messages. */
#include "stats/clock_fit.h"

#include "base/memory.h"
#include "check.h"
#include "stats/random.h"

#include <math.h>
#include <stdbool.h>

#define S 1000000000ull
#define PER_SECOND 10

/* The other clock reads `ahead_ns` more at this one's 0, and gains `rate` ns each ns. */
struct clocks {
	double ahead_ns, rate;
	double rate_later;        /* from half of the time on */
	double there_ns, back_ns; /* a message takes at least so long; some take up to 5 ms more */
	unsigned seconds;
};

static double other_at(const struct clocks *clocks, double now_ns)
{
	double half_ns = clocks->seconds * 1e9 / 2;
	double later_ns = now_ns > half_ns ? now_ns - half_ns : 0;

	return now_ns + clocks->ahead_ns + clocks->rate * (now_ns - later_ns) +
	       clocks->rate_later * later_ns;
}

static double delay(struct random *random, double least_ns)
{
	double u = random_uniform(random);
	return least_ns + (u < 0.3 ? 20e3 * random_uniform(random) : 5e6 * u * u);
}

/* The greatest error of the fit in the time of the messages, in ns. */
static double error_of(const struct clocks *clocks, uint64_t seed, struct clock_fit *fit)
{
	struct random random = random_seeded(seed);
	ARRAY(struct clock_bound) bounds = {0};
	double worst = 0, begin_ns = 100e9;

	for (unsigned i = 0; i < clocks->seconds * PER_SECOND; i++) {
		double left = begin_ns + i * 1e9 / PER_SECOND;
		double answered = left + delay(&random, clocks->there_ns);
		double back = answered + delay(&random, clocks->back_ns);
		double told = floor(other_at(clocks, answered - begin_ns) + begin_ns);
		*array_add(&bounds) = (struct clock_bound){.time_ns = (uint64_t)told,
							   .low_ns = (int64_t)floor(left - told),
							   .high_ns = (int64_t)ceil(back - told)};
	}
	clock_fit(bounds.items, bounds.count, fit);
	for (unsigned i = 0; i <= clocks->seconds * PER_SECOND; i++) {
		double now = i * 1e9 / PER_SECOND;
		uint64_t told = (uint64_t)(other_at(clocks, now) + begin_ns);
		double error = fabs((double)clock_fit_time(fit, told) - (now + begin_ns));
		worst = error > worst ? error : worst;
	}
	array_free(&bounds);
	return worst;
}

TEST("offset and drift are found within the uncertainty, which is that of the fastest messages")
{
	for (uint64_t seed = 1; seed <= 50; seed++) {
		const struct clocks clocks = {.ahead_ns = 3600e9 * ((double)(seed % 5) - 2),
					      .rate = 40e-6 * ((double)(seed % 7) - 3),
					      .rate_later = 40e-6 * ((double)(seed % 7) - 3),
					      .there_ns = 100e3,
					      .back_ns = 100e3,
					      .seconds = 20};
		struct clock_fit fit;
		double error = error_of(&clocks, seed, &fit);
		CHECK(error <= (double)fit.uncertainty_ns + 2);
		CHECK(fit.uncertainty_ns > 90000 && fit.uncertainty_ns < 200000);
		CHECK(fabs(fit.drift + clocks.rate) < 15e-6);
		clock_fit_clear(&fit);
	}
}

TEST("a way that is slower in one direction stays within the uncertainty")
{
	const struct clocks clocks = {.there_ns = 1e6, .back_ns = 50e3, .seconds = 10};
	struct clock_fit fit;
	double error = error_of(&clocks, 7, &fit);
	CHECK(error > 300e3);
	CHECK(error <= (double)fit.uncertainty_ns + 2);
	clock_fit_clear(&fit);
}

TEST("a clock that changes its rate is followed in parts, without a jump")
{
	const struct clocks clocks = {.rate = 100e-6,
				      .rate_later = -100e-6,
				      .there_ns = 50e3,
				      .back_ns = 50e3,
				      .seconds = 120};
	struct clock_fit fit;
	double error = error_of(&clocks, 3, &fit);
	CHECK(fit.knots.count > 2);
	CHECK(error < 500e3);
	CHECK(error <= (double)fit.uncertainty_ns + 2);
	uint64_t before = 0;
	for (uint64_t now = 100 * S; now < 220 * S; now += S / 100) {
		uint64_t time = clock_fit_time(&fit, now);
		CHECK(time > before);
		before = time;
	}
	clock_fit_clear(&fit);
}

TEST("one bound gives an offset, and bounds on one side narrow those on both")
{
	struct clock_bound bounds[] = {{5 * S, -1000, 3000},
				       {5 * S + 10, INT64_MIN, 0},
				       {5 * S + 20, -400, INT64_MAX}};
	struct clock_fit fit;
	clock_fit(bounds, 1, &fit);
	CHECK_EQUAL(clock_fit_time(&fit, 9 * S), 9 * S + 1000);
	CHECK_EQUAL(fit.uncertainty_ns, 2000);
	clock_fit_clear(&fit);
	clock_fit(bounds, 3, &fit);
	CHECK(fit.uncertainty_ns <= 201);
	CHECK_EQUAL(clock_fit_time(&fit, 5 * S + 10), 5 * S + 10 - 200);
	clock_fit_clear(&fit);
}
