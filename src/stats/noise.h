/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * noise - estimates from the cells' spreads how much of the windows' noise comes from the pauses.
 *
 * It decides how much of the controls' variance a cell with few windows takes over: at 100 %
 * speedup of nearly all of a program all noise is that of the pauses, and controls have no pauses.
 */
#pragma once

#include "stats/cell.h"

/* Smallest variance of a control's logarithm: differences below its root are rounding errors. */
#define NOISE_VARIANCE_LEAST 1e-18

/*
 * Sets the cells' noise, from their locations. Returns the variance A of all cells, and sets that
 * of the cells with CELL_TRUSTED ratios: robust initial values of an iterative estimate.
 */
double noise_start(struct cell *cells, size_t count);
