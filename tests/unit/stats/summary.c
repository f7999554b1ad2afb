/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of stats/summary.h against NumPy. */
#include "stats/summary.h"

#include "check.h"
#include "reference.h"
#include "stats/random.h"

#include <math.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

TEST("medians and quantiles are NumPy's")
{
	for (size_t i = 0; i < COUNT(summary_references); i++) {
		const struct summary_reference *row = &summary_references[i];
		size_t count = (size_t)row->count;
		CHECK_NEAR(summary_median(summary_values, count), row->median, 1e-12);
		CHECK_NEAR(summary_quantile(summary_values, count, 0.1), row->tenth, 1e-12);
		CHECK_NEAR(summary_quantile(summary_values, count, 0.77), row->upper, 1e-12);
	}
}

TEST("the quantiles 0 and 1 are the least and the greatest value")
{
	const double values[] = {3, -1, 7, 2};
	CHECK_NEAR(summary_quantile(values, 4, 0), -1, 0);
	CHECK_NEAR(summary_quantile(values, 4, 1), 7, 0);
}

static int compare_values(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

TEST("quantiles are the values that sorting gives, of few and many, with alike ones among them")
{
	struct random random = random_seeded(7);

	for (size_t count = 1; count < 600; count += 1 + count / 9) {
		double values[600], sorted[600];
		for (size_t i = 0; i < count; i++)
			sorted[i] = values[i] = (double)random_below(&random, 1 + count / 2);
		qsort(sorted, count, sizeof(*sorted), compare_values);
		for (size_t i = 0; i < count; i++)
			CHECK_NEAR(summary_quantile(values, count,
						    (double)i / fmax(1, (double)count - 1)),
				   sorted[i], 1e-9);
	}
}

TEST("values that are no numbers end a search within the values")
{
	double values[200];

	for (size_t i = 0; i < 200; i++)
		values[i] = i % 3 ? (double)i : NAN;
	summary_median(values, 200);
	for (size_t i = 0; i < 200; i++)
		values[i] = NAN;
	CHECK(isnan(summary_median(values, 200)));
}

TEST("the values that are summarized stay as they were")
{
	double values[] = {3, -1, 7, 2};
	summary_median(values, 4);
	CHECK_NEAR(values[0] * 1000 + values[1] * 100 + values[2] * 10 + values[3], 2972, 0);
}
