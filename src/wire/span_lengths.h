/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * span_lengths - histograms of the lengths of spans, one for each pair of points.
 */
#pragma once

#include <linux/types.h>

/*
 * Spans of the open window, by length: SPAN_LENGTH_FINE buckets to each power of two. `pure_ns` is
 * the length without the thread's pauses; `credit_ns` is by how much less it would be at the
 * window's speedup. A span that had begun before the generation is counted in `cut`. BPF adds; the
 * engine clears before a window opens.
 */
#define SPAN_LENGTH_FINE_BITS 5
#define SPAN_LENGTH_FINE (1 << SPAN_LENGTH_FINE_BITS)
#define SPAN_LENGTH_LEAST_BITS 13 /* lengths below 8 us are in the first bucket */
#define SPAN_LENGTH_CREDIT_BITS 14
#define SPAN_TRACKER_DEPTH 8 /* open spans of a thread; deeper ones are not measured */
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
