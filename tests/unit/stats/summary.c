/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of stats/summary.h against NumPy. */
#include "stats/summary.h"

#include "check.h"
#include "reference.h"

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

TEST("the values that are summarized stay as they were")
{
	double values[] = {3, -1, 7, 2};
	summary_median(values, 4);
	CHECK_NEAR(values[0] * 1000 + values[1] * 100 + values[2] * 10 + values[3], 2972, 0);
}
