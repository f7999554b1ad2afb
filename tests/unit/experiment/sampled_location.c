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

/* Samples of 1 ms, by turns of threads that run at the same time, for a second. */
static double alone_share(unsigned threads)
{
	struct sampled_location location = {0};
	double alone_ns = 0;

	for (uint64_t i = 0; i < 1000u * threads; i++)
		alone_ns += (double)sampled_location_alone(&location, 100 + (uint32_t)(i % threads),
							   i * 1000000 / threads, 1000000);
	return alone_ns / 1e9;
}

TEST("threads that are in a target at once are one core's time")
{
	CHECK_NEAR(alone_share(1), 1, 0.01);
	CHECK_NEAR(alone_share(2), 1, 0.01);
	CHECK_NEAR(alone_share(8), 1, 0.02);
}

TEST("threads that are in a target one after the other are each its whole time")
{
	struct sampled_location location = {0};
	double alone_ns = 0;

	for (uint64_t i = 0; i < 1000; i++)
		alone_ns += (double)sampled_location_alone(&location, i < 500 ? 7 : 8, i * 1000000,
							   1000000);
	CHECK_NEAR(alone_ns / 1e9, 1, 0.01);
}
