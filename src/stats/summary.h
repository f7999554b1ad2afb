/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * summary - order statistics.
 *
 * The values may come in any order and are not changed. All need count > 0.
 */
#pragma once

#include <stddef.h>

double summary_median(const double *values, size_t count);

/* Linear between the order statistics: type 7 of Hyndman and Fan (1996); 0 <= fraction <= 1. */
double summary_quantile(const double *values, size_t count, double fraction);
