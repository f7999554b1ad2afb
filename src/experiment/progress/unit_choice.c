/* SPDX-License-Identifier: BSD-2-Clause */
/* unit_choice - scores: coverage, rate and steadiness of the counted calls. */
#include "experiment/progress/unit_choice.h"

#include <math.h>

#define CALLS_LEAST 6     /* in all slices */
#define RATE_LEAST 60.0   /* a second: five in a window of 82 ms */
#define RATE_MOST 5000.0  /* above, probes cost more than they tell */
#define COST_MOST 0.025   /* of a core, for all that are chosen */
#define VARIATION 0.5     /* of the rate, over slices: halves the score */
#define SECOND_LEAST 0.25 /* score of further units, of the best one's */
#define SAME_WITHIN 0.03  /* counts that differ by less are those of one event */

static double sum_of(const struct unit_candidate *candidate)
{
	double sum = 0;

	for (size_t i = 0; i < UNIT_SLICES; i++)
		sum += (double)candidate->calls[i];
	return sum;
}

/* The squared coefficient of variation, less that of events at random times. */
static double excess_variation(const struct unit_candidate *candidate, double sum)
{
	double mean = sum / UNIT_SLICES, squares = 0;

	for (size_t i = 0; i < UNIT_SLICES; i++) {
		double off = (double)candidate->calls[i] - mean;
		squares += off * off;
	}
	return fmax(0, (squares / (UNIT_SLICES - 1) - mean) / (mean * mean));
}

static double rate_quality(double rate)
{
	if (rate < RATE_LEAST)
		return sqrt(rate / RATE_LEAST);
	return rate > RATE_MOST ? RATE_MOST / rate : 1;
}

static void score(struct unit_candidate *candidate)
{
	double sum = sum_of(candidate);

	candidate->rate = sum / (UNIT_SLICES * (double)candidate->slice_ns / 1e9);
	candidate->score = 0;
	if (candidate->is_too_frequent || sum < CALLS_LEAST)
		return;
	candidate->score = candidate->coverage * rate_quality(candidate->rate) /
			   (1 + excess_variation(candidate, sum) / (VARIATION * VARIATION));
}

/* Passed together: each slice has as many calls of both, but for one at its ends. */
static bool are_same(const struct unit_candidate *left, const struct unit_candidate *right)
{
	double apart = 0;

	for (size_t i = 0; i < UNIT_SLICES; i++)
		apart += fmax(0, fabs((double)left->calls[i] - (double)right->calls[i]) - 1);
	return apart <= SAME_WITHIN * fmax(sum_of(left), sum_of(right));
}

/* Of a core, to count it as long as the program runs. */
static double cost_of(const struct unit_candidate *candidate)
{
	return candidate->rate * candidate->cost_ns / 1e9;
}

static bool is_further(const struct unit_candidate *candidates, size_t index, const size_t *chosen,
		       size_t count)
{
	double cost = cost_of(&candidates[index]);

	if (!(candidates[index].score > 0))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (chosen[i] == index || are_same(&candidates[index], &candidates[chosen[i]]))
			return false;
		cost += cost_of(&candidates[chosen[i]]);
	}
	if (cost > COST_MOST)
		return false;
	return !count || candidates[index].score >= SECOND_LEAST * candidates[chosen[0]].score;
}

size_t unit_choose(struct unit_candidate *candidates, size_t count, size_t chosen[UNITS_MOST])
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		score(&candidates[i]);
	for (; found < UNITS_MOST; found++) {
		size_t best = count;
		for (size_t i = 0; i < count; i++)
			if (is_further(candidates, i, chosen, found) &&
			    (best == count || candidates[i].score > candidates[best].score))
				best = i;
		if (best == count)
			break;
		chosen[found] = best;
	}
	return found;
}
