/* SPDX-License-Identifier: BSD-2-Clause */
/* verdict - at which speedup a gain is told. */
#include "report/causal/verdict.h"

#include "check.h"

#include <math.h>

static struct target_verdict verdict_with(const struct effect_point *points, size_t count)
{
	static struct recording_point throughput = {.kind = POINT_THROUGHPUT};
	struct causal_target target = {0};
	struct causal_effect effect = {.point = &throughput,
				       .points = (struct effect_point *)(uintptr_t)points,
				       .bare = (struct effect_point *)(uintptr_t)points,
				       .slope_most = INFINITY,
				       .count = count,
				       .outcome = EFFECT_GAIN,
				       .tendency = 1};

	return verdict_of(&target, &effect);
}

TEST("a gain that is sure at 25 % is told there")
{
	static const struct effect_point points[] = {
		{.speedup = 0.25, .gain = 0.1, .low = 0.08, .high = 0.12, .error = 0.01},
		{.speedup = 0.5, .gain = 0.2, .low = 0.18, .high = 0.22, .error = 0.01},
		{.speedup = 1, .gain = 0.4, .low = 0.38, .high = 0.42, .error = 0.01},
	};
	struct target_verdict verdict = verdict_with(points, 3);

	CHECK_NEAR(verdict.at.speedup, 0.25, 0);
	CHECK(verdict.is_measured);
}

TEST("a gain that is sure only above is told by the curve, and not by the point that is too high")
{
	static const struct effect_point points[] = {
		{.speedup = 0.25, .gain = 0.005, .low = -0.015, .high = 0.025, .error = 0.01},
		{.speedup = 0.5, .gain = 0.01, .low = -0.01, .high = 0.03, .error = 0.01},
		{.speedup = 0.6, .gain = 0.05, .low = 0.03, .high = 0.07, .error = 0.01},
		{.speedup = 0.75, .gain = 0.015, .low = -0.005, .high = 0.035, .error = 0.01},
		{.speedup = 1, .gain = 0.024, .low = 0.004, .high = 0.044, .error = 0.01},
	};
	struct target_verdict verdict = verdict_with(points, 5);

	CHECK(verdict.at.speedup > 0.25 && verdict.at.low > 0);
	CHECK(verdict.at.gain < 0.04);
	CHECK(verdict.at.speedup < 0.55 || verdict.at.speedup > 0.65);
}
