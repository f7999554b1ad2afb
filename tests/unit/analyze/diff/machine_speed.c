/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of analyze/diff/machine_speed.h. */
#include "analyze/diff/machine_speed.h"
#include "check.h"

#include <math.h>

#define WAIT_NS 1e6
#define WORK_NS 4e5

/* A machine whose speed differs by some percent in each part. */
static const double drift[2][COST_PARTS] = {{0.00, 0.04, 0.02, -0.03, -0.01, 0.05},
					    {-0.02, 0.03, 0.01, 0.04, -0.04, 0.00}};

static struct machine_speed estimate(double drift_scale, bool waits, double noise)
{
	struct cost_part parts[2][COST_PARTS];
	const size_t counts[2] = {COST_PARTS, COST_PARTS};

	for (unsigned side = 0; side < 2; side++)
		for (unsigned i = 0; i < COST_PARTS; i++) {
			double slowness = exp(drift_scale * drift[side][i]);
			double other = exp(i % 2 ? noise : -noise);
			parts[side][i] = (struct cost_part){
				.period_ns = (waits ? WAIT_NS : 2 * WORK_NS * slowness) * other,
				.work_ns = WORK_NS * slowness,
			};
		}
	return machine_speed_of_parts(parts, counts);
}

TEST("a program that computes follows the machine's speed, and drift is no error")
{
	struct machine_speed speed = estimate(1, false, 0.001);

	CHECK_NEAR(speed.follow_rate, 1, 0.03);
	CHECK(speed.follow_error < 0.05);
	CHECK(speed.deviations[0] < 0.003 && speed.deviations[1] < 0.003);
}

TEST("one that waits for a clock does not follow it")
{
	struct machine_speed speed = estimate(1, true, 0.001);

	CHECK_NEAR(speed.follow_rate, 0, 0.03);
	CHECK(speed.follow_error < 0.05);
	CHECK(speed.deviations[0] < 0.003);
}

TEST("without drift to learn from, it may follow or not")
{
	struct machine_speed speed = estimate(0.001, true, 0.01);

	CHECK(speed.follow_rate - 1.96 * speed.follow_error < 0.01);
	CHECK(speed.follow_rate + 1.96 * speed.follow_error > 1);
	CHECK_NEAR(speed.deviations[1], 0.011, 0.002);
}

TEST("what differs between parts beside the speed stays an error")
{
	struct machine_speed speed = estimate(1, false, 0.02);

	CHECK_NEAR(speed.deviations[0], 0.02, 0.008);
	CHECK_NEAR(speed.deviations[1], 0.02, 0.008);
}
