/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * phase_coverage - a gain that was measured more in one phase than in the other.
 *
 * A gain is a mean over the run. If the program changes its work at one time, so that a target's
 * share is another one, and more of the
 * windows at a speedup lie before it than the time before it is of the run, the mean of the windows
 * is off by that difference of parts, times the difference of the phases' gains. That is at most
 * all that the target's time allows; intervals get wider by it.
 */
#pragma once

#include "analyze/causal/causal.h"
#include "analyze/causal/trials.h"

/* Sets phase_reach of the effects, by the causal's steadiness. */
void phase_coverage_find(struct causal *causal, const struct recording *recording,
			 const struct trials_index *index);
