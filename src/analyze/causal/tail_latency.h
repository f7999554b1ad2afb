/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tails - the lengths of a latency point's spans in a target's experiments, for stats/tail.h.
 */
#pragma once

#include "profile/recording.h"
#include "stats/tail.h"

/* Of experiments that counted; their method's error is in the points. tail.points are to be freed. */
struct tail tail_latency_of(const struct recording *recording,
			    const struct recording_experiment *const *experiments, size_t count,
			    int64_t point_id);

/* How much longer runs like these would have to be until there are enough spans, at least; 0: that is not it. */
double tail_latency_lacking_ns(const struct recording *recording, const struct tail *tail);
