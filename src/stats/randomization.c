/* SPDX-License-Identifier: BSD-2-Clause */
/* randomization - simulated signs, signed rank sums, and the critical value of each look. */
#include "stats/randomization.h"

#include "base/memory.h"
#include "stats/random.h"

#include <assert.h>
#include <math.h>

#define SIMULATIONS (1u << RANDOMIZATION_EXACT)
#define WARM_UP_UNITS 20
#define CHUNK 64

struct randomization {
	struct random random;
	ARRAY(uint64_t *) signs; /* of 64 units each, a word for each simulation */
	double *sums;            /* of each simulation, at the last look */
	bool *is_rejected;       /* by a look so far */
	size_t rejected;
};

struct randomization *randomization_new(uint64_t seed)
{
	struct randomization *randomization = memory_new(1, sizeof(*randomization));

	randomization->random = random_seeded(seed);
	randomization->sums = memory_new(SIMULATIONS, sizeof(*randomization->sums));
	randomization->is_rejected = memory_new(SIMULATIONS, sizeof(*randomization->is_rejected));
	return randomization;
}

void randomization_free(struct randomization *randomization)
{
	if (!randomization)
		return;
	for (size_t i = 0; i < randomization->signs.count; i++)
		free(randomization->signs.items[i]);
	array_free(&randomization->signs);
	free(randomization->sums);
	free(randomization->is_rejected);
	free(randomization);
}

/* The first RANDOMIZATION_EXACT signs of the simulations are all possible ones. */
static void draw_signs(struct randomization *randomization, size_t units)
{
	while (randomization->signs.count * CHUNK < units) {
		uint64_t *words = memory_new(SIMULATIONS, sizeof(*words));
		bool is_first = !randomization->signs.count;
		for (uint64_t i = 0; i < SIMULATIONS; i++) {
			words[i] = random_next(&randomization->random);
			if (is_first)
				words[i] = words[i] << RANDOMIZATION_EXACT | i;
		}
		*array_add(&randomization->signs) = words;
	}
}

static int compare_values(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

struct ranked {
	double size;
	size_t unit;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	return compare_values(&a->size, &b->size);
}

/* Equal sizes share the mean of their ranks; a unit of 0 has rank 0. The caller frees the ranks. */
static double *ranks_of(const double *values, size_t count)
{
	struct ranked *sorted = memory_new(count, sizeof(*sorted));
	double *ranks = memory_new(count, sizeof(*ranks));

	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct ranked){fabs(values[i]), i};
	qsort(sorted, count, sizeof(*sorted), compare_ranked);
	for (size_t i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count && !(sorted[next].size > sorted[i].size);)
			next++;
		for (size_t j = i; j < next; j++)
			ranks[sorted[j].unit] = sorted[j].size > 0 ? (double)(i + next + 1) / 2 : 0;
	}
	free(sorted);
	return ranks;
}

static double observed_sum(const double *values, const double *ranks, size_t count)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += values[i] < 0 ? -ranks[i] : ranks[i];
	return fabs(sum);
}

static void simulate_sums(struct randomization *randomization, const double *ranks, size_t first,
			  size_t count)
{
	double *sums = randomization->sums;

	for (size_t i = 0; i < SIMULATIONS; i++)
		sums[i] = 0;
	for (size_t unit = first; unit < count; unit++) {
		const uint64_t *words = randomization->signs.items[unit / CHUNK];
		double rank = ranks[unit - first];
		for (size_t i = 0; i < SIMULATIONS; i++)
			sums[i] += words[i] >> unit % CHUNK & 1 ? rank : -rank;
	}
	for (size_t i = 0; i < SIMULATIONS; i++)
		sums[i] = fabs(sums[i]);
}

/* The sum that at most `allowed` of the simulations exceed that no look rejected so far. */
static double critical_sum(const struct randomization *randomization, double most, size_t allowed)
{
	size_t kept = 0;
	double *sums = memory_new(SIMULATIONS, sizeof(*sums));

	for (size_t i = 0; i < SIMULATIONS; i++)
		if (!randomization->is_rejected[i])
			sums[kept++] = randomization->sums[i];
	qsort(sums, kept, sizeof(*sums), compare_values);
	double critical = !allowed ? most : allowed < kept ? sums[kept - 1 - allowed] : -1;
	free(sums);
	return critical;
}

/* The share of simulations that earlier looks rejected, or that reach the observed sum. */
static double probability_of(const struct randomization *randomization, double observed)
{
	size_t reached = randomization->rejected;

	for (size_t i = 0; i < SIMULATIONS; i++)
		reached += !randomization->is_rejected[i] && randomization->sums[i] >= observed;
	return (double)reached / SIMULATIONS;
}

static void reject(struct randomization *randomization, double critical)
{
	for (size_t i = 0; i < SIMULATIONS; i++) {
		if (randomization->is_rejected[i] || randomization->sums[i] <= critical)
			continue;
		randomization->is_rejected[i] = true;
		randomization->rejected++;
	}
}

/*
 * The signed rank sum of values less an offset is 2 W - N, where W of the N Walsh averages (means
 * of two values, or of one with itself) exceed the offset.
 */
static void locate(struct randomization_look *look, const double *values, size_t count,
		   double critical)
{
	size_t averages = count * (count + 1) / 2, filled = 0;
	double *walsh = memory_new(averages, sizeof(*walsh));

	for (size_t i = 0; i < count; i++)
		for (size_t j = i; j < count; j++)
			walsh[filled++] = (values[i] + values[j]) / 2;
	qsort(walsh, averages, sizeof(*walsh), compare_values);
	look->estimate = (walsh[(averages - 1) / 2] + walsh[averages / 2]) / 2;
	size_t beyond = (size_t)fmax(0, ((double)averages + critical) / 2);
	look->low = beyond < averages ? walsh[averages - 1 - beyond] : -INFINITY;
	look->high = beyond < averages ? walsh[beyond] : INFINITY;
	free(walsh);
}

struct randomization_look randomization_look(struct randomization *randomization,
					     const double *values, size_t first, size_t count,
					     double spent)
{
	assert(count > first);
	size_t units = count - first;
	double most = (double)units * (double)(units + 1) / 2;
	double *ranks = ranks_of(values + first, units);
	struct randomization_look look = {0};

	draw_signs(randomization, count);
	simulate_sums(randomization, ranks, first, count);
	size_t budget = (size_t)(spent * SIMULATIONS);
	size_t allowed = budget > randomization->rejected ? budget - randomization->rejected : 0;
	double critical = critical_sum(randomization, most, allowed);
	double observed = observed_sum(values + first, ranks, units);
	look.p = probability_of(randomization, observed);
	look.is_rejected = observed > critical;
	locate(&look, values + first, units, critical);
	reject(randomization, critical);
	free(ranks);
	return look;
}

size_t randomization_warm_up(const double *totals, size_t count)
{
	size_t warm = 0;

	while (warm + WARM_UP_UNITS <= count) {
		for (size_t i = warm + 1; i < count; i++)
			if (totals[i] >= totals[warm])
				return warm;
		warm++;
	}
	return warm;
}
