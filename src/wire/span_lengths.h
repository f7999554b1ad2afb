/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lengths - the part of wire/kernel.h in which the kernel side counts spans by their length.
 */
#pragma once

#include <linux/types.h>

/*
 * Spans of a pair in the open window, by length: SPAN_LENGTH_FINE buckets to each power of two. Pure
 * is what a span took but for its thread's pauses; credit is by how much less it would take at the
 * window's speedup. A span that had begun when the gaps were forgotten is cut: nobody knows. BPF
 * adds; the engine wipes them before a window opens.
 */
#define SPAN_LENGTH_FINE_BITS 5
#define SPAN_LENGTH_FINE (1 << SPAN_LENGTH_FINE_BITS)
#define SPAN_LENGTH_LEAST_BITS 13 /* below 8 us all are in the first */
#define SPAN_LENGTH_CREDIT_BITS 14
#define SPAN_LENGTHS_MOST (24 * SPAN_LENGTH_FINE)
struct wire_span_length {
	__u64 spans;
	__u64 wall_ns, pure_ns;
	__s64 credit_ns;
	__u64 credit_squares, credit_cubes; /* of units of 1 << SPAN_LENGTH_CREDIT_BITS ns */
};
_Static_assert(sizeof(struct wire_span_length) == 48, "kernel_length layout");

struct wire_span_lengths {
	__u64 cut;
	struct wire_span_length buckets[SPAN_LENGTHS_MOST];
};
