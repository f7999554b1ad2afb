/* SPDX-License-Identifier: BSD-2-Clause */
/* histogram - percentiles beside sorted values, few and very many. */
#include "check.h"

#include "base/cleanup.h"
#include "stats/histogram.h"

CLEANUP_DEFINE(values, uint64_t *, free, NULL)

static int by_value(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return a < b ? -1 : a > b;
}

TEST("without values there is no percentile; a single value is all of them")
{
	struct histogram histogram = {0};

	CHECK_EQUAL(histogram_quantile(&histogram, 0.5), 0);
	histogram_add(&histogram, 17);
	CHECK_EQUAL(histogram_quantile(&histogram, 0.0), 17);
	CHECK_EQUAL(histogram_quantile(&histogram, 0.99), 17);
	histogram_release(&histogram);
}

TEST("few values have exact percentiles, by nearest rank")
{
	struct histogram histogram = {0};

	for (unsigned i = 100; i; i--)
		histogram_add(&histogram, 10ull * i);
	CHECK_EQUAL(histogram_quantile(&histogram, 0.50), 500);
	CHECK_EQUAL(histogram_quantile(&histogram, 0.95), 950);
	CHECK_EQUAL(histogram_quantile(&histogram, 0.991), 1000);
	CHECK_EQUAL(histogram.total_ns, 50500);
	histogram_release(&histogram);
}

TEST("very many values are within the stated error, from ns to hours")
{
	const size_t count = 5 * HISTOGRAM_EXACT;
	AUTO(values) uint64_t *values = memory_new(count, sizeof(*values));
	struct histogram histogram = {0};
	uint64_t random = 1;
	size_t wrong = 0;

	for (size_t i = 0; i < count; i++) {
		random = random * 6364136223846793005ull + 1442695040888963407ull;
		values[i] = (random >> 20) >> (random >> 58 & 42) % 43;
		histogram_add(&histogram, values[i]);
	}
	qsort(values, count, sizeof(*values), by_value);
	for (unsigned i = 1; i < 1000; i++) {
		double share = i / 1000.0, found = histogram_quantile(&histogram, share);
		size_t rank = (size_t)ceil(share * (double)count);
		double truth = (double)values[rank - 1];
		wrong += fabs(found - truth) > HISTOGRAM_ERROR * truth;
	}
	CHECK(histogram.buckets);
	CHECK_EQUAL(wrong, 0);
	CHECK_EQUAL(histogram_quantile(&histogram, 1.0), (double)values[count - 1]);
	histogram_release(&histogram);
}

TEST("the greatest lengths have buckets, too")
{
	struct histogram histogram = {0};

	for (unsigned i = 0; i <= HISTOGRAM_EXACT; i++)
		histogram_add(&histogram, UINT64_MAX - i);
	CHECK(histogram_quantile(&histogram, 0.5) > 0.24 * (double)UINT64_MAX);
	histogram_release(&histogram);
}
