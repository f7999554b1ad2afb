/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * noise - how much of the windows' noise comes from the pauses, read off the cells' spreads.
 *
 * It decides what few windows may borrow from the others: at 100 % speedup of nearly all of a
 * program nothing but the noise of the pauses is left, which in the controls is none at all.
 */
#pragma once

#include "stats/cell.h"

/* Smallest variance of a control's logarithm: below its root, differences are rounding. */
#define NOISE_VARIANCE_LEAST 1e-18

/*
 * Sets the cells' noise, from their locations. Returns the variance A of all cells, and sets that
 * of the cells with CELL_TRUSTED ratios, as starts for a better estimate: outliers do not reach
 * them.
 */
double noise_start(struct cell *cells, size_t count);
