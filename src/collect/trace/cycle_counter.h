/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ticks - the processor's counter, which programs read in lever.h, as nanoseconds of CLOCK_MONOTONIC.
 *
 * The two are compared now and then; in between, the rate of the last stretch of a second or more
 * holds, so that slow steering of CLOCK_MONOTONIC is followed.
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

/* Whether the counter runs evenly on all cores and in idle times, so that it can be used at all. */
bool cycle_counter_is_usable(void);
uint64_t cycle_counter_now(void);
/* Takes some milliseconds, for a first rate. */
void cycle_counter_begin(struct cycle_counter *ticks);
/* To be called at least every second or so. */
void cycle_counter_compare(struct cycle_counter *ticks);
/* Also with a pair that was taken otherwise. */
void cycle_counter_add_pair(struct cycle_counter *ticks, const struct cycle_counter_pair *pair);
uint64_t cycle_counter_to_ns(const struct cycle_counter *ticks, uint64_t value);
