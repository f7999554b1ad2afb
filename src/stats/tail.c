/* SPDX-License-Identifier: BSD-2-Clause */
/* tail - pools of windows, their percentiles, and bootstrap resamples. */
#include "stats/tail.h"

#include "base/memory.h"
#include "stats/distribution.h"
#include "stats/random.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define DRAWS 200
#define HALVINGS 40
#define SAME 1e-9 /* speedups */
#define UPPER_LEAST 0.01
#define WEIGHT_MOST 2.0 /* mean weight above the percentile; more: most were not measured */

struct sums {
	double spans, weight, length, credit, squares, cubes;
};

struct pool {
	struct sums buckets[TAIL_BUCKETS];
	unsigned first, last; /* in use */
	double spans, weight; /* unmeasured ones included */
	double portion_ns;    /* speedup x period: what one sample credits */
};

/* Windows that are pooled, in the order of speedups. */
struct group {
	const struct tail_window **windows;
	size_t count;
	double spans, speedup;
};

static void pool_clear(struct pool *pool)
{
	if (pool->first <= pool->last)
		memset(&pool->buckets[pool->first], 0,
		       (pool->last - pool->first + 1) * sizeof(pool->buckets[0]));
	pool->first = TAIL_BUCKETS;
	pool->last = 0;
	pool->spans = pool->weight = pool->portion_ns = 0;
}

static void pool_add(struct pool *pool, const struct tail_window *window)
{
	for (size_t i = 0; i < window->count; i++) {
		const struct tail_bucket *from = &window->buckets[i];
		pool->spans += from->spans;
		pool->weight += from->weight;
		if (!from->bucket || from->bucket >= TAIL_BUCKETS)
			continue;
		struct sums *to = &pool->buckets[from->bucket];
		to->spans += from->spans;
		to->weight += from->weight;
		to->length += from->weight * from->length_ns;
		to->credit += from->weight * from->credit_ns;
		to->squares += from->weight * from->credit_squares;
		to->cubes += from->weight * from->credit_cubes;
		pool->first = from->bucket < pool->first ? from->bucket : pool->first;
		pool->last = from->bucket > pool->last ? from->bucket : pool->last;
	}
}

/* A part of the pool's spans, evenly between two lengths. */
struct part {
	double weight, low, high;
};

/* The two-point distribution with a given mean, variance and third moment. */
struct two {
	double upper_weight, upper, lower;
};

static struct two two_of(double mean, double variance, double third)
{
	double deviation = sqrt(variance);
	double skew = deviation > 0 ? third / (deviation * variance) : 0;
	double weight = (1 - skew / sqrt(4 + skew * skew)) / 2;

	weight = fmin(fmax(weight, UPPER_LEAST), 1 - UPPER_LEAST);
	return (struct two){
		.upper_weight = weight,
		.upper = mean + deviation * sqrt((1 - weight) / weight),
		.lower = mean - deviation * sqrt(weight / (1 - weight)),
	};
}

/*
 * A credit c that is sampled in portions of q has a sampling variance of at most q c and a third
 * moment of at most q^2 c (Poisson counts), plus q^2 / 6 from the ends of the span. The rest of the
 * moments is represented by two kinds of spans.
 */
static struct two credits_of(const struct sums *sums, double portion)
{
	double mean = sums->credit / sums->weight, squares = sums->squares / sums->weight;
	double variance = squares - mean * mean;
	double third = sums->cubes / sums->weight - 3 * mean * squares + 2 * mean * mean * mean;

	variance = fmax(0, variance - portion * mean - portion * portion / 6);
	return two_of(mean, variance, third - portion * portion * mean);
}

static struct part part_of(double weight, double length)
{
	length = fmax(0, length);
	return (struct part){.weight = weight,
			     .low = length * (1 - TAIL_BUCKET_WIDTH / 2),
			     .high = length * (1 + TAIL_BUCKET_WIDTH / 2)};
}

static size_t parts_of(const struct pool *pool, struct part *parts)
{
	size_t count = 0;

	for (unsigned i = pool->first; i <= pool->last; i++) {
		const struct sums *sums = &pool->buckets[i];
		if (!(sums->weight > 0))
			continue;
		struct two credits = credits_of(sums, pool->portion_ns);
		double length = sums->length / sums->weight;
		parts[count++] =
			part_of(sums->weight * credits.upper_weight, length - credits.upper);
		parts[count++] =
			part_of(sums->weight * (1 - credits.upper_weight), length - credits.lower);
	}
	return count;
}

static double weight_above(const struct part *parts, size_t count, double length)
{
	double weight = 0;

	for (size_t i = 0; i < count; i++) {
		const struct part *part = &parts[i];
		if (length <= part->low)
			weight += part->weight;
		else if (length < part->high)
			weight += part->weight * (part->high - length) / (part->high - part->low);
	}
	return weight;
}

/* Keeps the parts that reach into `low` to `high`; returns the weight of those above. */
static double parts_narrow(struct part *parts, size_t *count, double low, double high)
{
	double above = 0;
	size_t kept = 0;

	for (size_t i = 0; i < *count; i++) {
		if (parts[i].low >= high)
			above += parts[i].weight;
		else if (parts[i].high > low)
			parts[kept++] = parts[i];
	}
	*count = kept;
	return above;
}

/* Whether each part reaches over the whole interval, so that the weight above falls evenly. */
static bool parts_are_even(const struct part *parts, size_t count, double low, double high)
{
	for (size_t i = 0; i < count; i++)
		if (parts[i].low > low || parts[i].high < high)
			return false;
	return true;
}

/* Of parts that are even, the length with this weight above; `low` without any weight. */
static double even_percentile(const struct part *parts, size_t count, double low, double high,
			      double wanted)
{
	double density = 0, above = 0;

	for (size_t i = 0; i < count; i++) {
		double each = parts[i].weight / (parts[i].high - parts[i].low);
		density += each;
		above += each * (parts[i].high - low);
	}
	return density > 0 ? fmin(fmax(low + (above - wanted) / density, low), high) : low;
}

/* 0 where the percentile is among the spans that are not measured. */
static double pool_percentile(const struct pool *pool)
{
	struct part parts[2 * TAIL_BUCKETS];
	size_t count = pool->first <= pool->last ? parts_of(pool, parts) : 0;
	double wanted = (1 - TAIL_SHARE) * pool->weight, low = 0, high = 0;

	for (size_t i = 0; i < count; i++)
		high = fmax(high, parts[i].high);
	for (int i = 0; i < HALVINGS && high > 0; i++) {
		double middle = (low + high) / 2;
		if (weight_above(parts, count, middle) > wanted)
			low = middle;
		else
			high = middle;
		wanted -= parts_narrow(parts, &count, low, high);
		if (parts_are_even(parts, count, low, high))
			return even_percentile(parts, count, low, high, wanted);
	}
	return low;
}

/* Mean weight of the spans above the percentile. */
static double weight_at_end(const struct pool *pool)
{
	double spans = 0, weight = 0;

	for (unsigned i = pool->last;
	     i >= pool->first && i < TAIL_BUCKETS && weight < (1 - TAIL_SHARE) * pool->weight;
	     i--) {
		spans += pool->buckets[i].spans;
		weight += pool->buckets[i].weight;
	}
	return spans > 0 ? weight / spans : INFINITY;
}

static void pool_fill(struct pool *pool, const struct group *group, double period_ns,
		      struct random *random)
{
	pool_clear(pool);
	pool->portion_ns = group->speedup * period_ns;
	for (size_t i = 0; i < group->count; i++)
		pool_add(pool, group->windows[random ? random_below(random, group->count) : i]);
}

struct answer {
	double length_ns;
	double variance; /* of its logarithm */
};

static struct answer verdict_of(const struct group *group, double period_ns, struct pool *pool)
{
	struct random random = random_seeded(group->count);
	struct answer answer = {0};
	double sum = 0, squares = 0, n = (double)group->count;

	pool_fill(pool, group, period_ns, NULL);
	answer.length_ns = pool_percentile(pool);
	for (int i = 0; i < DRAWS; i++) {
		pool_fill(pool, group, period_ns, &random);
		double value = log(fmax(pool_percentile(pool), period_ns));
		sum += value;
		squares += value * value;
	}
	answer.variance = fmax(0, (squares - sum * sum / DRAWS) / (DRAWS - 1)) * n / (n - 1);
	return answer;
}

static double spans_of(const struct tail_window *window)
{
	double spans = 0;
	for (size_t i = 0; i < window->count; i++)
		spans += window->buckets[i].weight;
	return spans;
}

static bool is_enough(const struct group *group)
{
	return group->spans >= TAIL_SPANS_LEAST && group->count >= TAIL_WINDOWS_LEAST;
}

/* The factor by which the number of windows must grow; below 1 where they are enough. */
static double lacking_in(const struct group *group)
{
	return fmax(TAIL_SPANS_LEAST / fmax(group->spans, 1),
		    (double)TAIL_WINDOWS_LEAST / (double)group->count);
}

static int by_speedup(const void *left, const void *right)
{
	const struct tail_window *a = *(const struct tail_window *const *)left,
				 *b = *(const struct tail_window *const *)right;
	return a->speedup < b->speedup ? -1 : a->speedup > b->speedup;
}

/* From `first` on: all windows of one speedup, and of the next ones while they are too few. */
static struct group group_from(const struct tail_window **windows, size_t first, size_t count)
{
	struct group group = {.windows = &windows[first]};
	double begin = windows[first]->speedup, sum = 0;

	for (size_t i = first; i < count; i++) {
		double speedup = windows[i]->speedup;
		bool is_next = i > first && speedup - windows[i - 1]->speedup > SAME;
		if (is_next && (is_enough(&group) || begin <= 0 || speedup - begin > TAIL_REACH))
			break;
		group.count++;
		group.spans += spans_of(windows[i]);
		sum += speedup;
	}
	group.speedup = sum / (double)group.count;
	return group;
}

static enum tail_status trouble_of(const struct group *group, double length_ns, double period_ns,
				   struct pool *pool)
{
	if (!group->spans)
		return TAIL_NOT_MEASURED;
	if (!is_enough(group))
		return TAIL_FEW_SPANS;
	if (length_ns <
	    (group->speedup > 0 ? TAIL_PERIODS_AT_SPEEDUP : TAIL_PERIODS_LEAST) * period_ns)
		return TAIL_SHORT;
	pool_fill(pool, group, period_ns, NULL);
	return weight_at_end(pool) > WEIGHT_MOST ? TAIL_LONG : TAIL_ANSWERED;
}

static struct effect_point point_of(const struct group *group, const struct answer *at,
				    const struct group *controls, const struct answer *control)
{
	size_t fewest = group->count < controls->count ? group->count : controls->count;
	double change = log(at->length_ns / control->length_ns);
	double error = sqrt(at->variance + control->variance);
	double reach = student_quantile(0.975, (double)fewest - 1) * error;

	return (struct effect_point){
		.speedup = group->speedup,
		.gain = 1 - exp(change),
		.low = 1 - exp(change + reach),
		.high = 1 - exp(change - reach),
		.error = exp(change) * error,
		.shared = exp(change) * sqrt(control->variance),
		.windows = (unsigned)group->count,
	};
}

static void add_points(struct tail *tail, const struct tail_window **windows, size_t count,
		       const struct group *controls, double period_ns, struct pool *pool)
{
	struct answer control = verdict_of(controls, period_ns, pool);
	double needed_factor = INFINITY;

	tail->points = memory_new(count, sizeof(*tail->points));
	for (size_t i = controls->count; i < count;) {
		struct group group = group_from(windows, i, count);
		i += group.count;
		struct answer at = is_enough(&group) ? verdict_of(&group, period_ns, pool) :
						       (struct answer){0};
		if (trouble_of(&group, at.length_ns, period_ns, pool) == TAIL_ANSWERED)
			tail->points[tail->count++] = point_of(&group, &at, controls, &control);
		if (!is_enough(&group))
			needed_factor = fmin(needed_factor, lacking_in(&group));
	}
	if (!tail->count) {
		free(tail->points);
		tail->points = NULL;
		tail->status = TAIL_FEW_AT_SPEEDUP;
		tail->needed_factor = isfinite(needed_factor) ? needed_factor : 0;
	}
}

struct tail tail_estimate(const struct tail_window *windows, size_t count, double period_ns)
{
	struct tail tail = {.status = TAIL_NOT_MEASURED};
	const struct tail_window **sorted = memory_new(count, sizeof(*sorted));
	struct pool *pool = memory_new(1, sizeof(*pool));

	for (size_t i = 0; i < count; i++)
		sorted[i] = &windows[i];
	qsort(sorted, count, sizeof(*sorted), by_speedup);
	if (count && sorted[0]->speedup <= 0) {
		struct group controls = group_from(sorted, 0, count);
		pool_fill(pool, &controls, period_ns, NULL);
		double length_ns = pool_percentile(pool);
		tail.spans = controls.spans;
		tail.status = trouble_of(&controls, length_ns, period_ns, pool);
		tail.needed_factor = tail.status == TAIL_FEW_SPANS ? lacking_in(&controls) : 0;
		if (tail.status == TAIL_ANSWERED) {
			tail.length_ns = length_ns;
			add_points(&tail, sorted, count, &controls, period_ns, pool);
		}
	}
	free(pool);
	free(sorted);
	return tail;
}
