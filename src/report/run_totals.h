/* SPDX-License-Identifier: BSD-2-Clause */
/* run_totals - sums over all runs of a recording. */
#pragma once

#include "profile/recording.h"

struct run_totals {
	const struct recording_run *last; /* NULL: no run */
	size_t runs, unfinished;
	uint64_t wall_ns, delay_ns;
	uint64_t samples, lost, capped, unwound_badly, paused_ns;
	double interrupt_share; /* mean over the runs, by wall time */
	/* the recording's own cost, of one core's time; NAN if unknown for any run */
	double engine_share, kernel_share;
};

struct run_totals run_totals_of(const struct recording *recording);
/* Of one run: run, time, and the recording's own cost. */
struct run_totals run_totals_of_run(const struct recording *recording,
				    const struct recording_run *run);
/* Visits of a point in all runs. */
uint64_t run_totals_visits(const struct recording *recording, int64_t point_id);
/* Mean latency at a latency point in counted experiments at speedup 0; 0 if unknown. */
double run_totals_latency_ns(const struct recording *recording, int64_t point_id);
/* As in a shell: exit code, or 128 + signal; -1 if unknown. */
int run_exit_status(const struct recording_run *run);
/* Visits per second without pauses; NAN if unknown, or if the point has no rate. */
double run_totals_rate(const struct recording *recording, const struct run_totals *totals,
		       const struct recording_point *point);
