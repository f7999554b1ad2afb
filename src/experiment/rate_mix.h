/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rate_mix - does a program run other code while its rate is high than while it is low?
 *
 * A program that works in cycles does, or it rests for a while. If the mix of code is the same, and
 * there is as much of it, cores change their speed, or units their size, and windows may hold any
 * part of that. A core that slows down, as others use its caches, slows some code more than other
 * code, and what waits for the slowed code takes as long as before: then code takes, a unit, at a
 * low rate between as much as at a high one and so much more as the rates differ by, or twice that
 * where half of a thread's work is slowed.
 */
#pragma once

#include "base/hash_map.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct rate_mix_place {
	double now_ns, low_ns,
		high_ns; /* of this window, and of those with a low and a high rate */
};

/* All zeros: no window. */
struct rate_mix {
	struct hash_map indices; /* by place */
	ARRAY(struct rate_mix_place) places;
	unsigned low, high; /* windows: by the mean rate until then */
	double low_rates, high_rates, low_visits, high_visits;
	double low_time_ns, high_time_ns; /* their lengths */
	double low_samples, high_samples, now_samples;
};

/* What passed before this window does not belong to it. */
void rate_mix_begin(struct rate_mix *mix);
void rate_mix_add(struct rate_mix *mix, uint32_t place, double ns);
/* The rate in the window, which had no speedup, and its length. */
void rate_mix_end(struct rate_mix *mix, double rate, double time_ns);

/* There are enough windows of both kinds, or so many that more would not help. */
bool rate_mix_is_settled(const struct rate_mix *mix);
/*
 * Half of the sum of the differences between the places' parts of the time, 0 to 1, less what
 * chance makes of so few samples. No place's part differs by more.
 */
double rate_mix_distance(const struct rate_mix *mix);
/* The sum of what places' times a unit lie outside of those bounds, as a part of all, likewise. */
double rate_mix_excess(const struct rate_mix *mix);
/*
 * Enough windows, whose rates differ or which are short beside the length that cycles would have,
 * with as much sampled time, and so little of the mix differs that a gain hardly can; or with
 * hardly any excess, if one thread at least always runs, and the rate's standard deviation over its
 * mean, in time, is that of slower cores.
 */
bool rate_mix_is_same(const struct rate_mix *mix, double deviation, double length_ns);
void rate_mix_release(struct rate_mix *mix);
