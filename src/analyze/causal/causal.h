/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * causal - a recording's experiments turned into ranked targets with curves and intervals.
 */
#pragma once

#include "analyze/causal/external_pacing.h"
#include "profile/recording.h"
#include "stats/effect.h"
#include "stats/tail.h"
#include "stats/warm_up.h"

struct causal_effect {
	const struct recording_point *point;
	struct effect_point *points; /* measured speedups, ascending, phase-corrected */
	size_t count;
	struct effect_slope slope; /* phase-corrected */
	double phase_factor;       /* 1 if the target runs all the time */
	bool is_contention;        /* the slope's whole interval is below 0 */
	struct warm_up warm_up;    /* which windows are left out, as too early */
	double early_share; /* of the gain by all windows: what leaves with these; below 0: what comes */
	bool is_widened; /* has a wider interval, as it may settle as slowly as another target */
	struct external_pacing
		external_pacing; /* what has been taken off as not the target's doing */
	struct tail tail;        /* of a latency point: its 99th percentile */
	double tail_lacking_ns;  /* how much longer to run for that, at least; 0: that is not it */
};

struct causal_target {
	const struct recording_target *target;
	double share;         /* of the program's sampled on-CPU time */
	unsigned experiments; /* counted ones at speedup > 0 */
	struct causal_effect *effects;
	size_t count;
};

struct causal {
	struct causal_target
		*targets; /* by the lower bound of the best effect's slope, best first */
	size_t count;
	unsigned experiments; /* all that counted, controls included */
	unsigned displaced, too_few_visits, cut_short;
};

struct causal *causal_new(const struct recording *recording);
void causal_free(struct causal *causal);
