/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * charge - the most that a target can gain: what it was charged with.
 *
 * In a window at speedup s the rest of the program pauses by s times the target's time: G grows by
 * that much for each visit. Pauses make no program faster by the wall clock, unless threads wait
 * for each other less, so
 *
 *	p(s) >= p(0) - growth of G for each visit,   gain <= growth for each visit / p(0).
 *
 * The growth is the target's time per visit times s: one slope for all speedups, of which samples
 * give an upper bound. At speedup 0 G grows by the cost of ticks, which is subtracted.
 */
#pragma once

#include "analyze/causal/trials.h"
#include "profile/recording.h"
#include "stats/covariates.h"

/* Gain per unit of speedup. */
struct charge {
	double share; /* as sampled; 0 if unknown */
	/* The upper bound, 97.5 %, with room for what ticks cost; INFINITY if unknown. */
	double most;
	/* A gain that is surely above this, by all windows, is more than the charge explains. */
	double suspect;
};

/* `experiments` are one target's. As gains are, the usual period is freed of `covariates`. */
struct charge charge_of(const struct recording *recording,
			const struct recording_experiment *const *experiments, size_t count,
			int64_t point_id, const struct covariates *covariates);
/*
 * The charge's share in windows of this speedup and in controls. Larger than that of all windows:
 * these lie in a phase of the program that has more of the target.
 */
double charge_share_at(const struct recording *recording, const struct trials *trials,
		       int64_t point_id, const struct covariates *covariates, double speedup);
