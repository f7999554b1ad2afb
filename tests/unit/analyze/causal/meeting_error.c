/* SPDX-License-Identifier: BSD-2-Clause */
/* meeting_error - an error that is a part of the gain widens intervals, and leaves the rest. */
#include "check.h"

#include "analyze/causal/certainty.h"
#include "analyze/causal/meeting_error.h"

#include <math.h>

#define POINTS 4

/* As `openat` of a server: docs/decisions.md, "An error that is a part of the gain". */
static void effect_make(struct causal_effect *effect, const struct recording_point *point,
			struct effect_point points[2 * POINTS], double hand_over_error)
{
	static const double gains[POINTS] = {0.065, 0.102, 0.113, 0.148};

	for (int i = 0; i < POINTS; i++)
		points[i] = (struct effect_point){.speedup = 0.25 * (i + 1),
						  .gain = gains[i],
						  .low = gains[i] - 0.03,
						  .high = gains[i] + 0.03,
						  .error = 0.015,
						  .shared = 0.008,
						  .windows = 8};
	*effect = (struct causal_effect){.point = point,
					 .points = points,
					 .bare = points + POINTS,
					 .count = POINTS,
					 .hand_over_error = hand_over_error,
					 .crowding_error = 0.1,
					 .slope_most = INFINITY};
	meeting_error_add(effect);
}

TEST("points get the error, bare points do not")
{
	const struct recording_point point = {.id = 1};
	struct effect_point points[2 * POINTS];
	struct causal_effect effect;

	effect_make(&effect, &point, points, 0.25);
	CHECK_NEAR(meeting_error_of(&effect, 0.5, 0.1), 0.1 * hypot(0.25, 0.1), 1e-9);
	CHECK_NEAR(effect.bare[3].error, 0.015, 1e-9);
	CHECK_NEAR(effect.points[3].error, hypot(0.015, 0.148 * hypot(0.25, 0.1)), 1e-9);
}

TEST("a curve with it goes through the points, and its interval keeps the sign")
{
	const struct recording_point point = {.id = 1};
	struct effect_point points[2 * POINTS], at;
	struct causal_effect effect;

	effect_make(&effect, &point, points, 0.25);
	CHECK(!certainty_effect_at(&effect, 0.25, &at));
	CHECK(at.gain > 0.045 && at.gain < 0.065);
	CHECK(at.low > 0 && at.high > 0.08);
}

static enum effect_outcome outcome_of(double hand_over_error)
{
	const struct recording_point point = {.id = 1};
	struct effect_point points[2 * POINTS];
	struct causal_effect effect;
	struct causal_target target = {.effects = &effect, .count = 1};
	struct causal causal = {.targets = &target, .count = 1};
	const struct recording_target place = {.id = 1};

	target.target = &place;
	effect_make(&effect, &point, points, hand_over_error);
	certainty_judge(&causal);
	return effect.outcome;
}

TEST("an effect is as sure as without that error, unless it leaves no interval without zero")
{
	CHECK_EQUAL(outcome_of(0), EFFECT_GAIN);
	CHECK_EQUAL(outcome_of(0.45), EFFECT_GAIN);
	CHECK_EQUAL(outcome_of(10), EFFECT_UNSURE);
}
