/* SPDX-License-Identifier: BSD-2-Clause */
/* false_discovery - the step-up procedure. */
#include "stats/false_discovery.h"

#include "base/memory.h"

static int compare_values(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

size_t false_discovery_reject(const double *p, size_t count, double rate, bool *is_rejected)
{
	double *sorted = memory_new(count + 1, sizeof(*sorted)), limit = -1;
	size_t rejected = 0;

	for (size_t i = 0; i < count; i++)
		sorted[i] = p[i];
	qsort(sorted, count, sizeof(*sorted), compare_values);
	for (size_t i = 0; i < count; i++)
		if (sorted[i] <= rate * (double)(i + 1) / (double)count)
			limit = sorted[i];
	for (size_t i = 0; i < count; i++)
		rejected += is_rejected[i] = p[i] <= limit;
	free(sorted);
	return rejected;
}
