/* SPDX-License-Identifier: BSD-2-Clause */
/* lengths - values while they are few, then buckets by the leading nine bits. */
#include "stats/lengths.h"

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

/* In the middle of those that fall into it. */
static double value_of(unsigned bucket)
{
	if (bucket < 2 * FINE)
		return bucket;
	unsigned shift = bucket / FINE - 1;
	double width = (double)(1ull << shift);
	return ((double)(bucket % FINE + FINE) + 0.5) * width - 0.5;
}

static void change_to_buckets(struct lengths *lengths)
{
	lengths->buckets = memory_new(BUCKETS, sizeof(*lengths->buckets));
	for (size_t i = 0; i < lengths->values.count; i++)
		lengths->buckets[bucket_of((uint64_t)lengths->values.items[i])]++;
	array_free(&lengths->values);
}

void lengths_add(struct lengths *lengths, uint64_t length_ns)
{
	if (length_ns > LENGTH_MOST)
		length_ns = LENGTH_MOST;
	lengths->count++;
	lengths->total_ns += length_ns;
	if (length_ns > lengths->max_ns)
		lengths->max_ns = length_ns;
	if (!lengths->buckets && lengths->values.count == LENGTHS_EXACT)
		change_to_buckets(lengths);
	if (lengths->buckets)
		lengths->buckets[bucket_of(length_ns)]++;
	else
		*array_add(&lengths->values) = (float)length_ns;
}

static int by_value(const void *left, const void *right)
{
	float a = *(const float *)left, b = *(const float *)right;
	return a < b ? -1 : a > b;
}

double lengths_at(struct lengths *lengths, double share)
{
	uint64_t rank = (uint64_t)(share * (double)lengths->count);

	if (!lengths->count)
		return 0;
	if ((double)rank < share * (double)lengths->count)
		rank++;
	rank = rank ? rank : 1;
	if (rank >= lengths->count)
		return (double)lengths->max_ns;
	if (!lengths->buckets) {
		qsort(lengths->values.items, lengths->values.count, sizeof(float), by_value);
		return (double)lengths->values.items[rank - 1];
	}
	unsigned bucket = 0;
	for (uint64_t below = lengths->buckets[0]; below < rank;)
		below += lengths->buckets[++bucket];
	return value_of(bucket);
}

void lengths_release(struct lengths *lengths)
{
	array_free(&lengths->values);
	free(lengths->buckets);
	lengths->buckets = NULL;
}
