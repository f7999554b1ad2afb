/* SPDX-License-Identifier: BSD-2-Clause */
/* interaction - a set's gain against the sum of its members'. */
#include "check.h"

#include "analyze/causal/interaction.h"

#define MOST 3

/* Targets 1 and 2, and the set 3 of both; each with one effect, a straight line. */
static struct recording recording;
static struct causal_target targets[MOST];
static struct causal_effect effects[MOST];
static struct effect_point points[MOST][5];
static struct recording_point point = {.id = 1, .name = (char *)"op"};
static struct causal causal = {.targets = targets, .count = MOST};

static void begin(void)
{
	static const char *const names[MOST] = {"a", "b", "a + b"};

	recording.targets.count = recording.members.count = 0;
	for (int i = 0; i < MOST; i++)
		*array_add(&recording.targets) = (struct recording_target){
			.id = i + 1,
			.kind = i == 2 ? TARGET_SET : TARGET_LINE,
			.name = (char *)(uintptr_t)names[i],
		};
	for (int i = 0; i < 2; i++)
		*array_add(&recording.members) =
			(struct recording_member){3, TARGET_LINE, (char *)(uintptr_t)names[i], 1};
}

static void end(void)
{
	array_free(&recording.targets);
	array_free(&recording.members);
}

/* The effect of one target: a gain of `slope` x speedup, with `half` of an interval. */
static void measure(int target, double slope, double half)
{
	for (int i = 0; i < 5; i++) {
		double speedup = 0.25 * i;
		points[target][i] = (struct effect_point){.speedup = speedup,
							  .gain = slope * speedup,
							  .low = slope * speedup - half,
							  .high = slope * speedup + half,
							  .error = half / 1.96,
							  .windows = 20};
	}
	effects[target] = (struct causal_effect){.point = &point,
						 .points = points[target],
						 .bare = points[target],
						 .slope_most = INFINITY,
						 .count = 5,
						 .outcome = slope * 0.25 > half ? EFFECT_GAIN :
										  EFFECT_UNSURE};
	targets[target] = (struct causal_target){.target = &recording.targets.items[target],
						 .effects = &effects[target],
						 .count = 1};
}

static struct interaction measure_all(double a, double b, double set, double half)
{
	measure(0, a, half);
	measure(1, b, half);
	measure(2, set, half);
	return interaction_of(&recording, &causal, &targets[2], &effects[2], 0.25);
}

TEST("members that gain nothing by themselves gain only together")
{
	begin();
	struct interaction found = measure_all(0, 0.02, 0.9, 0.01);
	CHECK_EQUAL(found.kind, INTERACTION_ONLY_TOGETHER);
	CHECK(found.is_measured);
	CHECK_NEAR(found.together, 0.225, 0.01);
	CHECK_NEAR(found.sum, 0.005, 0.01);
	CHECK(found.low > 0.18 && found.low < found.difference && found.high < 0.26);
	CHECK_TEXT(interaction_name(found.kind), "only_together");
	end();
}

TEST("sums, more and less than sums are told apart, and wide intervals tell nothing")
{
	begin();
	CHECK_EQUAL(measure_all(0.3, 0.2, 0.5, 0.01).kind, INTERACTION_ADDITIVE);
	CHECK_EQUAL(measure_all(0.3, 0.2, 0.9, 0.01).kind, INTERACTION_MORE);
	CHECK_EQUAL(measure_all(0.5, 0.5, 0.5, 0.01).kind, INTERACTION_LESS);
	CHECK_EQUAL(measure_all(0.1, 0.1, 0.2, 0.2).kind, INTERACTION_UNKNOWN);
	end();
}

TEST("a member that is sped up less is compared by what it gains then")
{
	begin();
	recording.members.items[0].level = 0.5;
	struct interaction found = measure_all(0.4, 0.2, 0.4, 0.01);
	CHECK_EQUAL(found.kind, INTERACTION_ADDITIVE);
	CHECK_NEAR(found.sum, 0.25 * (0.5 * 0.4 + 0.2), 0.01);
	end();
}

TEST("without a measurement of each member there is no interaction")
{
	begin();
	recording.targets.items[1].name = (char *)"c";
	CHECK(!measure_all(0.4, 0.2, 0.6, 0.01).is_measured);
	end();
}
