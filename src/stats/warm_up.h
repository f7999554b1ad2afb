/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * warm_up - how long a program takes to respond to a speedup, and which windows are too early to
 * count.
 *
 * The queue in front of the slowest thread is full. When another thread gets faster, queues first
 * empty or fill, and meanwhile progress is that of a program with endless queues: a queue of 64
 * items in a window of 200 visits makes a gain up to a third too large. So some windows at one
 * speedup follow each other without a break, as a series, and later ones are compared with earlier
 * ones by Student's t: of controls the mean of the differences, of other windows their slope over
 * the speedup. Where they differ, the first windows of each series are left out, and the rest is
 * tested again with longer series.
 */
#pragma once

#include "stats/effect.h"

#include <stdbool.h>
#include <stddef.h>

#define WARM_UP_LEVELS 3

/* At this level, windows whose index in their series is below are left out: 0, 4, 12. */
unsigned warm_up_skipped(unsigned level);
/* Windows that a series must have to test the level: 4, 12, 24. */
unsigned warm_up_series(unsigned level);

struct warm_up {
	unsigned level;   /* of the windows that may count */
	bool is_drifting; /* these still differ */
	/*
	 * The change of log(period) per unit of speedup that may go unnoticed, 95 %; or INFINITY.
	 */
	double undetected_drift;
};

/* Windows of one target and progress point, in the order of time. */
struct warm_up warm_up_detect(const struct effect_window *windows, size_t count);

/*
 * Keeps the windows that count at this level. Above the lowest, windows of one series become one,
 * since they are more alike than windows of different series. Returns their number.
 */
size_t warm_up_drop_early(struct effect_window *windows, size_t count, unsigned level);
