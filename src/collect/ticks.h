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

struct ticks_pair {
	uint64_t ticks, ns;
};

struct ticks {
	struct ticks_pair base, latest; /* the rate is that from base to latest */
	double ns_per_tick;
};

/* Whether the counter runs evenly on all cores and in idle times, so that it can be used at all. */
bool ticks_are_usable(void);
uint64_t ticks_now(void);
/* Takes some milliseconds, for a first rate. */
void ticks_begin(struct ticks *ticks);
/* To be called at least every second or so. */
void ticks_compare(struct ticks *ticks);
/* Also with a pair that was taken otherwise. */
void ticks_learn(struct ticks *ticks, const struct ticks_pair *pair);
uint64_t ticks_to_ns(const struct ticks *ticks, uint64_t value);
