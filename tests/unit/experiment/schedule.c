/* SPDX-License-Identifier: BSD-2-Clause */
/* schedule - the same seed decides alike; every speedup has its target's controls around it. */
#include "check.h"

#include "experiment/schedule.h"

#include <stdlib.h>

#define WINDOWS 7000

static const double speedups[] = {0, 0.25, 0.5, 0.75, 1};

static struct schedule *schedule_made(uint64_t seed)
{
	return schedule_new(seed, speedups, 5);
}

static struct schedule_plan *draw(uint64_t seed, const double *weights, size_t targets)
{
	struct schedule *schedule = schedule_made(seed);
	struct schedule_plan *plans = calloc(WINDOWS, sizeof(*plans));

	for (int i = 0; i < WINDOWS; i++)
		CHECK(schedule_next(schedule, weights, targets, &plans[i]));
	schedule_free(schedule);
	return plans;
}

TEST("the same seed and weights give the same schedule, another seed another one")
{
	const double weights[] = {3, 1};
	struct schedule_plan *first = draw(1, weights, 2), *again = draw(1, weights, 2);
	struct schedule_plan *other = draw(2, weights, 2);
	bool alike = true, different = false;

	for (int i = 0; i < WINDOWS; i++) {
		alike = alike && first[i].target == again[i].target &&
			first[i].speedup == again[i].speedup;
		different = different || first[i].speedup != other[i].speedup;
	}
	CHECK(alike);
	CHECK(different);
	free(first);
	free(again);
	free(other);
}

TEST("every window at a speedup stands between two controls of its own target")
{
	const double weights[] = {3, 0, 1};
	struct schedule_plan *plans = draw(7, weights, 3);

	for (int i = 0; i < WINDOWS - 1; i++) {
		CHECK(plans[i].target != 1);
		if (plans[i].speedup <= 0)
			continue;
		CHECK(i > 0 && plans[i - 1].speedup <= 0 && plans[i + 1].speedup <= 0);
		CHECK(plans[i - 1].target == plans[i].target);
		CHECK(plans[i + 1].target == plans[i].target);
	}
	free(plans);
}

TEST("targets come by their weights, speedups equally often, controls half of the time")
{
	const double weights[] = {3, 1};
	struct schedule_plan *plans = draw(11, weights, 2);
	double first = 0, controls = 0, each[5] = {0};

	for (int i = 0; i < WINDOWS; i++) {
		first += plans[i].target == 0;
		controls += plans[i].speedup <= 0;
		each[(int)(plans[i].speedup * 4)]++;
	}
	CHECK_NEAR(first / WINDOWS, 0.75, 0.05);
	CHECK_NEAR(controls / WINDOWS, 0.53, 0.05);
	for (int i = 1; i < 5; i++)
		CHECK_NEAR(each[i] / (WINDOWS - controls), 0.25, 0.01);
	free(plans);
}

TEST("of many speedups a target's first windows have those that decide its rank, then all come")
{
	const double one[] = {1};
	double many[21], each[21] = {0};
	struct schedule_plan plan;

	for (int i = 0; i < 21; i++)
		many[i] = 0.05 * i;
	struct schedule *schedule = schedule_new(3, many, 21);
	for (int found = 0; found < 32 + 2 * 20;) {
		CHECK(schedule_next(schedule, one, 1, &plan));
		if (!(plan.speedup > 0))
			continue;
		int step = (int)(plan.speedup * 20 + 0.5);
		CHECK(found >= 32 || step % 5 == 0);
		each[step]++;
		found++;
	}
	for (int i = 1; i < 21; i++)
		CHECK_NEAR(each[i], i % 5 ? 2 : 10, 0);
	schedule_free(schedule);
}

TEST("without any positive weight there is no plan, and with one later there is")
{
	const double none[] = {0, 0}, one[] = {0, 2};
	struct schedule *schedule = schedule_made(3);
	struct schedule_plan plan;

	CHECK(!schedule_next(schedule, none, 2, &plan));
	CHECK(schedule_next(schedule, one, 2, &plan));
	CHECK_EQUAL(plan.target, 1);
	schedule_free(schedule);
}

TEST("only controls come when 0 is the only speedup")
{
	const double zero[] = {0}, weight[] = {1};
	struct schedule *schedule = schedule_new(5, zero, 1);
	struct schedule_plan plan;

	for (int i = 0; i < 50; i++) {
		CHECK(schedule_next(schedule, weight, 1, &plan));
		CHECK(plan.speedup <= 0);
	}
	schedule_free(schedule);
}
