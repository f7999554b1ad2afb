/* SPDX-License-Identifier: BSD-2-Clause */
/* unit_choice - those of the counted places are units that are passed steadily, and by much. */
#include "check.h"

#include "experiment/progress/unit_choice.h"

#define SLICE_NS 50000000u

/* Calls in each slice: `even`, and `odd` in every other one. */
static struct unit_candidate candidate_of(double coverage, uint64_t even, uint64_t odd)
{
	struct unit_candidate candidate = {.coverage = coverage, .slice_ns = SLICE_NS};

	for (size_t i = 0; i < UNIT_SLICES; i++)
		candidate.calls[i] = i % 2 ? odd : even;
	return candidate;
}

TEST("the place on most call chains is the first unit, with its rate")
{
	struct unit_candidate candidates[] = {candidate_of(0.3, 20, 21), candidate_of(0.9, 40, 40)};
	size_t chosen[UNITS_MOST];

	CHECK_EQUAL(unit_choose(candidates, 2, chosen), 2);
	CHECK_EQUAL(chosen[0], 1);
	CHECK_EQUAL(chosen[1], 0);
	CHECK_EQUAL((int)candidates[1].rate, 800);
}

TEST("places that are passed together are one unit")
{
	struct unit_candidate candidates[] = {candidate_of(0.9, 40, 44), candidate_of(0.8, 40, 44),
					      candidate_of(0.7, 41, 43)};
	size_t chosen[UNITS_MOST];

	CHECK_EQUAL(unit_choose(candidates, 3, chosen), 1);
	CHECK_EQUAL(chosen[0], 0);
}

TEST("what is too frequent, too rare or not called is no unit")
{
	struct unit_candidate candidates[] = {candidate_of(1, 90, 90), candidate_of(1, 0, 0),
					      candidate_of(1, 0, 0)};
	size_t chosen[UNITS_MOST];

	candidates[0].is_too_frequent = true;
	candidates[1].calls[3] = 5;
	CHECK_EQUAL(unit_choose(candidates, 3, chosen), 0);
}

TEST("a steady place is better than one in bursts, a moderate rate better than a high one")
{
	struct unit_candidate bursts[] = {candidate_of(0.5, 0, 80), candidate_of(0.5, 38, 42)};
	struct unit_candidate rates[] = {candidate_of(0.5, 1200, 1210), candidate_of(0.5, 60, 61)};
	size_t chosen[UNITS_MOST];

	CHECK(unit_choose(bursts, 2, chosen) > 0);
	CHECK_EQUAL(chosen[0], 1);
	CHECK(unit_choose(rates, 2, chosen) > 0);
	CHECK_EQUAL(chosen[0], 1);
}

TEST("no more than UNITS_MOST are chosen, and none far worse than the best")
{
	struct unit_candidate candidates[6];
	size_t chosen[UNITS_MOST];

	for (size_t i = 0; i < 6; i++)
		candidates[i] = candidate_of(0.9, 20 + 10 * i, 21 + 10 * i);
	CHECK_EQUAL(unit_choose(candidates, 6, chosen), UNITS_MOST);
	candidates[1] = candidate_of(0.1, 60, 61);
	CHECK_EQUAL(unit_choose(candidates, 2, chosen), 1);
}

TEST("units are so rare that to count them all takes a fortieth of a core")
{
	struct unit_candidate candidates[] = {candidate_of(1, 400, 401), candidate_of(0.5, 60, 61),
					      candidate_of(0.5, 56, 59),
					      candidate_of(0.4, 390, 400)};
	size_t chosen[UNITS_MOST];

	for (size_t i = 0; i < 4; i++)
		candidates[i].cost_ns = i < 3 ? 11000 : 1000;
	CHECK_EQUAL(unit_choose(candidates, 4, chosen), 2); /* 8.8, 1.3, 1.3 and 0.8 % */
	CHECK_EQUAL(chosen[0], 1);
	CHECK_EQUAL(chosen[1], 3);
}
