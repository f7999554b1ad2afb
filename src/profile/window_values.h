/* SPDX-License-Identifier: BSD-2-Clause */
/* window_values - what the rows of a window (an experiment, and its visits of a point) say. */
#pragma once

#include "profile/recording.h"

/* Effective ns per visit (COZ, 3.2); of latency points the mean time, L / lambda. NAN: unknown. */
double window_visit_period(const struct recording_visit *visit, enum point_kind kind);
/* Displaced time of all cores over effective time. */
double window_displaced_share(const struct recording_experiment *experiment);
/* Part of the window in which the target ran; 1 also where it ran on several cores. */
double window_target_part(const struct recording_experiment *experiment);

/* Work of a visit in ns, waits included; 0: unknown. By samples. */
double window_sampled_work(const struct recording_experiment *experiment,
			   const struct recording_visit *visit);
/* Exactly if the window has its CPU time, with clients that pause; else by samples. */
double window_exact_work(const struct recording_experiment *experiment,
			 const struct recording_visit *visit);
/* The CPU time in that; 0 if it is not known exactly. */
double window_exact_cpu(const struct recording_experiment *experiment,
			const struct recording_visit *visit);
