/* SPDX-License-Identifier: BSD-2-Clause */
/* causal_windows - the windows of a target at a point, as the estimate of its effect takes them. */
#pragma once

#include "analyze/causal/external_pacing.h"
#include "analyze/causal/transients.h"
#include "analyze/causal/trials.h"
#include "stats/effect.h"

/* What is taken off each window as paced by the wall clock. */
struct causal_pacing {
	double rate;       /* visits per ns */
	double load, part; /* work, and the target's part of it (paced_load.h) */
};

/* Returns how many there are; `windows` has room for one of each trial. */
size_t causal_windows(const struct recording *recording, const struct trials *trials,
		      const struct transients *transients, const struct recording_point *point,
		      const struct causal_pacing *pacing, struct effect_window *windows);
