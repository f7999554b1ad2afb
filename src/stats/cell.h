/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cell - the ratios at one speedup: their location, spread and robust weights.
 *
 * A cell's location is a weighted mean of its ratios' positions (ratio.h): weights follow from the
 * controls used, times a robust weight that falls to 0 for outliers, since on a shared machine some
 * windows are disturbed.
 *
 * All variances here are in units of A, the variance of a control's logarithm. At speedup s and a
 * true ratio of r, the variance of a window's ratio is modelled as
 *
 *	A r^2 + B s
 *
 * The first term is noise in proportion to the period; the second is that of the subtracted pauses,
 * whose number follows from samples, a count. B / A is the pause noise; noise.h estimates it.
 */
#pragma once

#include "stats/ratio.h"

#include <stdbool.h>

struct cell {
	const struct ratio *ratios;
	double *weights; /* robust ones, 0 ... 1 */
	size_t count;
	double speedup;
	double location; /* mean position of the ratios; of the control cell 0, as it must be */
	double window_noise, control_noise; /* variance of a position by its window, by a control */
	double amplification;               /* squared error of the location */
	double own_variance;                /* A, from this cell alone */
	double own_freedom;
	double variance; /* A, moderated by the other cells */
	double freedom;
	bool is_disputed; /* the ratios scatter too much to tell outliers: all count in full */
};

bool cell_is_control(const struct cell *cell);
double cell_median(const struct cell *cell);
/* Sets window_noise and control_noise at the cell's location. */
void cell_set_noise(struct cell *cell, double pause_noise);
/* Variance of the cell's ith position, if nothing drifts. */
double cell_ratio_variance(const struct cell *cell, size_t i);

/* Sets the robust weights, by the cell's own `variance` or, in a small cell, by the pooled one. */
void cell_weigh(struct cell *cell, double pooled_variance);
void cell_locate(struct cell *cell);
/* Adds factor times each control's part in the location to loads[control]. */
void cell_add_loads(const struct cell *cell, double factor, double *loads);
/* Sets the amplification; `loads`, by window, are 0 before and after. */
void cell_amplify(struct cell *cell, double *loads);
/* Sets the cell's own variance and its freedom. */
void cell_spread(struct cell *cell);

/* From this many ratios on, a cell's own spread decides which of them are outliers. */
#define CELL_TRUSTED 8
