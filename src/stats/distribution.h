/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * distribution - the normal and Student's t distribution, for intervals and tests.
 *
 * Against SciPy, quantiles of probabilities from 1e-9 to 1 - 1e-6 with 0.5 degrees of freedom or
 * more are right to 1e-8 of their size; probabilities to 1e-9 of theirs, or to 1e-12.
 */
#pragma once

/* P(X <= value). */
double normal_probability(double value);

/* The value that is exceeded with probability 1 - `probability`; 0 < probability < 1. */
double normal_quantile(double probability);

/* The same of Student's t; `freedom` > 0 need not be whole, and INFINITY is the normal. */
double student_probability(double value, double freedom);
double student_quantile(double probability, double freedom);
