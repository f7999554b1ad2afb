/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * external_pacing - how much of a program's rate is set by clocks, devices and other programs.
 *
 * These keep their speed while the program pauses, so they are faster in effective time, and a
 * program that waits for them seems to gain (docs/decisions.md, "What is paced from outside is
 * measured and taken off"). In windows of TARGET_EXTERNAL the whole program pauses for a share of
 * the time. Let v be effective time divided by wall time, P the rate of visits that come by wall
 * time, and C the rate of the others, by effective time. The rate of all visits is then
 *
 *	r = P / v + C     by effective time, and
 *	r v = P + C v     by wall time.
 *
 * Two values of v give P. A window's rate without the apparent gain is r - P (1 / v - 1) = P + C.
 * Where visits take less CPU time in those windows, r may have grown for that, and P is only
 * suspected.
 */
#pragma once

#include "profile/recording.h"

struct external_pacing {
	double share; /* P / r v; 0 unless surely above EXTERNAL_PACING_LEAST */
	double error; /* standard error of the share; 0 if that is 0 */
	double gain;  /* of the program, if all that is external were 25 % faster */
	/*
	 * The share that its windows suggest, where it is not sure; else 0. Below 0: pauses
	 * themselves slow the program down in effective time, mostly where threads outnumber
	 * cores (timers among them), and so gains are told too low.
	 */
	double suspected;
	double tendency; /* the share that its windows suggest, however little they tell; >= 0 */
};
#define EXTERNAL_PACING_LEAST 0.08
#define EXTERNAL_PACING_SUSPECTED 0.1 /* the least, and more than its standard error */
#define EXTERNAL_PACING_SLOWED 0.28   /* the same below 0: naps beside a barrier have 0.25 */

/* The pacing of one point's visits. */
struct external_pacing external_pacing_of(const struct recording *recording,
					  const struct recording_point *point);
/*
 * A thread's sleep as a target pauses all else, as the windows do that the pacing is told by. If
 * the program seems to gain by both, it may be for the same reason.
 */
void external_pacing_suspect_sleep(struct external_pacing *external_pacing,
				   const struct recording_target *target);
/* CPU time of the program for each visit, in ns: its sampled time without waits; 0 if unknown. */
double external_pacing_cpu(const struct recording_experiment *experiment,
			   const struct recording_visit *visit);
/* Effective time divided by wall time; NAN if there is none. */
double external_pacing_effective(const struct recording_visit *visit);
/* A window's period without the apparent gain; `paced_rate` is per ns of wall time. */
double external_pacing_period(double period_ns, double effective, double paced_rate);
/*
 * The standard error of a gain that is due to that of the share; `effective` and `of_controls` are
 * effective time divided by wall time in its windows and in their controls.
 */
double external_pacing_error(const struct external_pacing *external_pacing, double gain,
			     double effective, double of_controls);
/*
 * A gain as it is by all visits. Where pauses leave less than EXTERNAL_PACING_TIME of the wall
 * time, work that is paced externally may not keep its rate, and an interval reaches up to this.
 */
#define EXTERNAL_PACING_TIME 0.4
#define EXTERNAL_PACING_ALL 0.9 /* of the visits: these then show it */
double external_pacing_squeezed(const struct external_pacing *external_pacing, double gain,
				double effective, double of_controls);
