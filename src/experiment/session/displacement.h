/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * displacement - how much of a window other programs and the hypervisor may take.
 *
 * On a machine where most windows are disturbed, those count that lose up to twice the usual time.
 * The displaced share is a covariate (stats/covariates.h), so that a disturbed window is worth more
 * than none; docs/decisions.md, "Slow cores and other programs are covariates". No window counts
 * of which others had far more than the program: what pauses do is hidden there.
 */
#pragma once

#include "profile/recording.h"

#define DISPLACEMENT_HISTORY 32

struct displacement {
	double shares[DISPLACEMENT_HISTORY]; /* of the last windows */
	size_t count;
	double accepted; /* the largest share in a window that counted */
};

/* The largest share of a window that may be lost now. */
double displacement_limit(const struct displacement *displacement);
/* Of the window's length, all cores together. */
double displacement_share(const struct recording_experiment *window);
/* Adds a window; returns whether it counts. */
bool displacement_add(struct displacement *displacement, const struct recording_experiment *window);
