/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cycle_counter - the processor's counter, which lever.h reads in programs, in nanoseconds of
 * CLOCK_MONOTONIC.
 *
 * The two clocks are compared regularly. In between, the rate of the last second or more holds, so
 * that slow corrections of CLOCK_MONOTONIC are followed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct cycle_counter_pair {
	uint64_t ticks, ns;
};

struct cycle_counter {
	struct cycle_counter_pair base, latest; /* the rate is that from base to latest */
	double ns_per_tick;
};

/* Whether the counter has one constant rate, on all cores and while they idle. */
bool cycle_counter_is_usable(void);
/* Takes 4 ms, for a first rate. */
void cycle_counter_begin(struct cycle_counter *ticks);
/* To be called at least each second. */
void cycle_counter_compare(struct cycle_counter *ticks);
uint64_t cycle_counter_to_ns(const struct cycle_counter *ticks, uint64_t value);
