/* SPDX-License-Identifier: BSD-2-Clause */
/* crowding_error - programs whose tasks wait for each other and for cores have wider intervals. */
#include "check.h"

#include "analyze/causal/crowding_error.h"

static double error_by(const char *engine, enum point_kind kind, uint64_t hand_over_ns,
		       uint64_t crowded_ns)
{
	const struct recording_point point = {.id = 1, .kind = kind};
	const struct recording_experiment window = {.run_id = 1};
	const struct recording_experiment *items[] = {&window};
	const struct trials trials = {items, 1};
	struct recording recording = {0};

	*array_add(&recording.runs) = (struct recording_run){.id = 1,
							     .period_ns = 100000,
							     .engine = (char *)engine,
							     .samples = 10000, /* 1 s */
							     .crowded_ns = crowded_ns,
							     .hand_over_ns = hand_over_ns};
	double error = crowding_error_of(&recording, &trials, &point);
	array_free(&recording.runs);
	return error;
}

static double error_of(enum point_kind kind, uint64_t hand_over_ns, uint64_t crowded_ns)
{
	return error_by("kernel", kind, hand_over_ns, crowded_ns);
}

TEST("the error grows with the time in which a task waits for a core")
{
	CHECK_NEAR(error_of(POINT_THROUGHPUT, 500000, 500000000), 0.05, 1e-6);
	CHECK_NEAR(error_of(POINT_THROUGHPUT, 500000, 2000000000), 0.1, 1e-6);
	CHECK_EQUAL(error_of(POINT_THROUGHPUT, 500000, 0), 0);
}

TEST("there is none of latencies, and where tasks do not wake each other")
{
	CHECK_EQUAL(error_of(POINT_LATENCY, 500000, 500000000), 0);
	CHECK_EQUAL(error_of(POINT_THROUGHPUT, 0, 500000000), 0);
}

TEST("in the runtime engine it is larger, and also there where tasks do not wake each other")
{
	CHECK_NEAR(error_by("runtime", POINT_THROUGHPUT, 500000, 500000000), 0.1, 1e-6);
	CHECK_NEAR(error_by("runtime", POINT_THROUGHPUT, 0, 500000000), 0.1, 1e-6);
	CHECK_EQUAL(error_by("runtime", POINT_LATENCY, 0, 500000000), 0);
}
