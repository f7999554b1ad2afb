/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * change_points - where the mean of a series of measurements changes.
 *
 * PELT (Killick, Fearnhead and Eckley, "Optimal detection of changepoints with a linear
 * computational cost", JASA 107, 2012), for means of normal values whose variances are known. The
 * penalty makes a false change in a series without one about 5 % probable: the square of the normal
 * quantile at 1 - 0.025 / count.
 */
#pragma once

#include <stddef.h>

#define CHANGE_POINTS_ERROR 0.05

/*
 * Writes the indices at which a segment begins, without 0, ascending; returns their number, which
 * is below `count`. `points` has room for `count`.
 */
size_t change_points_find(const double *values, const double *variances, size_t count,
			  size_t *points);
