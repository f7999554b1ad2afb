/* SPDX-License-Identifier: BSD-2-Clause */
/* summary - order statistics. */
#include "stats/summary.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

CLEANUP_DEFINE(values, double *, free, NULL)

static int compare_values(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

static double *sorted_copy(const double *values, size_t count)
{
	assert(count > 0);
	double *sorted = memory_new(count, sizeof(*sorted));
	memcpy(sorted, values, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_values);
	return sorted;
}

static double sorted_quantile(const double *sorted, size_t count, double fraction)
{
	double position = fraction * (double)(count - 1);
	size_t below = (size_t)position;
	if (below + 1 >= count)
		return sorted[count - 1];
	return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

double summary_quantile(const double *values, size_t count, double fraction)
{
	assert(fraction >= 0 && fraction <= 1);
	AUTO(values) double *sorted = sorted_copy(values, count);
	return sorted_quantile(sorted, count, fraction);
}

double summary_median(const double *values, size_t count)
{
	return summary_quantile(values, count, 0.5);
}
