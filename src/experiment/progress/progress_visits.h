/* SPDX-License-Identifier: BSD-2-Clause */
/* progress_visits - how often progress points were visited: in a window, and in all. */
#pragma once

#include "experiment/progress/progress_points.h"

/* Kind of a point that has this id in the profile. */
enum point_kind progress_visits_kind(const struct progress_points *points, int64_t id);
/* Does it count requests? */
bool progress_visits_are_requests(const struct progress_points *points, int64_t id);
/* Adds what the window closed last saw; returns the largest number of visits of any point. */
double progress_visits_collect(const struct progress_points *points,
			       struct recording_experiment *experiment);
/* Adds what the open window has seen so far: copies of `mark` with the counts of each point. */
void progress_visits_mark(const struct progress_points *points, const struct recording_mark *mark,
			  struct recording_experiment *experiment);
/* Of the open window, at the point with most visits: their number, and the time that they span. */
double progress_visits_so_far(const struct progress_points *points, uint64_t *duration_ns);
/* Of the point with this index in the collector, visits so far; 0 if it does not count. */
double progress_visits_total(const struct progress_points *points, unsigned index);
bool progress_visits_is_sampled(const struct progress_points *points, unsigned index);
/* Writes the visits so far. */
int progress_visits_write_totals(const struct progress_points *points, struct profile *profile,
				 int64_t run_id, struct error *error);
