/* SPDX-License-Identifier: BSD-2-Clause */
/* verdict - the answer for one target at one progress point: how much, and how sure. */
#pragma once

#include "analyze/causal/causal.h"

/* The virtual speedup at which targets are compared. */
#define VERDICT_SPEEDUP 0.25

enum verdict_outcome {
	OUTCOME_GAIN,       /* sure, by the whole curve and the whole table */
	OUTCOME_CONTENTION, /* sure, and a loss */
	OUTCOME_UNSURE,     /* not distinguishable from no effect */
};

struct target_verdict {
	const struct causal_target *target;
	const struct causal_effect *effect;
	/* At VERDICT_SPEEDUP, the nearest measured one, or the first quarter with a sure gain. */
	struct effect_point at;
	bool is_measured; /* at this very speedup; else read off the fitted curve */
	enum verdict_outcome outcome;
	unsigned rank; /* of the target, from 1 on */
	bool is_first; /* of the target's verdicts */
};

struct target_verdicts {
	struct target_verdict *items; /* in the targets' order */
	size_t count;
	unsigned targets; /* with a verdict */
	bool has_several_points;
};

/* The verdict of one effect, without rank and is_first. */
struct target_verdict verdict_of(const struct causal_target *target,
				 const struct causal_effect *effect);
/* Is the interval too wide for an answer: half of the program's time either way? */
bool verdict_is_too_wide(const struct target_verdict *verdict);
/* The name in files and pages: "gain", "contention", "unsure". */
const char *verdict_outcome_name(enum verdict_outcome outcome);

/* Without verdicts that are too wide. */
struct target_verdicts verdicts_of(const struct causal *causal);
void verdicts_release(struct target_verdicts *verdicts);

/* Half the 95 % interval. */
double verdict_half_interval(const struct target_verdict *verdict);
/*
 * The 95 % interval beside the gain, in percent: "±1.2", or "(0.3 to 57.5)" where it reaches much
 * further to one side. To be freed.
 */
char *verdict_interval(const struct target_verdict *verdict);
/* Was the gain taken at another speedup than VERDICT_SPEEDUP? */
bool verdict_is_at_other_speedup(const struct target_verdict *verdict);
