/* SPDX-License-Identifier: BSD-2-Clause */
/* phase_coverage - a gain that was measured in one of two phases may be another in the other. */
#include "check.h"

#include "analyze/causal/causal.h"
#include "stats/random.h"

#define WINDOW_NS 80000000ull
#define WINDOWS 240
#define SPEEDUP 0.25

/* Which windows of the two phases have a speedup, the others have none. */
struct plan {
	bool in_first, in_second, has_one_share;
};

static struct recording *recording_of(struct plan plan)
{
	struct recording *recording = memory_new(1, sizeof(*recording));
	struct random random = random_seeded(7);

	*array_add(&recording->runs) = (struct recording_run){.id = 1,
							      .kind = RUN_CAUSAL,
							      .baseline_ns = WINDOWS * WINDOW_NS};
	*array_add(&recording->points) = (struct recording_point){.id = 1,
								  .kind = POINT_THROUGHPUT,
								  .name = text_copy("unit")};
	*array_add(&recording->totals) = (struct recording_total){1, 1, 1000};
	*array_add(&recording->targets) = (struct recording_target){.id = 1,
								    .kind = TARGET_FUNCTION,
								    .name = text_copy("work")};
	for (unsigned i = 0; i < WINDOWS; i++) {
		bool is_second = i >= WINDOWS / 2;
		bool is_fast = i % 2 && (is_second ? plan.in_second : plan.in_first);
		double share = is_second || plan.has_one_share ? 0.8 : 0.4;
		double period_ns = (is_second ? 4e6 : 1e6) * (1 - (is_fast ? SPEEDUP * share : 0)) *
				   (0.98 + 0.04 * random_uniform(&random));
		uint64_t delay_ns = is_fast ? (uint64_t)(SPEEDUP * share * WINDOW_NS) : 0;
		/* Other programs take three quarters of the time, in place of a phase. */
		uint64_t sampled_ns = plan.has_one_share && is_second ? WINDOW_NS / 4 : WINDOW_NS;
		struct recording_experiment *window = array_add(&recording->experiments);
		*window = (struct recording_experiment){.id = i + 1,
							.run_id = 1,
							.target_id = 1,
							.speedup = is_fast ? SPEEDUP : 0,
							.start_ns = (i + 1) * WINDOW_NS,
							.duration_ns = WINDOW_NS,
							.delay_ns = delay_ns,
							.sampled_ns = sampled_ns,
							.period_ns = WINDOW_NS / 1000,
							.target_ns = (uint64_t)((double)sampled_ns *
										share)};
		*array_add(&window->visits) =
			(struct recording_visit){.point_id = 1,
						 .visits =
							 (double)(WINDOW_NS - delay_ns) / period_ns,
						 .duration_ns = WINDOW_NS,
						 .delay_ns = delay_ns};
	}
	*array_add(&recording->samples) =
		(struct recording_sample){.run_id = 1,
					  .target_id = 1,
					  .samples = 1000,
					  .sampled_ns = WINDOWS * WINDOW_NS * 6 / 10,
					  .baseline_sampled_ns = WINDOWS * WINDOW_NS * 6 / 10};
	return recording;
}

static struct effect_point told(struct plan plan)
{
	struct recording *recording = recording_of(plan);
	struct causal *causal = causal_new(recording);
	struct effect_point point = {0};

	CHECK_EQUAL(causal->steadiness.change, CHANGES_WORK);
	CHECK(causal->count == 1 && causal->targets[0].count == 1);
	if (causal->count == 1 && causal->targets[0].count == 1) {
		const struct causal_effect *effect = &causal->targets[0].effects[0];
		for (size_t i = 0; i < effect->count; i++)
			if (effect->points[i].speedup > 0)
				point = effect->points[i];
	}
	causal_free(causal);
	recording_free(recording);
	return point;
}

TEST("a gain that was measured in one phase has an interval that holds the mean over both")
{
	struct effect_point first = told((struct plan){true, false, false});
	struct effect_point second = told((struct plan){false, true, false});

	CHECK_NEAR(first.gain, 0.10, 0.02);
	CHECK(first.high > 0.15);
	CHECK_NEAR(second.gain, 0.20, 0.02);
	CHECK(second.low < 0.15);
}

TEST("a gain that was measured in both phases alike is as sure as ever")
{
	struct effect_point both = told((struct plan){true, true, false});

	CHECK_NEAR(both.gain, 0.15, 0.02);
	CHECK(both.high - both.low < 0.09);
}

TEST("no phase begins where the machine gives less time and the target's share stays")
{
	struct effect_point first = told((struct plan){true, false, true});

	CHECK_NEAR(first.gain, 0.20, 0.02);
	CHECK(first.high - first.low < 0.09);
}
