/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hosts_experiment - what engines predict of a simulated job over several hosts, and what is true:
 * experiment.h for hosts.h.
 */
#pragma once

#include "experiment.h"
#include "jobs.h"

struct hosts_outcome {
	double gain[EXPERIMENT_CUTS], error[EXPERIMENT_CUTS]; /* error: standard error */
	bool is_valid;                                        /* there were visits enough */
	double lag_ns;                                        /* by which copies of G are apart */
	double reports_per_s;
};

struct hosts_settings hosts_usual(uint32_t count, uint64_t seed);
/* Without an engine, the target's lengths cut on all hosts. */
void hosts_find_truth(struct hosts *hosts, const struct hosts_settings *settings,
		      const struct job *job, uint32_t rounds, uint64_t *window,
		      struct hosts_outcome *truth);
void hosts_predict(struct hosts *hosts, const struct hosts_settings *settings,
		   const struct job *job, uint32_t rounds, uint64_t window,
		   struct hosts_outcome *prediction);
