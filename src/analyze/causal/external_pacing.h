/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * external_pacing - how much of a program's pace is set by what is not the program's: clocks, devices, other programs.
 *
 * Their speed stays as it is while a program pauses for the sake of a target, so that in effective time they are
 * faster, and a program that waits for them seems to gain: a thread that works once every 2 ms by the clock does so
 * however fast its work is, and was told 61 % of no gain at all. In windows of TARGET_EXTERNAL the whole program
 * pauses for a share of the time. With v, effective time by wall time, and visits of which some come at a rate P by
 * wall time, and others at a rate C by effective time, the rate by effective time is
 *
 *	r = P / v + C		and by wall time, r v = P + C v
 *
 * P follows from the latter, at two v, and what is external_pacing keeps its speed if each window's rate is taken to
 * be r - P (1 / v - 1) = P + C.
 */
#pragma once

#include "profile/recording.h"

struct external_pacing {
	double share; /* of visits that come by the wall clock: P / r v of controls; 0 unless surely above EXTERNAL_PACING_LEAST */
	double error; /* its standard error; 0 if it is 0 */
	double gain;  /* of the program, with all that is external_pacing 25 % faster */
};
#define EXTERNAL_PACING_LEAST 0.08

/* Of the visits of one point. */
struct external_pacing external_pacing_of(const struct recording *recording,
					  const struct recording_point *point);
/* Effective time by wall time; NAN if there is none. */
double external_pacing_effective(const struct recording_visit *visit);
/* A window's period with visits that come at that rate, per ns, by the wall clock: the external_pacing has kept its speed. */
double external_pacing_period(double period_ns, double effective, double paced_rate);
/*
 * A gain's standard error by that of the share; `effective` and `of_controls`: effective time by wall time of
 * its windows, and of their controls.
 */
double external_pacing_error(const struct external_pacing *external_pacing, double gain,
			     double effective, double of_controls);
