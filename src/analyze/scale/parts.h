/* SPDX-License-Identifier: BSD-2-Clause */
/* parts - the steps of scale_new, each in its own file. */
#pragma once

#include "analyze/scale/scale.h"

/* The level of so many threads; an empty one is added if it is missing. */
struct parallel_level *scale_find_or_add_level(struct level_list *levels, unsigned threads);
/* Slices and phases of the first run. */
void scale_find_phases(struct scale *scale);
/* Of several hosts: what each had, and, after scale_find_replay, which of them limits the job. */
void scale_find_hosts(struct scale *scale);
void scale_find_host_gains(struct scale *scale);
/* Levels of several runs as their mean; returns the mean wall time. */
double scale_pool_levels(struct level_list *levels, const struct scale_run *runs, size_t count);
/* A run's counts; its levels are to be freed. */
struct scale_run scale_run_of(const struct recording *recording,
			      const struct recording_parallel *parallel);
/* The row of a run, also of an earlier session; NULL: there is none. */
const struct recording_run *scale_run_row(const struct recording *recording, int64_t id);
/* The time of a simulation; `host_cores`: of each; NULL: `cores` on each. */
double scale_replay_on(const struct scale *scale, unsigned cores, const unsigned *host_cores);
/* The log of the recorded run, or NULL; to be freed. */
struct timeline *scale_timeline(const struct scale *scale);
/* Prepares the recorded run for simulation, and compares a simulation on its own cores with it. */
void scale_find_replay(struct scale *scale, const struct timeline *timeline);
/* The stolen time of the recorded run; after scale_find_replay. */
struct log_steals scale_steals(const struct scale *scale);
/* Phases by the program's own annotations, in the recorded run. */
void scale_find_spans(struct scale *scale, const struct timeline *timeline);
/* Simulates the recorded run with a faster target, on the cores of the predictions. */
void scale_find_what_if(struct scale *scale, const struct timeline *timeline);
/* The time on so many cores, divided by that on the profiled ones. NAN: unknown. */
double scale_replay_ratio(const struct scale *scale, unsigned cores);
/* Sets low_ns and high_ns of a prediction. */
void scale_add_interval(const struct scale *scale, struct scale_prediction *prediction);
/* Checks the preconditions of predictions. */
void scale_add_warnings(struct scale *scale);
