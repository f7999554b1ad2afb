/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * observer - what a session does, step by step (`lever run --verbose`).
 *
 * All functions are called from session_run. Structs and their texts live for the call only.
 */
#pragma once

#include "collect/collector.h"
#include "profile/recording.h"

/* The engine is ready; nothing runs yet. */
struct session_calibration {
	const char *engine;
	uint64_t period_ns, shortest_period_ns; /* between samples of a core */
	uint64_t tick_ns;                       /* what one sampling interrupt takes */
	uint64_t window_ns;                     /* the first windows' length */
	unsigned cpus;
	uint64_t seed;
};

/* A block of windows on one target was drawn. */
struct session_choice {
	const char *target;
	bool is_given, is_external; /* by the user; everything that is not the program's */
	double probability;         /* that it was drawn */
	size_t candidates;          /* that could have been */
	double sampled_share;       /* of all sampled time so far; 0 without code */
};

/* A window was measured, and counts or was discarded. */
struct session_window {
	const char *target;
	const struct recording_experiment *experiment;
	double visits; /* of the point that was visited most */
	int count;     /* windows of its series, as planned */
	double displaced_share, displaced_limit;
	uint64_t period_ns, next_window_ns; /* of samples; of the windows that follow */
};

/* Windows of a target at one speedup differed: from now on so many first ones are left out. */
struct session_warm_up {
	const char *target;
	unsigned skipped;
};

struct session_observer {
	void *context;
	void (*calibrated)(void *context, const struct session_calibration *calibration);
	void (*chosen)(void *context, const struct session_choice *choice);
	void (*window)(void *context, const struct session_window *window);
	void (*warm_up)(void *context, const struct session_warm_up *warm_up);
	void (*finished)(void *context, const struct collector_counters *counters);
};
