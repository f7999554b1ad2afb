/* SPDX-License-Identifier: BSD-2-Clause */
/* summary - order statistics and trimmed moments. */
#include "stats/summary.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <assert.h>
#include <math.h>
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

static size_t trimmed_count(size_t count, double trim)
{
	assert(trim >= 0 && trim < 0.5);
	return (size_t)floor(trim * (double)count);
}

double summary_trimmed_mean(const double *values, size_t count, double trim)
{
	AUTO(values) double *sorted = sorted_copy(values, count);
	size_t cut = trimmed_count(count, trim);
	double sum = 0;

	for (size_t i = cut; i < count - cut; i++)
		sum += sorted[i];
	return sum / (double)(count - 2 * cut);
}

double summary_winsorized_variance(const double *values, size_t count, double trim)
{
	AUTO(values) double *sorted = sorted_copy(values, count);
	size_t cut = trimmed_count(count, trim);
	double mean = 0, squares = 0;

	for (size_t i = 0; i < cut; i++) {
		sorted[i] = sorted[cut];
		sorted[count - 1 - i] = sorted[count - 1 - cut];
	}
	for (size_t i = 0; i < count; i++)
		mean += sorted[i] / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += (sorted[i] - mean) * (sorted[i] - mean);
	return count < 2 ? 0 : squares / (double)(count - 1);
}
