/* SPDX-License-Identifier: BSD-2-Clause */
/* change_points - optimal partitioning with pruned candidates. */
#include "stats/change_points.h"

#include "base/memory.h"
#include "stats/distribution.h"

#include <math.h>

/* Sums over the values before an index: of 1 / variance, of it times the value, and its square. */
struct sums {
	double *weights, *values, *squares;
};

static struct sums sums_of(const double *values, const double *variances, size_t count)
{
	struct sums sums = {memory_new(count + 1, sizeof(double)),
			    memory_new(count + 1, sizeof(double)),
			    memory_new(count + 1, sizeof(double))};

	for (size_t i = 0; i < count; i++) {
		double weight = 1 / variances[i];
		sums.weights[i + 1] = sums.weights[i] + weight;
		sums.values[i + 1] = sums.values[i] + weight * values[i];
		sums.squares[i + 1] = sums.squares[i] + weight * values[i] * values[i];
	}
	return sums;
}

/* Of the values from `begin` to before `end`, around their mean. */
static double cost_of(const struct sums *sums, size_t begin, size_t end)
{
	double weight = sums->weights[end] - sums->weights[begin];
	double sum = sums->values[end] - sums->values[begin];

	return sums->squares[end] - sums->squares[begin] - sum * sum / weight;
}

/* The best begin of the segment that ends before `end`; drops candidates that cannot win again. */
static size_t best_begin(const struct sums *sums, const double *best, size_t end,
			 size_t *candidates, size_t *candidate_count)
{
	double least = INFINITY;
	size_t begin = 0, kept = 0;

	for (size_t i = 0; i < *candidate_count; i++) {
		double cost = best[candidates[i]] + cost_of(sums, candidates[i], end);
		if (cost < least) {
			least = cost;
			begin = candidates[i];
		}
	}
	for (size_t i = 0; i < *candidate_count; i++)
		if (best[candidates[i]] + cost_of(sums, candidates[i], end) <=
		    least + fmax(0, -best[0]))
			candidates[kept++] = candidates[i];
	*candidate_count = kept;
	return begin;
}

size_t change_points_find(const double *values, const double *variances, size_t count,
			  size_t *points)
{
	if (count < 2)
		return 0;
	struct sums sums = sums_of(values, variances, count);
	double *best = memory_new(count + 1, sizeof(*best));
	size_t *begins = memory_new(count + 1, sizeof(*begins));
	size_t *candidates = memory_new(count + 1, sizeof(*candidates)), candidate_count = 0;
	double quantile = normal_quantile(1 - CHANGE_POINTS_ERROR / 2 / (double)count);
	double penalty = quantile * quantile;
	size_t found = 0;

	best[0] = -penalty;
	for (size_t end = 1; end <= count; end++) {
		candidates[candidate_count++] = end - 1;
		begins[end] = best_begin(&sums, best, end, candidates, &candidate_count);
		best[end] = best[begins[end]] + cost_of(&sums, begins[end], end) + penalty;
	}
	for (size_t end = count; begins[end]; end = begins[end])
		found++;
	size_t place = found;
	for (size_t end = count; begins[end]; end = begins[end])
		points[--place] = begins[end];
	free(sums.weights);
	free(sums.values);
	free(sums.squares);
	free(best);
	free(begins);
	free(candidates);
	return found;
}
