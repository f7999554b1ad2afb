/* SPDX-License-Identifier: BSD-2-Clause */
/* lengths - percentiles beside sorted values, few and very many. */
#include "check.h"

#include "base/own.h"
#include "stats/lengths.h"

OWN_DEFINE(values, uint64_t *, free, NULL)

static int by_value(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return a < b ? -1 : a > b;
}

TEST("nothing has no percentile, and one value is all of them")
{
	struct lengths lengths = {0};

	CHECK_EQUAL(lengths_at(&lengths, 0.5), 0);
	lengths_add(&lengths, 17);
	CHECK_EQUAL(lengths_at(&lengths, 0.0), 17);
	CHECK_EQUAL(lengths_at(&lengths, 0.99), 17);
	lengths_release(&lengths);
}

TEST("few values have exact percentiles, by nearest rank")
{
	struct lengths lengths = {0};

	for (unsigned i = 100; i; i--)
		lengths_add(&lengths, 10ull * i);
	CHECK_EQUAL(lengths_at(&lengths, 0.50), 500);
	CHECK_EQUAL(lengths_at(&lengths, 0.95), 950);
	CHECK_EQUAL(lengths_at(&lengths, 0.991), 1000);
	CHECK_EQUAL(lengths.total_ns, 50500);
	lengths_release(&lengths);
}

TEST("very many values are within the stated error, from ns to hours")
{
	const size_t count = 5 * LENGTHS_EXACT;
	AUTO(values) uint64_t *values = memory_new(count, sizeof(*values));
	struct lengths lengths = {0};
	uint64_t random = 1;
	size_t wrong = 0;

	for (size_t i = 0; i < count; i++) {
		random = random * 6364136223846793005ull + 1442695040888963407ull;
		values[i] = (random >> 20) >> (random >> 58 & 42) % 43;
		lengths_add(&lengths, values[i]);
	}
	qsort(values, count, sizeof(*values), by_value);
	for (unsigned i = 1; i < 1000; i++) {
		double share = i / 1000.0, found = lengths_at(&lengths, share);
		size_t rank = (size_t)ceil(share * (double)count);
		double truth = (double)values[rank - 1];
		wrong += fabs(found - truth) > LENGTHS_ERROR * truth;
	}
	CHECK(lengths.buckets);
	CHECK_EQUAL(wrong, 0);
	CHECK_EQUAL(lengths_at(&lengths, 1.0), (double)values[count - 1]);
	lengths_release(&lengths);
}

TEST("the greatest lengths have buckets, too")
{
	struct lengths lengths = {0};

	for (unsigned i = 0; i <= LENGTHS_EXACT; i++)
		lengths_add(&lengths, UINT64_MAX - i);
	CHECK(lengths_at(&lengths, 0.5) > 0.24 * (double)UINT64_MAX);
	lengths_release(&lengths);
}
