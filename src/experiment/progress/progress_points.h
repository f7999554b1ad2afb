/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * points - the progress points of one session: found, attached, and written to the profile.
 *
 * Asked-for points are attached before the program runs, or as soon as their file is known. Points of lever.h and coz.h appear when
 * the program registers them; without any asked-for point, all of them count. A LEVER_BEGIN and a
 * LEVER_END of one name make a latency pair by themselves.
 */
#pragma once

#include "collect/collector.h"
#include "experiment/progress/point_spec.h"
#include "experiment/target/sampled_code.h"
#include "profile/profile.h"

struct points;

struct points *progress_points_new(struct collector *collector, struct code *code,
				   struct symbols *symbols);
void progress_points_free(struct points *points);

/*
 * Attaches what can be attached. What is not in the files known so far is tried again by
 * progress_points_retry; -ENXIO if something there is so alike that the name must be mistaken.
 */
int progress_points_add(struct points *points, const struct point_spec *spec, struct error *error);
int progress_points_add_pair(struct points *points, const struct point_spec_pair *pair,
			     struct error *error);
/* To be called when files have become known: libraries, and what the program executes. */
int progress_points_retry(struct points *points, struct error *error);
/* Looks for points that have appeared; gives them ids in the profile. */
int progress_points_update(struct points *points, struct profile *profile, struct error *error);
/* Points that count and have been visited. */
unsigned progress_points_visited(const struct points *points);
/* Why a point that was asked for is not there, as a sentence; NULL if all are. */
const char *progress_points_missing(struct points *points);
/* Names of lever.h points that did appear, "a, b, c"; to be freed, NULL if none. */
char *progress_points_appeared(const struct points *points);

/* Kind of a point that has this id in the profile. */
enum point_kind progress_points_kind(const struct points *points, int64_t id);
/* Adds what the window closed last saw; returns the largest number of visits of any point. */
double progress_points_collect(struct points *points, struct recording_experiment *experiment);
/* Writes the visits so far. */
int progress_points_write_totals(struct points *points, struct profile *profile, int64_t run_id,
				 struct error *error);
