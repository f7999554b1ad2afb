/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * steadiness - whether a program's units, or the cores, changed their speed during the last run.
 *
 * A gain is a mean over the run. Where controls at one time take a unit much longer than at
 * another, it holds for neither. Two reasons are told apart: the program does other work (a
 * phase), or the same work takes more CPU time, as a core's clock is slower.
 */
#pragma once

#include "profile/recording.h"

enum steadiness_change { STEADY, CHANGES_WORK, CHANGES_CLOCK };

struct steadiness {
	enum steadiness_change change;
	const struct recording_point *point;
	double before_ns, after_ns; /* time of a visit, on either side of the largest change */
	bool shares_differ;  /* a target's, on either side: the program does something else */
	double work_ratio;   /* CPU time of a visit after it, over that before */
	double at_ns;        /* after the first experiment */
	uint64_t changed_ns; /* the same, by the clock of experiments */
};

/* By the point with most visits. */
struct steadiness steadiness_of(const struct recording *recording);
