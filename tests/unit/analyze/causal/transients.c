/* SPDX-License-Identifier: BSD-2-Clause */
/* transients - parts of windows in which queues still fill or empty are found and left out. */
#include "check.h"

#include "analyze/causal/causal.h"
#include "stats/random.h"

#define PART_NS 10000000ull
#define UNIT_NS 100000.0
#define WINDOWS 120
#define POINT 1

/* Visits in each eighth; `hurried` eighths have visits that are `haste` times as short. */
static void add_window(struct recording *recording, double speedup, unsigned hurried, double haste,
		       struct random *random)
{
	struct recording_experiment *window = array_add(&recording->experiments);
	double visits = 0, noise = 1 + 0.01 * (random_uniform(random) - 0.5);

	*window = (struct recording_experiment){
		.id = (int64_t)recording->experiments.count,
		.run_id = 1,
		.target_id = 1,
		.speedup = speedup,
		.start_ns = (recording->experiments.count + 1) * 10 * PART_NS,
		.duration_ns = RECORDING_PARTS * PART_NS,
		.sampled_ns = RECORDING_PARTS * PART_NS,
		.target_ns = RECORDING_PARTS * PART_NS / 2,
		.delay_ns = (uint64_t)(speedup * 0.4 * RECORDING_PARTS * PART_NS)};
	for (unsigned part = 1; part <= RECORDING_PARTS; part++) {
		double unit_ns = UNIT_NS * noise * (part <= hurried ? 1 / haste : 1) *
				 (1 + 0.02 * (random_uniform(random) - 0.5));
		uint64_t delay_ns = window->delay_ns * part / RECORDING_PARTS;
		visits += PART_NS / unit_ns;
		if (part < RECORDING_PARTS)
			*array_add(&window->marks) =
				(struct recording_mark){.point_id = POINT,
							.number = part,
							.visits = visits,
							.duration_ns = part * PART_NS,
							.delay_ns = delay_ns,
							.elapsed_ns = part * PART_NS,
							.sampled_ns = (uint64_t)(visits * UNIT_NS)};
	}
	window->sampled_ns = (uint64_t)(visits * UNIT_NS); /* a visit takes the same work */
	window->target_ns = window->sampled_ns / 2;
	*array_add(&window->visits) =
		(struct recording_visit){.point_id = POINT,
					 .visits = visits,
					 .duration_ns = RECORDING_PARTS * PART_NS,
					 .delay_ns = window->delay_ns};
}

static struct recording *recording_with(unsigned hurried, double haste)
{
	struct recording *recording = memory_new(1, sizeof(*recording));
	struct random random = random_seeded(7);

	*array_add(&recording->runs) = (struct recording_run){.id = 1,
							      .period_ns = 250000,
							      .kind = RUN_CAUSAL,
							      .finished = true};
	*array_add(&recording->points) = (struct recording_point){.id = POINT,
								  .kind = POINT_THROUGHPUT,
								  .name = text_copy("unit")};
	*array_add(&recording->targets) = (struct recording_target){.id = 1,
								    .kind = TARGET_LINE,
								    .name = text_copy("work.c:12")};
	for (unsigned i = 0; i < WINDOWS; i++)
		add_window(recording, i % 2 ? 0.5 : 0, i % 2 ? hurried : 0, haste, &random);
	return recording;
}

/* The gain at 50 %; pauses alone give 1 - (1 - 0.2) = 20 %. */
static double gain_of(const struct causal *causal)
{
	const struct causal_effect *effect = &causal->targets[0].effects[0];
	return effect->points[effect->count - 1].gain;
}

TEST("windows without a trend count as a whole")
{
	struct recording *recording = recording_with(0, 1);
	struct causal *causal = causal_new(recording);

	CHECK_EQUAL(causal->targets[0].count, 1);
	for (unsigned bin = 0; bin < WARM_UP_BINS; bin++)
		CHECK_EQUAL(causal->targets[0].effects[0].transients.cuts[bin], 0);
	CHECK(fabs(gain_of(causal) - 0.2) < 0.005);
	causal_free(causal);
	recording_free(recording);
}

TEST("where visits hurry at the begin of windows at a speedup, that part is left out there alone")
{
	struct recording *recording = recording_with(4, 1.4);
	struct causal *causal = causal_new(recording);
	const struct transients *transients = &causal->targets[0].effects[0].transients;

	CHECK_EQUAL(transients->cuts[2], 4);
	CHECK_EQUAL(transients->cuts[0], 0);
	CHECK(fabs(gain_of(causal) - 0.2) < 0.01);
	causal_free(causal);
	recording_free(recording);
}

TEST("a file without marks is read as before")
{
	struct recording *recording = recording_with(4, 1.4);

	for (size_t i = 0; i < recording->experiments.count; i++)
		recording->experiments.items[i].marks.count = 0;
	struct causal *causal = causal_new(recording);
	CHECK_EQUAL(causal->targets[0].effects[0].transients.cuts[2], 0);
	CHECK(gain_of(causal) > 0.3);
	causal_free(causal);
	recording_free(recording);
}

TEST("the budget of variance adds up to the squared error, and names what is largest")
{
	struct recording *recording = recording_with(0, 1);
	struct causal *causal = causal_new(recording);
	const struct causal_effect *effect = &causal->targets[0].effects[0];
	size_t widest = budget_widest(effect);

	CHECK(widest < effect->count);
	double error = effect->points[widest].error;
	CHECK(fabs(budget_total(&effect->budgets[widest]) - error * error) < 0.01 * error * error);
	CHECK_EQUAL(budget_most(&effect->budgets[widest]), BUDGET_METHOD);
	CHECK(effect->budgets[widest].variances[BUDGET_UNITS] > 0);
	causal_free(causal);
	recording_free(recording);
}
