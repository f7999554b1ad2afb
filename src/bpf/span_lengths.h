/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* span_lengths - counts spans that have ended by their length (wire/span_lengths.h). */
#pragma once

#include "bpf/address_space.h"
#include "bpf/state.h"

/* At the first poll that finds a span; as `end`, at the first that does not. */
struct span_start {
	u32 serial; /* 0: none */
	u32 generation;
	u64 begin_ns, local_ns, paused_ns;
	u8 entry;
	u8 pad[7];
};

static __always_inline u32 length_bucket(u64 length)
{
	u32 bits = highest_bit(length);

	if (bits < SPAN_LENGTH_LEAST_BITS)
		return 0;
	u32 fine = (length >> (bits - SPAN_LENGTH_FINE_BITS)) & (SPAN_LENGTH_FINE - 1);
	u32 bucket = (bits - SPAN_LENGTH_LEAST_BITS) * SPAN_LENGTH_FINE + fine;
	return bucket < SPAN_LENGTHS_MOST ? bucket : SPAN_LENGTHS_MOST - 1;
}

/* Functions of their own: the verifier checks them once, and not for each span of a stack. */
__noinline int length_add(u32 pair, const struct span_start *base, const struct span_start *end)
{
	if (!base || !end)
		return 0;
	struct wire_span_lengths *of_pair = &lengths[pair & (WIRE_PAIRS_MOST - 1)];
	s64 wall = end->begin_ns - base->begin_ns;
	s64 paused = end->paused_ns - base->paused_ns;
	s64 credit = (s64)(end->local_ns - base->local_ns) - paused;
	u64 half = 1ULL << (SPAN_LENGTH_CREDIT_BITS - 1);
	u64 units = ((u64)delay_not_negative(credit) + half) >> SPAN_LENGTH_CREDIT_BITS;

	if (base->generation != end->generation) {
		__sync_fetch_and_add(&of_pair->cut, 1);
		return 0;
	}
	u32 bucket = length_bucket(delay_not_negative(wall - paused));
	if (bucket >= SPAN_LENGTHS_MOST)
		return 0;
	struct wire_span_length *length = &of_pair->buckets[bucket];
	__sync_fetch_and_add(&length->spans, 1);
	__sync_fetch_and_add(&length->wall_ns, wall);
	__sync_fetch_and_add(&length->pure_ns, delay_not_negative(wall - paused));
	__sync_fetch_and_add(&length->credit_ns, credit);
	__sync_fetch_and_add(&length->credit_squares, units * units);
	__sync_fetch_and_add(&length->credit_cubes, units * units * units);
	return 0;
}

/* `point`: that began it. */
__noinline int span_ended(u32 point, const struct span_start *base, const struct span_start *end)
{
	for (u32 i = 0; i < WIRE_PAIRS_MOST && i < settings.pair_count; i++)
		if (settings.pairs[i].begin == point && settings.pairs[i].end != point)
			length_add(i, base, end);
	return 0;
}
