/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * settle - how long a program takes to get used to a speedup, and which windows are too early to count.
 *
 * Queues between threads are full in front of the slowest; with another code faster, they first empty (or
 * fill), and meanwhile progress is that of a program with endless queues: a queue of 64 items in a window of
 * 200 visits makes a gain up to a third too large. So windows at one speedup sometimes follow each other without
 * a break (a stretch), and later ones are compared with earlier ones: of controls the mean of the differences, of
 * others their slope over the speedup, both by Student's t. Where they differ, the first windows of each stretch
 * are left out, and what is left is tested again with longer stretches.
 */
#pragma once

#include "stats/effect.h"

#include <stdbool.h>
#include <stddef.h>

#define WARM_UP_LEVELS 3

/* At this level, windows whose place in their stretch is below are left out: 0, 4, 12. */
unsigned warm_up_skipped(unsigned level);
/* Windows that a stretch must have, so that the level is tested: 4, 12, 24. */
unsigned warm_up_series(unsigned level);

struct warm_up {
	unsigned level;   /* of the windows that may count */
	bool is_drifting; /* and these do so still */
	/* So much of the logarithm of the period, per unit of speedup, may change unnoticed (95 %); INFINITY: any. */
	double undetected_drift;
};

/* Windows of one target and progress point, in the order of time. */
struct warm_up warm_up_detect(const struct effect_window *windows, size_t count);

/*
 * Leaves those that count at this level. Above the lowest, those of one stretch become one, since they are more like
 * each other than like those of other stretches. Returns their number.
 */
size_t warm_up_drop_early(struct effect_window *windows, size_t count, unsigned level);
