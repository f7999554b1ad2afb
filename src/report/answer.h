/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * answer - what a reader is told of one target at one progress point: how much, and how sure.
 */
#pragma once

#include "analyze/causal.h"

/* The virtual speedup at which all targets are compared in words. */
#define ANSWER_SPEEDUP 0.25

enum answer_verdict {
	ANSWER_GAIN,       /* both this answer's and the slope's interval are above 0 */
	ANSWER_CONTENTION, /* both are below 0 */
	ANSWER_UNSURE,     /* not distinguishable from no effect */
};

struct answer {
	const struct causal_target *target;
	const struct causal_effect *effect;
	struct effect_point at; /* at ANSWER_SPEEDUP, or at the nearest speedup that was measured */
	enum answer_verdict verdict;
	unsigned rank; /* of the target, from 1 on */
	bool is_first; /* of the target's answers */
};

struct answers {
	struct answer *items; /* in the targets' order */
	size_t count;
	unsigned targets; /* that have an answer */
	bool has_several_points;
};

/* One effect's answer; its rank and is_first are not set. */
struct answer answer_of(const struct causal_target *target, const struct causal_effect *effect);
/* So wide that it is no answer yet: half the program's time either way. */
bool answer_says_nothing(const struct answer *answer);
/* What files and pages call it: "gain", "contention", "unsure". */
const char *answer_verdict_name(enum answer_verdict verdict);

/* Those that say nothing are left out. */
struct answers answers_of(const struct causal *causal);
void answers_release(struct answers *answers);

/* Half the 95 % interval. */
double answer_half_interval(const struct answer *answer);
/* Did the answer have to be read off at another speedup than ANSWER_SPEEDUP? */
bool answer_is_elsewhere(const struct answer *answer);
