/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * totals - what all the runs of a recording come to together.
 */
#pragma once

#include "profile/recording.h"

struct run_totals {
	const struct recording_run *last; /* run, or NULL if there is none */
	size_t runs, unfinished;
	uint64_t wall_ns, delay_ns;
	uint64_t samples, lost, capped, unwound_badly, paused_ns;
	double interrupt_share; /* mean over the runs, by wall time */
	/* What recording took, of one core's time; NAN if any run does not know. */
	double engine_share, kernel_share;
};

struct run_totals run_totals_of(const struct recording *recording);
/* Of one of them, what all kinds of report tell: run, time, and what recording took. */
struct run_totals run_totals_of_run(const struct recording *recording,
				    const struct recording_run *run);
/* Visits of a point in all runs. */
uint64_t run_totals_visits(const struct recording *recording, int64_t point_id);
/* Mean latency at a latency point in the experiments at speedup 0 that counted; 0 if unknown. */
double run_totals_latency_ns(const struct recording *recording, int64_t point_id);
/* As a shell says it: exit code, or 128 + signal; -1 if unknown. */
int run_exit_status(const struct recording_run *run);
/* Visits a second of running, pauses left out; NAN for points that have no rate, or if unknown. */
double run_totals_rate(const struct recording *recording, const struct run_totals *totals,
		       const struct recording_point *point);
