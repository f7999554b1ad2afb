/* SPDX-License-Identifier: BSD-2-Clause */
/* live_estimate - the targets with the highest gains so far, in order. */
#include "check.h"

#include "experiment/live_estimate.h"

#define MS 1000000ull
#define WINDOWS 24
#define POINTS_MOST 9

/* Windows of a target whose speedup by s makes everything faster by `slope` times s. */
static void add(struct live_estimate *estimate, int64_t target, int64_t point_id, double slope,
		bool has_speedups)
{
	for (unsigned i = 0; i < WINDOWS; i++) {
		double speedup = has_speedups && i % 2 ? 0.25 * (1 + i / 2 % 4) : 0;
		double noise = 1 + 0.001 * ((i * 7) % 5 - 2.0);
		struct recording_experiment experiment = {
			.target_id = target,
			.speedup = speedup,
			.start_ns = (i + 1) * 100 * MS,
			.duration_ns = 100 * MS,
		};
		struct recording_visit visit = {
			.point_id = point_id,
			.visits = 1000 / ((1 - slope * speedup) * noise),
			.duration_ns = 100 * MS,
		};
		live_estimate_add(estimate, &experiment, POINT_THROUGHPUT, false, &visit);
	}
}

static size_t best_of(const struct live_estimate *estimate, size_t most, int64_t targets[])
{
	struct live_estimate_best best[POINTS_MOST];
	size_t count = live_estimate_best(estimate, best, most);

	for (size_t i = 0; i < count; i++)
		targets[i] = best[i].target_id;
	return count;
}

TEST("the best targets come first, each once, and no more than asked for")
{
	struct live_estimate *estimate = live_estimate_new();
	int64_t targets[POINTS_MOST];

	CHECK_EQUAL(best_of(estimate, 3, targets), 0);
	add(estimate, 1, 1, 0.2, true);
	add(estimate, 2, 1, 0.5, true);
	add(estimate, 3, 1, 0.1, true);
	add(estimate, 4, 1, 0.3, true);
	CHECK_EQUAL(best_of(estimate, 3, targets), 3);
	CHECK(targets[0] == 2 && targets[1] == 4 && targets[2] == 1);
	CHECK_EQUAL(best_of(estimate, 1, targets), 1);
	CHECK_EQUAL(targets[0], 2);
	CHECK_EQUAL(best_of(estimate, POINTS_MOST, targets), 4);
	CHECK_EQUAL(targets[3], 3);
	live_estimate_free(estimate);
}

TEST("a target stands at the point at which its gain is surest")
{
	struct live_estimate *estimate = live_estimate_new();
	struct live_estimate_best best[3];

	add(estimate, 1, 1, 0.1, true);
	add(estimate, 2, 1, 0.3, true);
	add(estimate, 3, 1, 0.2, true);
	add(estimate, 1, 2, 0.5, true);  /* from the last place to the first */
	add(estimate, 2, 2, 0.05, true); /* worse than at its first point */
	CHECK_EQUAL(live_estimate_best(estimate, best, 3), 3);
	CHECK(best[0].target_id == 1 && best[0].point_id == 2);
	CHECK(best[1].target_id == 2 && best[1].point_id == 1);
	CHECK_EQUAL(best[2].target_id, 3);
	CHECK_NEAR(best[0].at_quarter.gain, 0.125, 0.01);
	CHECK_EQUAL(best[0].points, 5);
	CHECK(best[0].widest > 0 && best[0].widest < 0.05);
	live_estimate_free(estimate);
}

TEST("a target without windows at a speedup takes no place")
{
	struct live_estimate *estimate = live_estimate_new();
	int64_t targets[POINTS_MOST];

	add(estimate, 1, 1, 0, false);
	CHECK_EQUAL(best_of(estimate, 3, targets), 0);
	add(estimate, 2, 1, 0.2, true);
	CHECK_EQUAL(best_of(estimate, 3, targets), 1);
	CHECK_EQUAL(targets[0], 2);
	live_estimate_free(estimate);
}

/* Windows in which a visit takes a tenth less work while something is faster. */
static unsigned level_of(bool are_requests)
{
	struct live_estimate *estimate = live_estimate_new();
	bool is_undecided;

	for (unsigned i = 0; i < WINDOWS; i++) {
		double noise = 1 + 0.001 * ((i * 7) % 5 - 2.0);
		struct recording_experiment experiment = {
			.target_id = 1,
			.speedup = i % 2 ? 0.75 : 0,
			.start_ns = (i + 1) * 100 * MS,
			.duration_ns = 100 * MS,
			.sampled_ns = (uint64_t)((i % 2 ? 90 : 100) * noise * MS),
		};
		struct recording_visit visit = {.point_id = 1,
						.visits = 1000 * noise,
						.duration_ns = 100 * MS};
		live_estimate_add(estimate, &experiment, POINT_THROUGHPUT, are_requests, &visit);
	}
	unsigned level = live_estimate_warm_up_level(estimate, 1, 0.75, &is_undecided);
	live_estimate_free(estimate);
	return level;
}

TEST("less work for a visit tells of a queue that empties, but not where visits are requests")
{
	CHECK(level_of(false) > 0);
	CHECK_EQUAL(level_of(true), 0);
}
