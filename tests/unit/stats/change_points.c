/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of stats/change_points.h. */
#include "stats/change_points.h"
#include "check.h"
#include "stats/random.h"

#include <math.h>

#define MOST 100

static double normal(struct random *random)
{
	return sqrt(-2 * log(1 - random_uniform(random))) * cos(2 * M_PI * random_uniform(random));
}

static size_t find(struct random *random, size_t count, size_t change, double size, size_t *points)
{
	double values[MOST], variances[MOST];

	for (size_t i = 0; i < count; i++) {
		variances[i] = 1;
		values[i] = normal(random) + (i >= change ? size : 0);
	}
	return change_points_find(values, variances, count, points);
}

TEST("a change of five standard deviations is found at its place")
{
	struct random random = random_seeded(3);
	size_t points[MOST];

	CHECK_EQUAL(find(&random, 40, 17, 6, points), 1);
	CHECK_EQUAL(points[0], 17);
}

TEST("two changes are found in their order, and the last value may be one")
{
	static const double values[] = {0, 0, 0, 0, 9, 9, 9, 9, 0, 0, 0, 20};
	double variances[12];
	size_t points[12];

	for (size_t i = 0; i < 12; i++)
		variances[i] = 1;
	CHECK_EQUAL(change_points_find(values, variances, 12, points), 3);
	CHECK_EQUAL(points[0], 4);
	CHECK_EQUAL(points[1], 8);
	CHECK_EQUAL(points[2], 11);
}

TEST("a series without a change has one in about 5 % of cases")
{
	struct random random = random_seeded(4);
	size_t points[MOST];
	unsigned found = 0;

	for (unsigned i = 0; i < 1000; i++)
		found += find(&random, 30, MOST, 0, points) > 0;
	printf("# %u of 1000\n", found);
	CHECK(found < 80);
}

TEST("no values and one value have no change")
{
	static const double values[] = {1}, variances[] = {1};
	size_t points[1];

	CHECK_EQUAL(change_points_find(values, variances, 0, points), 0);
	CHECK_EQUAL(change_points_find(values, variances, 1, points), 0);
}
