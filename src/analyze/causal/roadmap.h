/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * roadmap - the order of work: which change to make first, and which next, once it is made.
 *
 * A step is the code that gains most for sure at ROADMAP_SPEEDUP while the code of the steps before
 * it is assumed to be faster by so much. Its experiments are those of runs with that assumption.
 */
#pragma once

#include "analyze/causal/causal.h"

#define ROADMAP_STEPS_MOST 3
#define ROADMAP_SPEEDUP 0.5

struct roadmap_step {
	const struct causal_target *target;
	char *name;             /* without what is assumed */
	struct effect_point at; /* gain at ROADMAP_SPEEDUP */
	bool has_first;         /* it was also measured before any change */
	struct effect_point at_first;
};

struct roadmap {
	struct roadmap_step steps[ROADMAP_STEPS_MOST];
	unsigned count;
	bool is_measured; /* some runs assumed something: `count` steps are all there are */
};

struct roadmap roadmap_of(const struct causal *causal);
void roadmap_release(struct roadmap *roadmap);
