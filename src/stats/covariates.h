/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * covariates - what a window's period owes to slow cores, large units and other programs.
 *
 * Where a core runs slower than usual, where units happen to be larger, or where another program
 * has taken a core, the period is longer, at any speedup alike. Two figures of each window tell:
 * the CPU time of a visit, and the time in which the program was runnable and displaced. Controls
 * beside each other show by how much the period changes with each; effects are estimated from
 * periods that are freed of it (analysis of covariance).
 *
 * A displaced share of 0 is what a prediction is for. But the work of a visit may differ at a
 * speedup for good, by contention or by threads that work beside. How much is estimated, too: from
 * a smooth curve through that difference at each speedup, shrunk towards 0 as far as those of all
 * speedups agree with 0, and the more the less is paused; its error is in the interval.
 */
#pragma once

#include "base/memory.h"
#include "stats/effect.h"

#include <stdbool.h>

/* A control compared with the one before it: differences of logarithms; both displaced shares. */
struct covariate_pair {
	double period, work, displaced[2];
	double cpu; /* as work; NAN: unknown */
};

struct covariate_pairs {
	ARRAY(struct covariate_pair) items;
};

/*
 * The change of log(period) with log(work), and the part of displaced time that the period loses,
 * from 0 to 1: all of it where one thread runs at a time, half of it where two independent threads
 * share the displaced time. 0 if not known.
 */
struct covariates {
	double work, displaced;
	bool is_cpu; /* work is CPU time alone, as waits tell nothing of the cores' speed */
	/* Standard deviations of the log(period) of a control: as it is, and freed of both. */
	double scatter, left;
};

/* Adds a target's windows, in the order of time. */
void covariate_pairs_add(struct covariate_pairs *pairs, const struct effect_window *windows,
			 size_t count);
struct covariates covariates_fit(const struct covariate_pairs *pairs);
/* The part of a period that is left without this displaced share. */
double covariates_left(const struct covariates *covariates, double displaced);

/* The standard error of log(period) that other programs leave in the estimate. */
double covariates_displaced_error(const struct effect_window *windows, size_t count);

/* As effect_estimate, from periods freed of the covariates. */
size_t covariates_estimate(const struct covariates *covariates, const struct effect_window *windows,
			   size_t count, struct effect_point *points, size_t most);
