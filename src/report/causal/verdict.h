/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verdict - what a reader is told of one target at one progress point: how much, and how sure.
 */
#pragma once

#include "analyze/causal/causal.h"

/* The virtual speedup at which all targets are compared in words. */
#define VERDICT_SPEEDUP 0.25

enum verdict_outcome {
	OUTCOME_GAIN,       /* both this verdict's and the slope's interval are above 0 */
	OUTCOME_CONTENTION, /* both are below 0 */
	OUTCOME_UNSURE,     /* not distinguishable from no effect */
};

struct target_verdict {
	const struct causal_target *target;
	const struct causal_effect *effect;
	struct effect_point
		at; /* at VERDICT_SPEEDUP, or at the nearest speedup that was measured */
	enum verdict_outcome outcome;
	unsigned rank; /* of the target, from 1 on */
	bool is_first; /* of the target's verdicts */
};

struct target_verdicts {
	struct target_verdict *items; /* in the targets' order */
	size_t count;
	unsigned targets; /* that have an verdict */
	bool has_several_points;
};

/* One effect's verdict; its rank and is_first are not set. */
struct target_verdict verdict_of(const struct causal_target *target,
				 const struct causal_effect *effect);
/* So wide that it is no verdict yet: half the program's time either way. */
bool verdict_is_too_wide(const struct target_verdict *verdict);
/* What files and pages call it: "gain", "contention", "unsure". */
const char *verdict_outcome_name(enum verdict_outcome outcome);

/* Those that say nothing are left out. */
struct target_verdicts verdicts_of(const struct causal *causal);
void verdicts_release(struct target_verdicts *verdicts);

/* Half the 95 % interval. */
double verdict_half_interval(const struct target_verdict *verdict);
/* Did the verdict have to be read off at another speedup than VERDICT_SPEEDUP? */
bool verdict_is_at_other_speedup(const struct target_verdict *verdict);
