/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * function_cost - the sampled time of each function for one visit of a progress point.
 *
 * The cost is the function's sampled time in all runs of a profile divided by all visits. Its error
 * has two parts. Samples are counted: the variance of their number follows from how they scatter
 * between the windows of experiments, which are the blocks. And the machine's speed drifts, for all
 * functions alike: that part follows from the program's sampled time for each visit in groups of
 * neighbouring windows.
 */
#pragma once

#include "profile/recording.h"

#define COST_NAMES_MOST 4 /* of functions that are one on the other side */

struct function_cost {
	const char *name; /* borrowed from the recording; NULL: unknown */
	const char *file;
	unsigned line;     /* of its hottest line */
	double sampled_ns; /* in all runs */
	double per_visit_ns;
	double count_error; /* standard error of its logarithm by the number of samples */
	const char *joined[COST_NAMES_MOST]; /* functions whose cost is in this one's, too */
	size_t joined_count;
};

struct function_costs {
	struct function_cost *items; /* most time first */
	size_t count;
	double all_ns; /* sampled, of the program, by visit */
	double visits;
	double drift_error; /* standard error of a cost's logarithm by the machine's drift */
};

/* Of a causal recording at one point. */
struct function_costs function_costs_of(const struct recording *recording,
					const struct recording_point *point);
void function_costs_release(struct function_costs *costs);

/* Adds another function's cost, of the same profile. False: there is no room for its name. */
bool function_cost_join(struct function_cost *cost, const struct function_cost *other);
/*
 * Is the target a part of this function, or of one that joined it? Targets without a function are
 * functions themselves.
 */
bool function_cost_has(const struct function_cost *cost, const struct recording_target *target);

/*
 * The effective time of a visit in the windows at speedup 0, and the standard error of its
 * logarithm by groups of neighbouring windows. False if there are too few windows.
 */
bool function_cost_period(const struct recording *recording, const struct recording_point *point,
			  double *period_ns, double *error);

#define COST_PARTS 6 /* of a recording, in the order of time */
struct cost_part {
	double period_ns; /* effective time of a visit */
	double work_ns;   /* sampled time of the program for each visit */
};
/* The parts, in the windows at speedup 0; returns their number, 0: too few windows. */
size_t function_cost_parts(const struct recording *recording, const struct recording_point *point,
			   struct cost_part parts[COST_PARTS]);
