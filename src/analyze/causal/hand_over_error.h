/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hand_over_error - the error where tasks of the program wake each other at every turn.
 *
 * A speedup that makes them wait for each other adds wake-ups, whose cost is missing in the
 * prediction: a speedup by pauses keeps both tasks awake. The cost does not fall with the work
 * between two hand-overs, so it takes a larger part of a gain as that gets short; what gains
 * nothing errs by nothing (docs/decisions.md, "Period and hand-overs").
 */
#pragma once

#include "analyze/causal/trials.h"

/* Standard error as a part of the gain; 0 for latencies, and if hand-overs are rare. */
double hand_over_error_of(const struct recording *recording, const struct trials *trials,
			  const struct recording_point *point);
