/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session - a run of `lever run` on a simulated program: the product's schedule, lengths of series
 * and sampling periods, and a recording for the product's analysis.
 *
 * In the place of src/experiment/session, which needs a live program. Not simulated: the choice of
 * targets by samples (the caller gives weights), external pacing, displaced windows.
 */
#pragma once

#include "drift.h"
#include "experiment.h"

#include "profile/recording.h"

#define SESSION_TARGETS_MOST 48

struct session_settings {
	struct experiment_settings experiment;
	const struct drift_settings *drift;
	uint64_t seed, length_ns;
	const double *speedups;
	size_t speedup_count;
};

/* A set of operations of a program. */
struct session_set {
	bool has[PROGRAM_OPERATIONS_MOST];
};

/* Operations of a program that are targets, or sets of them, and their chance to be chosen. */
struct session_targets {
	uint32_t operations[SESSION_TARGETS_MOST];
	const struct session_set *sets[SESSION_TARGETS_MOST]; /* NULL: the operation */
	double weights[SESSION_TARGETS_MOST];
	size_t count;
};

/* The target that the pattern has chosen. */
struct session_targets session_one_target(const struct program *program);
/* All computations. */
struct session_targets session_all_targets(const struct program *program);

/* To be freed by recording_free. */
struct recording *session_simulate(struct machine *machine, const struct program *program,
				   const struct session_targets *targets,
				   const struct session_settings *settings);

/* Makes these operations the targets. */
void session_choose_set(struct program *program, const struct session_set *set);
/* The time between two visits if they are shorter by `cut`; 0 with too few visits. */
double session_set_period(struct machine *machine, const struct program *program,
			  const struct session_set *set, const struct session_settings *settings,
			  double cut);

/* The gain at each cut if the operation's lengths are really cut; false with too few visits. */
bool session_truth(struct machine *machine, const struct program *program, uint32_t operation,
		   const struct session_settings *settings, double gains[EXPERIMENT_CUTS]);
