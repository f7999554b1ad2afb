/* SPDX-License-Identifier: BSD-2-Clause */
/* scale_parts - what scale.c leaves to other files: the course of a run, its replay, and doubts. */
#pragma once

#include "analyze/scale/scale.h"

/* The first run's slices, and its phases. */
void scale_find_phases(struct scale *scale);
/* The log of the recorded run, if there is one; to be freed. */
struct timeline *scale_timeline(const struct scale *scale);
/* Makes the recorded run ready to be simulated, and checks that against itself. */
void scale_find_replay(struct scale *scale, const struct timeline *timeline);
/* What was stolen from the logged run, once it is ready. */
struct log_steals scale_steals(const struct scale *scale);
/* Phases by the program's own annotations, in the logged run. */
void scale_find_spans(struct scale *scale, const struct timeline *timeline);
/* Simulates the logged run with reduction code, on the cores that are asked for. */
void scale_find_what_if(struct scale *scale, const struct timeline *timeline);
/* The time on so many cores, as a part of that on the profiled ones. NAN: it cannot be told. */
double scale_replay_ratio(const struct scale *scale, unsigned cores);
/* low_ns and high_ns of an prediction. */
void scale_add_interval(const struct scale *scale, struct scale_prediction *prediction);
/* Whether the preconditions of predictions hold, as far as the runs show it. */
void scale_add_warnings(struct scale *scale);
