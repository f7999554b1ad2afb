/* SPDX-License-Identifier: BSD-2-Clause */
/* sampled_location - time of a location that is watched late. */
#include "check.h"

#include "experiment/target/sampled_location.h"

TEST("a location that is watched from the start has the time that was counted")
{
	const struct sampled_location counted = {.samples = 9,
						 .sampled_ns = 900,
						 .baseline_sampled_ns = 300};
	struct sampled_location whole =
		sampled_location_whole(&counted, &(struct sampled_time){2000, 700});

	CHECK_EQUAL(whole.samples, 9);
	CHECK_EQUAL(whole.sampled_ns, 900);
	CHECK_EQUAL(whole.baseline_sampled_ns, 300);
}

TEST("one that is watched late had the same part of the time before")
{
	const struct sampled_location counted = {.samples = 9,
						 .sampled_ns = 900,
						 .baseline_sampled_ns = 300,
						 .missed = {1000, 300}};
	struct sampled_location whole =
		sampled_location_whole(&counted, &(struct sampled_time){3000, 900});

	CHECK_NEAR((double)whole.samples, 13, 1);
	CHECK_NEAR((double)whole.sampled_ns, 1350, 1);
	CHECK_NEAR((double)whole.baseline_sampled_ns, 450, 1);
}
