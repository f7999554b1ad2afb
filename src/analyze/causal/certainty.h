/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * certainty - which effects of a table are sure, and what bounds say about each.
 *
 * A gain cannot exceed the target's charge, unless threads wait for each other, and a loss by
 * contention not a few times that. Points and their intervals are cut to these bounds. A gain that
 * surely exceeds the charge is kept, and the interval of one that may exceed it holds both. Whether
 * an effect is sure is judged on its whole curve: by the likelihood of the best slope within the
 * bounds against that of none. So a deviation that the bounds exclude is no evidence. Over all
 * effects of the table the false discovery rate is 5 % (stats/false_discovery.h). An effect of
 * which no interval excludes zero is not sure: the error that is a part of it may be so large.
 */
#pragma once

#include "analyze/causal/causal.h"

/* A loss may be this many times the charge: threads that meet wait for more than the target. */
#define CERTAINTY_LOSS_MOST 5
#define CERTAINTY_FALSE_DISCOVERIES 0.05
/* So may a gain, if it surely exceeds the charge: probability of that by chance in a table. */
#define CERTAINTY_CONTENDED_MOST 5
#define CERTAINTY_EXCESS 0.01
/* A gain beyond even that has another reason: by this probability, one-sided. */
#define CERTAINTY_BEYOND 0.01
/* A standard error, as a part of the excess. */
#define CERTAINTY_ORDER_ERROR 0.33

/* Sets outcome, ceiling and slope of all effects, and cuts their points. */
void certainty_judge(struct causal *causal);

/*
 * effect_at() on a judged effect, within the same bounds: between points that are cut to them, a
 * smooth curve may run above.
 */
int certainty_effect_at(const struct causal_effect *effect, double speedup,
			struct effect_point *at);
