/* SPDX-License-Identifier: BSD-2-Clause */
/* set_error - sets whose members run side by side have wider intervals. */
#include "check.h"

#include "analyze/causal/set_error.h"

#define WINDOW_NS 80000000u
#define VISIT_NS 500000.0

/* The error of one target with two controls, in each of which `threads` are in the target. */
static double error_of(enum target_kind kind, double threads, double period_ns)
{
	const struct recording_point point = {.id = 1, .kind = POINT_THROUGHPUT};
	const struct recording_target target = {.id = 1, .kind = kind};
	struct recording_experiment windows[2] = {0};
	const struct recording_experiment *items[2] = {&windows[0], &windows[1]};
	const struct trials trials = {items, 2};
	struct recording recording = {0};

	*array_add(&recording.runs) =
		(struct recording_run){.id = 1, .period_ns = (uint64_t)period_ns};
	for (int i = 0; i < 2; i++) {
		windows[i].run_id = 1;
		windows[i].target_ns = (uint64_t)(threads * WINDOW_NS);
		*array_add(&windows[i].visits) =
			(struct recording_visit){.point_id = 1,
						 .visits = WINDOW_NS / VISIT_NS,
						 .duration_ns = WINDOW_NS};
	}
	double error = set_error_of(&recording, &trials, &target, &point);
	for (int i = 0; i < 2; i++)
		array_free(&windows[i].visits);
	array_free(&recording.runs);
	return error;
}

TEST("the error of a set grows with the sampling period beside a visit, up to a bound")
{
	CHECK_NEAR(error_of(TARGET_SET, 2, 0.2 * VISIT_NS), 0.024, 1e-6);
	CHECK_NEAR(error_of(TARGET_SET, 2, 0.02 * VISIT_NS), 0.0024, 1e-6);
	CHECK_NEAR(error_of(TARGET_SET, 2, 5 * VISIT_NS), 0.03, 1e-6);
}

TEST("a single target has no such error, nor has a set of which one member runs at a time")
{
	CHECK_EQUAL(error_of(TARGET_LINE, 2, 0.2 * VISIT_NS), 0);
	CHECK_EQUAL(error_of(TARGET_SET, 1, 0.2 * VISIT_NS), 0);
}
