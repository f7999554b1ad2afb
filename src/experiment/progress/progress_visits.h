/* SPDX-License-Identifier: BSD-2-Clause */
/* progress_visits - how often progress points were visited: in a window, and in all. */
#pragma once

#include "experiment/progress/progress_points.h"

/* Kind of a point that has this id in the profile. */
enum point_kind progress_visits_kind(const struct progress_points *points, int64_t id);
/* Adds what the window closed last saw; returns the largest number of visits of any point. */
double progress_visits_collect(const struct progress_points *points,
			       struct recording_experiment *experiment);
/* Writes the visits so far. */
int progress_visits_write_totals(const struct progress_points *points, struct profile *profile,
				 int64_t run_id, struct error *error);
