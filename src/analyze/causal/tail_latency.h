/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tail_latency - the lengths of a latency point's spans in a target's experiments, for
 * stats/tail.h.
 */
#pragma once

#include "profile/recording.h"
#include "stats/tail.h"

/* The points include the error of the method. The caller frees tail.points. */
struct tail tail_latency_of(const struct recording *recording,
			    const struct recording_experiment *const *experiments, size_t count,
			    int64_t point_id);

/* The run time, at least, after which there are enough spans; 0: more time does not help. */
double tail_latency_lacking_ns(const struct recording *recording, const struct tail *tail);
