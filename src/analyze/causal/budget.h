/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * budget - which sources of noise the variance of each point comes from.
 *
 * An estimate grows its error step by step; each step's growth belongs to one part. The error that
 * the scatter of windows gives is divided further: what marks show within windows, and what the
 * count of samples explains; the rest is between windows.
 */
#pragma once

#include <stddef.h>

struct causal_effect;
struct trials;
struct recording;

enum budget_part {
	BUDGET_UNITS,      /* units differ within a window, and are counted */
	BUDGET_WINDOWS,    /* windows differ by more than that */
	BUDGET_SAMPLES,    /* pauses follow samples, a count */
	BUDGET_DISPLACED,  /* other programs took cores */
	BUDGET_TRANSIENTS, /* queues may not have settled */
	BUDGET_PACING,     /* clocks and clients set a part of the rate */
	BUDGET_METHOD,     /* pauses are no faster code */
	BUDGET_PARTS
};

/* Of one point; the sum is about the square of its error. */
struct budget {
	double variances[BUDGET_PARTS];
};

/* What an estimate of windows knows of its noise. */
struct budget_noise {
	double units; /* standard deviation of log(period) of a window by its units; 0: unknown */
	double displaced; /* standard error of log(period) by other programs */
};

/* The errors of points as they are now: of the scatter of windows. Sets effect->budgets. */
void budget_begin(struct causal_effect *effect, const struct recording *recording,
		  const struct trials *trials, const struct budget_noise *noise);
/* The errors have grown since; by this. */
void budget_add(struct causal_effect *effect, enum budget_part part);
/* All errors were multiplied. */
void budget_scale(struct causal_effect *effect, double factor);

double budget_total(const struct budget *budget);
/* The largest part. */
enum budget_part budget_most(const struct budget *budget);
/* The measured point with the widest interval; count without any. */
size_t budget_widest(const struct causal_effect *effect);
