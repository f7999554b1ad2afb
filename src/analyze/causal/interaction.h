/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interaction - what a set of targets gains beyond the sum of its members' own gains.
 *
 * At speedup s a member of level l is compared by its own gain at s x l. All are estimates of the
 * same recording, so the difference's standard error is the root of the sum of their squares.
 */
#pragma once

#include "analyze/causal/causal.h"

enum interaction_kind {
	INTERACTION_UNKNOWN, /* a member was not measured by itself, or intervals are too wide */
	INTERACTION_ONLY_TOGETHER, /* more than the sum, and no member surely gains by itself */
	INTERACTION_MORE,
	INTERACTION_ADDITIVE,
	INTERACTION_LESS, /* each makes the others worth less */
};

struct interaction {
	enum interaction_kind kind;
	bool is_measured; /* the numbers are known */
	double speedup;   /* of the set */
	double together, sum;
	double together_low, together_high; /* 95 % interval */
	double difference, low, high;       /* together - sum, 95 % interval */
};

/* Of an effect of a set; at this speedup. */
struct interaction interaction_of(const struct recording *recording, const struct causal *causal,
				  const struct causal_target *set,
				  const struct causal_effect *effect, double speedup);
/* The name in files: "only_together", "more", "additive", "less", "unknown". */
const char *interaction_name(enum interaction_kind kind);
