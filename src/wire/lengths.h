/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lengths - the part of wire/kernel.h in which the kernel side counts spans by their length.
 */
#pragma once

#include <linux/types.h>

/*
 * Spans of a pair in the open window, by length: KERNEL_LENGTH_FINE buckets to each power of two. Pure
 * is what a span took but for its thread's pauses; credit is by how much less it would take at the
 * window's speedup. A span that had begun when the gaps were forgotten is cut: nobody knows. BPF
 * adds; the engine wipes them before a window opens.
 */
#define KERNEL_LENGTH_FINE_BITS 5
#define KERNEL_LENGTH_FINE (1 << KERNEL_LENGTH_FINE_BITS)
#define KERNEL_LENGTH_LEAST_BITS 13 /* below 8 us all are in the first */
#define KERNEL_LENGTH_CREDIT_BITS 14
#define KERNEL_LENGTHS_MOST (24 * KERNEL_LENGTH_FINE)
struct kernel_length {
	__u64 spans;
	__u64 wall_ns, pure_ns;
	__s64 credit_ns;
	__u64 credit_squares, credit_cubes; /* of units of 1 << KERNEL_LENGTH_CREDIT_BITS ns */
};
_Static_assert(sizeof(struct kernel_length) == 48, "kernel_length layout");

struct kernel_lengths {
	__u64 cut;
	struct kernel_length buckets[KERNEL_LENGTHS_MOST];
};
