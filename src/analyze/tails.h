/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tails - the lengths of a latency point's spans in a target's experiments, for stats/tail.h.
 */
#pragma once

#include "profile/recording.h"
#include "stats/tail.h"

/* Of experiments that counted; their method's error is in the points. tail.points are to be freed. */
struct tail tails_of(const struct recording *recording,
		     const struct recording_experiment *const *experiments, size_t count,
		     int64_t point_id);
