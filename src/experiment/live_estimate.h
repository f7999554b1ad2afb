/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live_estimate - results while the session runs: the best target so far, and how precise its
 * intervals are. Same estimators as the report, without the phase correction.
 */
#pragma once

#include "profile/recording.h"
#include "stats/effect.h"

struct live_estimate;

struct live_estimate_best {
	int64_t target_id, point_id;
	struct effect_point at_quarter; /* at a speedup of 25 % */
	double slope_low;               /* lower bound of the slope */
	double widest; /* half of the widest interval among its measured speedups */
	size_t points; /* measured speedups */
};

struct live_estimate *live_estimate_new(void);
void live_estimate_free(struct live_estimate *live_estimate);
/* `are_requests`: the visits, of a point of this kind. */
void live_estimate_add(struct live_estimate *live_estimate,
		       const struct recording_experiment *experiment, enum point_kind kind,
		       bool are_requests, const struct recording_visit *visit);
/*
 * How many first windows of the target's series at this speedup are too early: a level of
 * stats/warm_up.h. `is_undecided`: a longest series has to tell.
 */
unsigned live_estimate_warm_up_level(struct live_estimate *live_estimate, int64_t target_id,
				     double speedup, bool *is_undecided);
/* The target's slope at the point where it is surest; no windows if there is none. */
struct effect_slope live_estimate_slope(const struct live_estimate *live_estimate,
					int64_t target_id);
unsigned live_estimate_targets(const struct live_estimate *live_estimate);
/*
 * The targets with the highest lower bounds of the slope, first things first, each at its best
 * point; their number, at most `most`.
 */
size_t live_estimate_best(const struct live_estimate *live_estimate,
			  struct live_estimate_best *best, size_t most);
