/* SPDX-License-Identifier: BSD-2-Clause */
/* external_pacing - externally paced visits are found, and their apparent gain is taken off. */
#include "check.h"

#include "analyze/causal/causal.h"

#define WALL_NS 100000000u
#define PAUSED_OUTSIDE 0.25

/* Target 1 is a line, target 2 external pacing. */
static struct recording *recording_new(void)
{
	struct recording *recording = memory_new(1, sizeof(*recording));

	*array_add(&recording->runs) = (struct recording_run){.id = 1};
	*array_add(&recording->targets) =
		(struct recording_target){.id = 1, .name = text_copy("t")};
	*array_add(&recording->targets) = (struct recording_target){.id = 2,
								    .kind = TARGET_EXTERNAL,
								    .name = text_copy("outside")};
	*array_add(&recording->points) = (struct recording_point){.id = 1,
								  .kind = POINT_THROUGHPUT,
								  .name = text_copy("op")};
	return recording;
}

/*
 * A window that pauses for `share` of its time, with visits at two rates: by wall time and by
 * effective time.
 */
static void add(struct recording *recording, int64_t target_id, double speedup, double paused,
		double by_wall, double by_effective)
{
	size_t number = recording->experiments.count;
	struct recording_experiment *experiment = array_add(&recording->experiments);
	double noise = 1 + 0.001 * ((double)(number * 7 % 5) - 2) / 2;

	*experiment = (struct recording_experiment){.id = (int64_t)number + 1,
						    .run_id = 1,
						    .target_id = target_id,
						    .speedup = speedup,
						    .start_ns = number * 200000000u,
						    .duration_ns = WALL_NS,
						    .delay_ns = (uint64_t)(paused * WALL_NS),
						    .verdict = VERDICT_COUNTED};
	*array_add(&experiment->visits) = (struct recording_visit){
		.point_id = 1,
		.visits = noise * (by_wall + by_effective * (1 - paused)),
		.duration_ns = WALL_NS,
		.delay_ns = experiment->delay_ns,
	};
}

/* The line's speedup of 0.5 pauses the rest for 0.4 of the time, and raises the second rate. */
static struct causal *causal_of(struct recording *recording, double by_wall, double by_effective,
				double raised)
{
	for (unsigned i = 0; i < 10; i++) {
		add(recording, 1, 0, 0, by_wall, by_effective);
		add(recording, 1, 0.5, 0.4, by_wall, raised);
		add(recording, 2, 0, 0, by_wall, by_effective);
		add(recording, 2, PAUSED_OUTSIDE, PAUSED_OUTSIDE, by_wall, by_effective);
	}
	add(recording, 1, 0, 0, by_wall, by_effective);
	return causal_new(recording);
}

static const struct effect_point *last_of(const struct causal_effect *effect)
{
	return &effect->points[effect->count - 1];
}

TEST("a program paced by a clock gains nothing")
{
	struct recording *recording = recording_new();
	struct causal *causal = causal_of(recording, 1000, 0, 0);

	CHECK_EQUAL(causal->count, 1); /* external pacing is no target */
	CHECK_EQUAL(causal->experiments, 21);
	const struct causal_effect *effect = &causal->targets[0].effects[0];
	CHECK_NEAR(effect->external_pacing.share, 1, 0.01);
	CHECK_NEAR(effect->external_pacing.gain, 0.25, 0.003);
	CHECK_NEAR(last_of(effect)->gain, 0, 0.005);
	CHECK(last_of(effect)->low < 0 && last_of(effect)->high > 0);
	causal_free(causal);
	recording_free(recording);
}

TEST("where few windows suggest a clock, the interval reaches down to what is left without it")
{
	struct recording *recording = recording_new();

	for (unsigned i = 0; i < 10; i++) {
		add(recording, 1, 0, 0, 600, 400);
		add(recording, 1, 0.5, 0.4, 600, 400);
	}
	for (unsigned i = 0; i < 3; i++) {
		add(recording, 2, 0, 0, 600, 400);
		add(recording, 2, PAUSED_OUTSIDE, PAUSED_OUTSIDE, i ? 680 : 400, 400);
	}
	add(recording, 2, 0, 0, 600, 400);
	struct causal *causal = causal_new(recording);
	const struct causal_effect *effect = &causal->targets[0].effects[0];
	CHECK_NEAR(effect->external_pacing.share, 0, 1e-9);
	CHECK(effect->external_pacing.suspected > EXTERNAL_PACING_SUSPECTED);
	CHECK(last_of(effect)->gain > 0.2);
	CHECK(last_of(effect)->low < 0.1);
	causal_free(causal);
	recording_free(recording);
}

/* Three windows tell a share of 0.1 on average, far from sure: the lower end of a gain of 0.08. */
static double low_of(const char *name)
{
	struct recording *recording = recording_new();

	recording->targets.items[0].kind = TARGET_SYSTEM_CALL;
	free(recording->targets.items[0].name);
	recording->targets.items[0].name = text_copy(name);
	for (unsigned i = 0; i < 10; i++) {
		add(recording, 1, 0, 0, 90, 910);
		add(recording, 1, 0.5, 0.5, 90, 910);
	}
	for (unsigned i = 0; i < 3; i++) {
		add(recording, 2, 0, 0, 60, 940);
		add(recording, 2, PAUSED_OUTSIDE, PAUSED_OUTSIDE, i ? 95 : 20, 940);
	}
	add(recording, 2, 0, 0, 60, 940);
	struct causal *causal = causal_new(recording);
	double low = last_of(&causal->targets[0].effects[0])->low;
	causal_free(causal);
	recording_free(recording);
	return low;
}

TEST("where windows hint at a clock, the interval of a sleep reaches down for it")
{
	CHECK(low_of("syscall:clock_nanosleep") < 0);
	CHECK(low_of("syscall:read") > 0);
}

TEST("of two streams of visits the one paced by a clock gains nothing")
{
	struct recording *recording = recording_new();
	struct causal *causal = causal_of(recording, 400, 600, 1200);
	const struct causal_effect *effect = &causal->targets[0].effects[0];

	CHECK_NEAR(effect->external_pacing.share, 0.4, 0.01);
	CHECK_NEAR(last_of(effect)->gain, 1 - 1000.0 / 1600, 0.005);
	causal_free(causal);
	recording_free(recording);
}

TEST("gains of a program that sets its own pace stay as they are")
{
	struct recording *recording = recording_new();
	struct causal *causal = causal_of(recording, 0, 1000, 1250);
	const struct causal_effect *effect = &causal->targets[0].effects[0];

	CHECK_NEAR(effect->external_pacing.share, 0, 0);
	CHECK_NEAR(last_of(effect)->gain, 0.2, 0.003);
	causal_free(causal);
	recording_free(recording);
}

TEST("a share that may be chance is 0")
{
	struct recording *recording = recording_new();
	struct causal *causal = causal_of(recording, 50, 950, 1187);
	const struct causal_effect *effect = &causal->targets[0].effects[0];

	CHECK_NEAR(effect->external_pacing.share, 0, 0);
	CHECK_NEAR(external_pacing_of(recording, &recording->points.items[0]).error, 0, 0);
	causal_free(causal);
	recording_free(recording);
}

TEST("where pauses slow the program down, intervals reach up, and gains stay")
{
	struct recording *recording = recording_new();

	for (unsigned i = 0; i < 10; i++) {
		add(recording, 1, 0, 0, 0, 1000);
		add(recording, 1, 0.5, 0.4, 0, 1100);
		add(recording, 2, 0, 0, 0, 1000);
		add(recording, 2, PAUSED_OUTSIDE, PAUSED_OUTSIDE, 0, 800);
	}
	add(recording, 1, 0, 0, 0, 1000);
	struct causal *causal = causal_new(recording);
	const struct causal_effect *effect = &causal->targets[0].effects[0];
	CHECK_NEAR(effect->external_pacing.share, 0, 1e-9);
	CHECK_NEAR(effect->external_pacing.suspected, -0.6, 0.01);
	CHECK_NEAR(last_of(effect)->gain, 1 - 1000.0 / 1100, 0.005);
	CHECK(last_of(effect)->low > 0.05);
	CHECK(last_of(effect)->high > 0.3); /* 1100 becomes 1100 + 0.6 * 1000 * 2 / 3 */
	causal_free(causal);
	recording_free(recording);
}

TEST("a corrected window lies between its rates by wall time and by effective time")
{
	CHECK_NEAR(external_pacing_period(100, 0.5, 1), 200, 1e-9);
	CHECK_NEAR(external_pacing_period(100, 0.5, 0), 100, 1e-9);
	CHECK_NEAR(external_pacing_period(100, 0.5, 0.004), 1 / (0.01 - 0.004), 1e-9);
}

TEST("where pauses slow a program down, it lies above its rate, by no more than the pauses")
{
	CHECK_NEAR(external_pacing_period(100, 0.5, -0.004), 1 / (0.01 + 0.004), 1e-9);
	CHECK_NEAR(external_pacing_period(100, 0.5, -1), 50, 1e-9);
}

TEST("where pauses leave little time, an interval reaches up to the gain of all visits")
{
	const struct external_pacing half = {.share = 0.5}, all = {.share = 1};

	CHECK_NEAR(external_pacing_squeezed(&half, 0.5, 0.5, 1), 0.5, 1e-9);
	CHECK_NEAR(external_pacing_squeezed(&half, 0.5, 0.25, 1), 1 - 1 / (2 + 1.5), 1e-9);
	CHECK_NEAR(external_pacing_squeezed(&all, 0, 0.25, 1), 0, 1e-9);
}

/* Two busy cores; visits come by effective time, and sooner while the program pauses. */
static struct external_pacing pacing_of_busy(double by_pauses, double work_by_pauses)
{
	struct recording *recording = recording_new();
	const struct recording_point *point = &recording->points.items[0];

	for (unsigned i = 0; i < 6; i++) {
		add(recording, 2, 0, 0, 0, 1000);
		add(recording, 2, PAUSED_OUTSIDE, PAUSED_OUTSIDE, 0, 1000 * by_pauses);
	}
	add(recording, 2, 0, 0, 0, 1000);
	for (size_t i = 0; i < recording->experiments.count; i++) {
		struct recording_experiment *experiment = &recording->experiments.items[i];
		bool is_paused = experiment->speedup > 0;
		experiment->sampled_ns = (uint64_t)(experiment->visits.items[0].visits * 1000 *
						    (is_paused ? work_by_pauses : 1));
	}
	struct external_pacing pacing = external_pacing_of(recording, point);
	recording_free(recording);
	return pacing;
}

TEST("visits that take less CPU time while the program pauses are not surely paced by a clock")
{
	struct external_pacing paced = pacing_of_busy(1.12, 1),
			       cheaper = pacing_of_busy(1.12, 0.89);

	CHECK(paced.share > 0.3);
	CHECK_NEAR(paced.suspected, 0, 1e-9);
	CHECK_NEAR(cheaper.share, 0, 1e-9);
	CHECK(cheaper.suspected > 0.3);
	CHECK(pacing_of_busy(1 / 0.75, 0.75).share > 0.9); /* polls a clock */
}
