/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * warm_up - how long a program takes to respond to a speedup, and which windows are too early to
 * count.
 *
 * The queue in front of the slowest thread is full. When another thread gets faster, queues first
 * empty or fill, and meanwhile progress is that of a program with endless queues: a queue of 64
 * items makes a gain up to a third too large. Two signs tell:
 *
 * - Work. In the steady state a visit takes the same CPU time at any speedup. While a queue
 *   empties, its items are not made anew, and a visit takes less: from the first window on.
 * - Change. Some windows at one speedup follow each other without a break, as a series; later ones
 *   differ from earlier ones.
 *
 * Both are tested for controls and for each quarter of the speedups, by Student's t. Where they are
 * found, the first windows of these series are left out, and the rest is tested again with longer
 * series. Work that differs after the longest series as much as at its beginning is the
 * program's way, such as a thread that works beside, and no warm-up.
 */
#pragma once

#include "stats/effect.h"

#include <stdbool.h>
#include <stddef.h>

#define WARM_UP_LEVELS 4
#define WARM_UP_BINS 5 /* controls, and four ranges of speedups */

/* At this level, windows whose index in their series is below are left out: 0, 4, 12, 30. */
unsigned warm_up_skipped(unsigned level);
/* Windows that a series must have to test the level: 4, 12, 24, 48. */
unsigned warm_up_series(unsigned level);

/* Whether less work for a visit is a sign of warm-up in this program. */
enum warm_up_work {
	WARM_UP_WORK_UNKNOWN,
	WARM_UP_WORK_TELLS,  /* after the longest series it is as in controls */
	WARM_UP_WORK_DIFFERS /* it is not, so it is no sign */
};

struct warm_up {
	unsigned level;    /* the highest of all bins */
	bool is_drifting;  /* windows at the highest level still differ */
	bool is_undecided; /* a series of the longest length has to tell whether work is a sign */
	enum warm_up_work work;          /* what these windows say */
	unsigned levels[WARM_UP_BINS];   /* that are needed */
	unsigned measured[WARM_UP_BINS]; /* of these, with windows: others are still to come */
	/*
	 * By how much the work of a visit differs from that of controls in the windows that count,
	 * as a logarithm; 0 if it does not. Below 0 queues still empty: periods are too short.
	 */
	double imbalance[WARM_UP_BINS];
	/*
	 * The change of log(period) per unit of speedup that may go unnoticed, 95 %; or INFINITY.
	 */
	double undetected_drift;
};

/*
 * Windows of one target and progress point, in the order of time. `work`: what is known from other
 * targets at this point.
 */
struct warm_up warm_up_detect(const struct effect_window *windows, size_t count,
			      enum warm_up_work work);
/* What two targets say together. */
enum warm_up_work warm_up_work_of(enum warm_up_work a, enum warm_up_work b);
/* Controls 0; quarters of the speedups from 1 on. */
unsigned warm_up_bin_of(double speedup);
unsigned warm_up_level_at(const struct warm_up *warm_up, double speedup);
double warm_up_imbalance_at(const struct warm_up *warm_up, double speedup);

/*
 * Where the windows at a speedup may be too early, its gain is no larger than that at a larger
 * speedup at which queues have settled, if three windows tell: more of the target's time is gone
 * there. Cuts the points, which ascend in speedup; an interval keeps its width below.
 */
void warm_up_bound(const struct warm_up *warm_up, struct effect_point *points, size_t count);

/*
 * Keeps the windows that count. At levels above the lowest, windows of one series become one,
 * since they are more alike than windows of different series. Returns their number.
 */
size_t warm_up_drop_early(struct effect_window *windows, size_t count,
			  const struct warm_up *warm_up);
