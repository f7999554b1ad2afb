/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cell - the ratios at one speedup: where they lie, how far they spread, and which of them count.
 *
 * A cell's location is a weighted mean of its ratios' positions (ratio.h): weights follow from the
 * controls used, times a robust weight that falls to 0 for ratios far from the rest, since on a
 * shared machine some windows are simply disturbed.
 *
 * All variances here are in units of A, the variance of a control's logarithm. Of a window at
 * speedup s, whose true ratio to its controls is r, the ratio's variance is taken for
 *
 *	A r^2 + B s
 *
 * noise in proportion to the period, plus that of the subtracted pauses: those follow from
 * samples, whose number varies as itself. B / A is the pause noise; noise.h finds it.
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
	bool is_disputed; /* its ratios agree so little that none can be called disturbed */
};

bool cell_is_control(const struct cell *cell);
double cell_median(const struct cell *cell);
/* Sets what noise becomes of at the cell's location. */
void cell_set_noise(struct cell *cell, double pause_noise);
/* Variance of the cell's ith position, if nothing drifts. */
double cell_ratio_variance(const struct cell *cell, size_t i);

/* Weighs the ratios, by the cell's own `variance` or, in a small cell, by the pooled one. */
void cell_weigh(struct cell *cell, double pooled_variance);
void cell_locate(struct cell *cell);
/* Adds factor times each control's part in the location to loads[control]. */
void cell_add_loads(const struct cell *cell, double factor, double *loads);
/* Sets the amplification; `loads`, by window, are 0 before and after. */
void cell_amplify(struct cell *cell, double *loads);
/* Sets the cell's own variance and its freedom. */
void cell_spread(struct cell *cell);

/* From this many ratios on, a cell's own spread is trusted to tell which of them are far off. */
#define CELL_TRUSTED 8
