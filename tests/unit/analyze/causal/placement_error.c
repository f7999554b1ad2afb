/* SPDX-License-Identifier: BSD-2-Clause */
/* placement_error - idle cores beside waiting tasks make intervals wider. */
#include "check.h"

#include "analyze/causal/placement_error.h"

static double share_of(enum point_kind kind, uint64_t unused_ns)
{
	const struct recording_point point = {.id = 1, .kind = kind};
	const struct recording_experiment window = {.run_id = 1};
	const struct recording_experiment *items[] = {&window};
	const struct trials trials = {items, 1};
	struct recording recording = {0};

	*array_add(&recording.runs) = (struct recording_run){.id = 1,
							     .period_ns = 100000,
							     .samples = 9000 /* 0.9 s */,
							     .unused_ns = unused_ns};
	double share = placement_unused_share(&recording, &trials, &point);
	array_free(&recording.runs);
	return share;
}

TEST("idle cores are a share of the time in which cores ran the program or could have")
{
	CHECK_NEAR(share_of(POINT_THROUGHPUT, 100000000), 0.1, 1e-9);
	CHECK_EQUAL(share_of(POINT_THROUGHPUT, 0), 0);
	CHECK_EQUAL(share_of(POINT_LATENCY, 100000000), 0);
}

TEST("the error is a part of the smaller one: of the gain, or of the idle time")
{
	CHECK_NEAR(placement_error_of(0.1, 0.4), 0.025, 1e-9);
	CHECK_NEAR(placement_error_of(0.1, 0.02), 0.005, 1e-9);
	CHECK_NEAR(placement_error_of(0.1, -0.02), 0.005, 1e-9);
	CHECK_EQUAL(placement_error_of(0, 0.4), 0);
}

TEST("intervals reach up by the idle time, or by the most that the target can gain")
{
	CHECK_NEAR(placement_reach(0.1, 0.4), 0.1, 1e-9);
	CHECK_NEAR(placement_reach(0.1, 0.02), 0.02, 1e-9);
	CHECK_EQUAL(placement_reach(0.1, -0.02), 0);
}
