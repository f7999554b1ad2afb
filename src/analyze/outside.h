/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * outside - how much of a program's pace is set by what is not the program's: clocks, devices, other programs.
 *
 * Their speed stays as it is while a program pauses for the sake of a target, so that in effective time they are
 * faster, and a program that waits for them seems to gain: a thread that works once every 2 ms by the clock does so
 * however fast its work is, and was told 61 % of no gain at all. In windows of TARGET_OUTSIDE the whole program
 * pauses for a share of the time. With v, effective time by wall time, of these and of their controls, and p, the
 * effective time of a visit,
 *
 *	elasticity = ln(p / p of controls) / ln(v / v of controls)
 *
 * is 0 where the program alone decides, and 1 where it has no say. A window's period is then that for
 * which what is outside has kept its speed: p / v^elasticity.
 */
#pragma once

#include "profile/recording.h"

struct outside {
	double elasticity; /* 0 unless it is surely above OUTSIDE_LEAST; 1 at most */
	double error;      /* its standard error; 0 if it is 0 */
	double gain;       /* of the program, with all of that 25 % faster */
};
#define OUTSIDE_LEAST 0.08

/* Of the visits of one point. */
struct outside outside_of(const struct recording *recording, const struct recording_point *point);
/* Effective time by wall time. */
double outside_share(const struct recording_visit *visit);
/* A gain's standard error by that of the elasticity; `relative_share`: of its windows, by that of their controls. */
double outside_error(const struct outside *outside, double gain, double relative_share);
