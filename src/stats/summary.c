/* SPDX-License-Identifier: BSD-2-Clause */
/* summary - order statistics. */
#include "stats/summary.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

CLEANUP_DEFINE(values, double *, free, NULL)

/* So many values are copied onto the stack. */
#define FEW 128

static void swap(double *a, double *b)
{
	double kept = *a;
	*a = *b;
	*b = kept;
}

static double middle_of(double a, double b, double c)
{
	if (a > b)
		swap(&a, &b);
	return c < a ? a : c > b ? b : c;
}

/*
 * Puts the value there that sorting would, no larger ones before it and no smaller ones behind it:
 * quickselect (Hoare, "Algorithm 65: Find", CACM 4(7), 1961) by the median of three. A comparison
 * with NAN is false and ends a search, so none leaves the array.
 */
static void select_value(double *values, ptrdiff_t count, ptrdiff_t wanted)
{
	ptrdiff_t first = 0, last = count - 1;

	while (first < last) {
		double pivot =
			middle_of(values[first], values[first + (last - first) / 2], values[last]);
		ptrdiff_t low = first, high = last;
		while (low <= high) {
			while (values[low] < pivot)
				low++;
			while (values[high] > pivot)
				high--;
			if (low <= high)
				swap(&values[low++], &values[high--]);
		}
		if (high < wanted)
			first = low;
		if (wanted < low)
			last = high;
	}
}

/* Changes the order of the values. */
static double quantile_of(double *values, size_t count, double fraction)
{
	double position = fraction * (double)(count - 1);
	size_t below = (size_t)position;

	select_value(values, (ptrdiff_t)count, (ptrdiff_t)below);
	if (below + 1 >= count)
		return values[count - 1];
	double above = values[below + 1];
	for (size_t i = below + 2; i < count; i++)
		above = values[i] < above ? values[i] : above;
	return values[below] + (position - (double)below) * (above - values[below]);
}

double summary_quantile(const double *values, size_t count, double fraction)
{
	double few[FEW];

	assert(fraction >= 0 && fraction <= 1 && count > 0);
	AUTO(values) double *many = count > FEW ? memory_new(count, sizeof(*many)) : NULL;
	double *copy = many ? many : few;
	memcpy(copy, values, count * sizeof(*copy));
	return quantile_of(copy, count, fraction);
}

double summary_median(const double *values, size_t count)
{
	return summary_quantile(values, count, 0.5);
}
