/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * randomization - a sequential test of units whose signs were drawn by chance.
 *
 * A unit compares two programs that ran beside each other, in an order that was drawn: its value is
 * the mean logarithm of their ratio. If the programs do not differ, a unit would have had the
 * opposite value in the opposite order, so either sign has probability 1/2, whatever the noise's
 * distribution and correlation (Fisher, "The Design of Experiments", 1935, section 21). The
 * statistic is Wilcoxon's signed rank sum; the estimate is that of Hodges and Lehmann (1963); the
 * interval holds all values that the test does not reject.
 *
 * The data may be looked at several times: each look spends a part of the error probability (Lan
 * and DeMets, Biometrika 70(3), 1983). Its critical value follows from simulated signs: those that
 * earlier looks rejected are left out. Up to RANDOMIZATION_EXACT units all signs are enumerated.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RANDOMIZATION_EXACT 14

struct randomization;

struct randomization_look {
	double estimate;  /* Hodges-Lehmann */
	double low, high; /* repeated interval; infinite: too few units for one */
	double p;         /* of no difference, earlier looks included */
	bool is_rejected; /* no difference is rejected: 0 lies outside of the interval */
};

struct randomization *randomization_new(uint64_t seed);
void randomization_free(struct randomization *randomization);

/*
 * Looks at the units `first` to `count` - 1; earlier values must be as at the last look. `spent` is
 * the error probability of all looks up to this one, at least that of the last look. The units are
 * one or more.
 */
struct randomization_look randomization_look(struct randomization *randomization,
					     const double *values, size_t first, size_t count,
					     double spent);

/*
 * Warm-up: how many of the first units took longer than every later one. Each is tested at a level
 * of 1/20: the longest of twenty is the first one with that probability if nothing warms up.
 */
size_t randomization_warm_up(const double *totals, size_t count);
