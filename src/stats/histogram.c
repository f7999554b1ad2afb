/* SPDX-License-Identifier: BSD-2-Clause */
/* histogram - exact values while they are few, then buckets by the leading nine bits. */
#include "stats/histogram.h"

#define FINE_BITS 8
#define FINE (1u << FINE_BITS)
#define LENGTH_MOST (1ull << 62) /* a century: no more, so that a float can be turned back */
#define BUCKETS ((64 - FINE_BITS + 1) * FINE)

/* Below 2 * FINE each value has its own. */
static unsigned bucket_of(uint64_t value)
{
	if (value < 2 * FINE)
		return (unsigned)value;
	unsigned shift = 63u - FINE_BITS - (unsigned)__builtin_clzll(value);
	return shift * FINE + (unsigned)(value >> shift);
}

/* The middle of a bucket's range. */
static double value_of(unsigned bucket)
{
	if (bucket < 2 * FINE)
		return bucket;
	unsigned shift = bucket / FINE - 1;
	double width = (double)(1ull << shift);
	return ((double)(bucket % FINE + FINE) + 0.5) * width - 0.5;
}

static void change_to_buckets(struct histogram *histogram)
{
	histogram->buckets = memory_new(BUCKETS, sizeof(*histogram->buckets));
	for (size_t i = 0; i < histogram->values.count; i++)
		histogram->buckets[bucket_of((uint64_t)histogram->values.items[i])]++;
	array_free(&histogram->values);
}

void histogram_add(struct histogram *histogram, uint64_t length_ns)
{
	if (length_ns > LENGTH_MOST)
		length_ns = LENGTH_MOST;
	histogram->count++;
	histogram->total_ns += length_ns;
	if (length_ns > histogram->max_ns)
		histogram->max_ns = length_ns;
	if (!histogram->buckets && histogram->values.count == HISTOGRAM_EXACT)
		change_to_buckets(histogram);
	if (histogram->buckets)
		histogram->buckets[bucket_of(length_ns)]++;
	else
		*array_add(&histogram->values) = (float)length_ns;
}

static int by_value(const void *left, const void *right)
{
	float a = *(const float *)left, b = *(const float *)right;
	return a < b ? -1 : a > b;
}

double histogram_quantile(struct histogram *histogram, double share)
{
	uint64_t rank = (uint64_t)(share * (double)histogram->count);

	if (!histogram->count)
		return 0;
	if ((double)rank < share * (double)histogram->count)
		rank++;
	rank = rank ? rank : 1;
	if (rank >= histogram->count)
		return (double)histogram->max_ns;
	if (!histogram->buckets) {
		qsort(histogram->values.items, histogram->values.count, sizeof(float), by_value);
		return (double)histogram->values.items[rank - 1];
	}
	unsigned bucket = 0;
	for (uint64_t below = histogram->buckets[0]; below < rank;)
		below += histogram->buckets[++bucket];
	return value_of(bucket);
}

void histogram_release(struct histogram *histogram)
{
	array_free(&histogram->values);
	free(histogram->buckets);
	histogram->buckets = NULL;
}
