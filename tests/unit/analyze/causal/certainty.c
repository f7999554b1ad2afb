/* SPDX-License-Identifier: BSD-2-Clause */
/* certainty - what bounds of the charge leave of a point's interval. */
#include "check.h"

#include "analyze/causal/certainty.h"

#include <math.h>

#define PAIRS 2
#define SPEEDUP 0.5
#define PAUSE_NS 5000000

/* Controls of 100 us for each visit, windows at SPEEDUP of `fast_ns`; their periods scatter. */
static struct recording *scattered(uint64_t period_ns, uint64_t fast_ns, uint64_t unused_ns)
{
	static const double scatter[2 * PAIRS + 1] = {-0.9, 0, 0.9, -0.45, 0.45};
	struct recording *recording = memory_new(1, sizeof(*recording));

	*array_add(&recording->runs) = (struct recording_run){.id = 1,
							      .samples = 4000,
							      .sampled_ns = 1000000000,
							      .unused_ns = unused_ns,
							      .period_ns = period_ns};
	*array_add(&recording->targets) =
		(struct recording_target){.id = 1, .name = text_copy("t")};
	*array_add(&recording->points) = (struct recording_point){.id = 1,
								  .kind = POINT_THROUGHPUT,
								  .name = text_copy("op")};
	for (size_t i = 0; i < 2 * PAIRS + 1; i++) {
		bool is_fast = i % 2;
		uint64_t delay_ns = is_fast ? PAUSE_NS : 0;
		uint64_t duration_ns = delay_ns + 1000 * (is_fast ? fast_ns : 100000);
		double visits = 1000 / (1 + scatter[i]);
		struct recording_experiment *experiment = array_add(&recording->experiments);
		*experiment = (struct recording_experiment){
			.id = (int64_t)i + 1,
			.run_id = 1,
			.target_id = 1,
			.speedup = is_fast ? SPEEDUP : 0,
			.start_ns = i * 200000000,
			.duration_ns = duration_ns,
			.delay_ns = delay_ns,
			.target_ns = 60000000,
			.sampled_ns = (uint64_t)(100000 * visits),
			.verdict = VERDICT_COUNTED,
		};
		*array_add(&experiment->visits) =
			(struct recording_visit){1, visits, duration_ns, delay_ns, 0};
	}
	return recording;
}

TEST("an interval reaches no further down than a loss by contention may, also without a charge")
{
	for (int knows_charge = 1; knows_charge >= 0; knows_charge--) {
		struct recording *recording = scattered(knows_charge ? 250000 : 0, 40000, 0);
		struct causal *causal = causal_new(recording);
		const struct causal_effect *effect = &causal->targets[0].effects[0];
		const struct effect_point *point = &effect->points[effect->count - 1];
		double most = knows_charge ? effect->slope_most : 1;
		CHECK(isfinite(effect->slope_most) == knows_charge);
		CHECK_EQUAL(effect->exceeds_charge, 0);
		CHECK_NEAR(point->low, -CERTAINTY_LOSS_MOST * most * SPEEDUP, 1e-9);
		CHECK(point->gain <= most * SPEEDUP + 1e-9 || !knows_charge);
		CHECK(point->high >= point->gain && point->high <= 1);
		causal_free(causal);
		recording_free(recording);
	}
}

/* Of the point at SPEEDUP; `most`: by the charge. */
static struct effect_point without_gain(uint64_t unused_ns, double *most)
{
	struct recording *recording = scattered(250000, 100000, unused_ns);
	struct causal *causal = causal_new(recording);
	const struct causal_effect *effect = &causal->targets[0].effects[0];
	struct effect_point point = effect->points[effect->count - 1];

	*most = effect->slope_most * SPEEDUP;
	causal_free(causal);
	recording_free(recording);
	return point;
}

TEST("idle cores beside waiting tasks are a gain that may come, also where pauses show none")
{
	double most;
	struct effect_point busy = without_gain(0, &most);
	struct effect_point idle = without_gain(10000000, &most); /* 1 % of the time */
	CHECK_NEAR(idle.gain, busy.gain, 1e-9);
	CHECK(idle.high > busy.high + 0.008);
	idle = without_gain(1000000000, &most); /* half of the time: more than the target has */
	CHECK_NEAR(idle.high, fmin(1, busy.high + fmin(0.5, most)), 0.005);
}
