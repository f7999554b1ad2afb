/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * summary - what is typical of some numbers, and how far they spread.
 *
 * The values may come in any order and are not changed. All need count > 0.
 */
#pragma once

#include <stddef.h>

double summary_median(const double *values, size_t count);

/* Linear between the order statistics: type 7 of Hyndman and Fan (1996); 0 <= fraction <= 1. */
double summary_quantile(const double *values, size_t count, double fraction);

/* Mean without the floor(trim * count) smallest and as many largest; 0 <= trim < 1/2. */
double summary_trimmed_mean(const double *values, size_t count, double trim);

/*
 * Variance (n - 1) of the values, where those that the trimmed mean leaves out are replaced by the
 * nearest one that it keeps. The trimmed mean's squared standard error is this over
 * (1 - 2 trim)^2 count, with count - 2 floor(trim count) - 1 degrees of freedom (Tukey and
 * McLaughlin, Sankhya A 25, 1963). 0 for fewer than two values.
 */
double summary_winsorized_variance(const double *values, size_t count, double trim);
