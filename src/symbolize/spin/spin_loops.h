/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spin_loops - loops in which a thread only waits for another thread to write to memory.
 *
 * A loop waits if it can do nothing else: each iteration repeats the one before until memory that
 * it reads is changed from outside. So
 * - it writes no memory but its own stack frame; an exchange that writes the same constant each
 *   time, as a lock's, is allowed;
 * - what it carries from one iteration to the next is only counted (tries, back-off), and is part
 *   of no address: searches, which advance an address, are work;
 * - an exit depends on memory that it reads, and not on counted values;
 * - it calls only what yields, reads a clock, or obeys these rules itself;
 * - loops within it obey them, too, or pause.
 * x86-64 only. docs/decisions.md, "A spin loop repeats itself until another thread writes".
 */
#pragma once

#include "symbolize/spin/loop.h"

struct spin_range {
	uint64_t start, end;
	bool is_helper; /* a function that such a loop calls */
};

struct spin_ranges {
	struct spin_range *items;
	size_t count, capacity;
};

/* Appends the code of the function's spin loops, in any order, maybe with repetitions. */
void spin_loops_find(const struct loop_code *code, const struct loop_function *function,
		     struct spin_ranges *ranges);
