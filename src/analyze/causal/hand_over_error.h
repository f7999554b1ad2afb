/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hand_over_error - the error where tasks of the program wake each other at every turn.
 *
 * A speedup that makes them wait for each other adds wake-ups, whose cost is missing in the
 * prediction: a speedup by pauses keeps both tasks awake. The cost does not fall with the work
 * between two hand-overs, so it takes a larger part of a gain as that gets short; what gains
 * nothing errs by nothing (docs/decisions.md, "Period and hand-overs"). Where a unit lasts for two
 * periods and more, tasks take turns, and a speedup adds few waits: an eighth at most.
 *
 * Where a unit of work is short beside the sampling period, pauses of a period do not bring tasks
 * to each other in the order of the faster program: a quarter of a gain is the standard error,
 * however long the work between hand-overs. If they wait for each other now and then only, pauses
 * also keep them from meeting as often, and half of it is. Points that samples count have no unit.
 *
 * Threads that retry a compare-and-exchange as another one was faster do so less often if they have
 * less to compute, which pauses do not show (docs/decisions.md, "Retries").
 *
 * Where threads poll by naps that are short beside a period, uneven pauses bring others there at
 * other looks, and gains may be nothing (docs/decisions.md, "Short naps").
 *
 * Where threads spin for less than a period, neither which code they wait for nor in which order
 * they come is seen: what other code gains may be nothing, so that no gain is sure. A target that
 * holds nearly all of the work is free of that.
 */
#pragma once

#include "analyze/causal/trials.h"

#define RETRIES_LEAST 0.05 /* of the sampled time, in loops that retry */

#define HAND_OVER_WAKE_NS 40000.0 /* of work between hand-overs, by which the error is measured */
#define HAND_OVER_ERROR_MOST 0.25
#define HAND_OVER_ERROR_OF_LONG_UNITS 0.125
#define HAND_OVER_UNITS_MOST 10 /* units of work for a hand-over: rarer ones decide nothing */
#define HAND_OVER_ERROR_OF_SHORT_UNITS 0.5
#define HAND_OVER_ERROR_OF_POLLS 0.6
#define HAND_OVER_ERROR_OF_BRIEF_SPINS 0.6 /* where threads spin for a tenth of the time or more */

/* Of the CPU time of a run, the largest: threads spin there for less than a sampling period. */
double brief_spin_share_of(const struct recording *recording);
/*
 * Whether that holds for a unit of so much CPU time: one of two periods or more holds longer spins,
 * and those of a rhythm may look brief.
 */
bool hand_over_spins_briefly(const struct recording_run *run, double unit_ns);
/* Standard error as a part of the gain; 0 for latencies, and if hand-overs are rare. */
double hand_over_error_of(const struct recording *recording, const struct trials *trials,
			  const struct recording_point *point);
/* CPU time for a unit of work, without a speedup; 0: unknown. */
double hand_over_unit_ns(const struct recording *recording, const struct trials *trials,
			 int64_t run_id, int64_t point_id);
/*
 * By how much more may come true: where critical sections are shorter than a sampling period, a
 * faster one is contended less, and threads need not be woken. Pauses leave that as it is. The
 * error is a factor: as a gain may be half of what is told, it may be twice as much.
 */
double hand_over_reach(double error, double gain);
