/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * progress_points - the progress points of one session: found, attached, and named in the profile.
 *
 * Points that were asked for are attached before the program runs, or as soon as their file is
 * known. Points of lever.h and coz.h appear when the program registers them; where no point was
 * asked for, all of them count. A LEVER_BEGIN and a LEVER_END of one name are a latency pair.
 */
#pragma once

#include "collect/collector.h"
#include "experiment/progress/point_spec.h"
#include "experiment/target/sampled_code.h"
#include "profile/profile.h"

struct progress_points;

struct progress_points *progress_points_new(struct collector *collector, struct sampled_code *code,
					    struct symbols *symbols);
void progress_points_free(struct progress_points *points);

/*
 * Attaches the points of `spec` that exist; progress_points_retry retries those that no known file
 * contains. -ENXIO: a name is probably mistyped, since a similar one exists. `spec` is borrowed
 * until progress_points_free.
 */
int progress_points_add(struct progress_points *points, const struct point_spec *spec,
			struct error *error);
/* A point that the user did not ask for: those of lever.h count, too. Fails if it is absent. */
int progress_points_add_found(struct progress_points *points, const struct point_spec *spec,
			      struct error *error);
int progress_points_add_pair(struct progress_points *points, const struct point_spec_pair *pair,
			     struct error *error);
/* The same for a point that nobody asked for: points of lever.h count, too. */
int progress_points_add_default(struct progress_points *points, const struct point_spec *spec,
				struct error *error);
/* A point whose first visit is waited for; it counts only if it is asked for, too. As _add. */
int progress_points_await(struct progress_points *points, const struct point_spec *spec,
			  struct error *error);
/* It was visited, or there is none. */
bool progress_points_await_is_over(const struct progress_points *points);
/* Why it could not be visited; NULL: it could. */
const char *progress_points_await_missing(const struct progress_points *points);
/* After files have become known: libraries, and what the program executes. */
int progress_points_retry(struct progress_points *points, struct error *error);
/* Adds points that have appeared, and gives them ids in the profile. */
int progress_points_update(struct progress_points *points, struct profile *profile,
			   struct error *error);
/* Number of points that count and were visited, and of pairs whose ends are known. */
unsigned progress_points_visited(const struct progress_points *points);
/* The same without points that Lever found. */
unsigned progress_points_named_visited(const struct progress_points *points);
/* Requests counted so far, of all points that count them. */
uint64_t progress_points_requests(const struct progress_points *points);
/* Visits so far of all points that count and are not sampled. */
uint64_t progress_points_visits(const struct progress_points *points);
/* Why a point that was asked for is absent, as a sentence, to be freed; NULL if none is. */
char *progress_points_missing(const struct progress_points *points);
/* Names of the lever.h points of the program, "a, b, c"; to be freed, NULL if none. */
char *progress_points_appeared(const struct progress_points *points);
/* Limits that the points reached: sentences, one a line; NULL if none. To be freed. */
char *progress_points_warnings(const struct progress_points *points);
