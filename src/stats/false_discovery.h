/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * false_discovery - which of many tests to believe.
 *
 * Benjamini and Hochberg, "Controlling the false discovery rate" (Journal of the Royal Statistical
 * Society B 57(1), 1995): of the rejected ones, a share of `rate` at most is false on average.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Sets is_rejected[i] for the tests' probabilities p[i]; returns their number. */
size_t false_discovery_reject(const double *p, size_t count, double rate, bool *is_rejected);
