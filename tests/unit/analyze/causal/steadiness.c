/* SPDX-License-Identifier: BSD-2-Clause */
/* steadiness - phases and changing clocks are told, and told apart; noise is neither. */
#include "check.h"

#include "analyze/causal/steadiness.h"
#include "stats/random.h"

#define WINDOW_NS 80000000ull
#define CONTROLS 120
#define FUNCTION_ID 1

/* How the second half differs. */
struct difference {
	double period, work; /* factors */
	double share;        /* of the function, added */
	double line_share;   /* of its line */
	bool has_few_samples;
};

static double noise(struct random *random, double size)
{
	return 1 + size * 2 * (random_uniform(random) - 0.5);
}

static struct recording *recording_with(struct difference later, double size, uint64_t seed)
{
	struct recording *recording = memory_new(1, sizeof(*recording));
	struct random random = random_seeded(seed);

	*array_add(&recording->runs) = (struct recording_run){.id = 1, .kind = RUN_CAUSAL};
	*array_add(&recording->points) = (struct recording_point){.id = 1,
								  .kind = POINT_THROUGHPUT,
								  .name = text_copy("unit")};
	*array_add(&recording->totals) = (struct recording_total){1, 1, 1000};
	for (int id = 1; id <= 2; id++)
		*array_add(&recording->targets) = (struct recording_target){
			.id = id,
			.kind = id == FUNCTION_ID ? TARGET_FUNCTION : TARGET_LINE,
			.name = text_copy(id == FUNCTION_ID ? "work" : "work.c:12")};
	for (unsigned i = 0; i < CONTROLS; i++) {
		bool is_later = i >= CONTROLS / 2;
		bool is_disturbed = random_uniform(&random) < 0.1;
		double period_ns = 1e6 * noise(&random, size) * (is_disturbed ? 2 : 1) *
				   (is_later ? later.period : 1);
		double sampled_ns = (is_later ? later.work / later.period : 1) * WINDOW_NS;
		int64_t target_id = 1 + i % 2;
		double added = target_id == FUNCTION_ID ? later.share : later.line_share;
		double share = 0.4 + (is_later ? added : 0);
		double period = later.has_few_samples ? 20 * WINDOW_NS : WINDOW_NS / 100;
		struct recording_experiment *window = array_add(&recording->experiments);
		*window =
			(struct recording_experiment){.id = i + 1,
						      .run_id = 1,
						      .target_id = target_id,
						      .start_ns = 2 * i * WINDOW_NS,
						      .duration_ns = WINDOW_NS,
						      .sampled_ns = (uint64_t)sampled_ns,
						      .period_ns = (uint64_t)period,
						      .target_ns = (uint64_t)(sampled_ns * share)};
		*array_add(&window->visits) =
			(struct recording_visit){.point_id = 1,
						 .visits = WINDOW_NS / period_ns,
						 .duration_ns = WINDOW_NS};
	}
	return recording;
}

static struct steadiness told(struct difference later, double size, uint64_t seed)
{
	struct recording *recording = recording_with(later, size, seed);
	struct steadiness steadiness = steadiness_of(recording);

	recording_free(recording);
	return steadiness;
}

TEST("noise and disturbed windows are no change")
{
	for (uint64_t seed = 0; seed < 200; seed++)
		CHECK_EQUAL(told((struct difference){1, 1, 0, 0, false}, 0.1, seed).change, STEADY);
}

TEST("a phase with other work is told, with the time at which it begins")
{
	struct steadiness steadiness =
		told((struct difference){1.6, 1.6, 0.3, 0.3, false}, 0.05, 1);

	CHECK_EQUAL(steadiness.change, CHANGES_WORK);
	CHECK_NEAR(steadiness.at_ns, CONTROLS * (double)WINDOW_NS, 5.0 * 2 * WINDOW_NS);
	CHECK_NEAR(steadiness.after_ns / steadiness.before_ns, 1.6, 0.1);
}

TEST("a phase that waits longer is told, too")
{
	CHECK_EQUAL(told((struct difference){1.6, 1, 0, 0, false}, 0.05, 2).change, CHANGES_WORK);
}

TEST("the same work at a slower clock is told as that")
{
	struct steadiness steadiness = told((struct difference){1.5, 1.5, 0, 0, false}, 0.05, 3);

	CHECK_EQUAL(steadiness.change, CHANGES_CLOCK);
	CHECK_NEAR(steadiness.work_ratio, 1.5, 0.1);
}

TEST("a change by a tenth is none")
{
	CHECK_EQUAL(told((struct difference){1.1, 1.1, 0, 0, false}, 0.05, 4).change, STEADY);
}

TEST("a clock's interrupt may fall on another line of the same function")
{
	struct difference later = {1.5, 1.5, 0, 0.15, false};

	CHECK_EQUAL(told(later, 0.05, 5).change, CHANGES_CLOCK);
}

TEST("shares that differ by chance are no phase, as the samples are few")
{
	struct difference later = {1.5, 1.5, 0.15, 0, true};

	CHECK_EQUAL(told(later, 0.05, 6).change, CHANGES_CLOCK);
	later.has_few_samples = false;
	CHECK_EQUAL(told(later, 0.05, 6).change, CHANGES_WORK);
}
