/* SPDX-License-Identifier: BSD-2-Clause */
/* run_pairs - draws the order of runs, looks at the data now and then, and decides. */
#include "analyze/diff/run_pairs.h"

#include "base/memory.h"
#include "stats/random.h"
#include "stats/randomization.h"
#include "stats/summary.h"

#include <assert.h>
#include <math.h>

#define UNITS_LEAST 7      /* with fewer, no result is significant */
#define PAIRS_FOR_FOURS 16 /* pairs from which on the runs come in fours */
#define LOOK_GROWTH 1.12   /* units at a look, compared with the last one */

struct run_pairs {
	struct run_pairs_plan plan;
	struct random random;
	struct randomization *randomization;
	size_t unit_runs;             /* runs of a unit */
	ARRAY(double) values;         /* of all runs, in their order */
	ARRAY(unsigned char) orders;  /* by unit: the side of its first run */
	ARRAY(double) ratios, totals; /* by finished unit: of logarithms, and their sums */
	struct randomization_look look;
	size_t looks, next_look, warm_up;
	double seconds;
	bool is_done, is_stopped;
};

static size_t units_of(const struct run_pairs *run_pairs)
{
	return run_pairs->values.count / run_pairs->unit_runs;
}

static size_t most_units(const struct run_pairs *run_pairs)
{
	size_t units = 2 * (size_t)run_pairs->plan.pairs / run_pairs->unit_runs;
	return units ? units : 1;
}

/* `pairs` are so many as are planned, and as there is time for. */
static size_t runs_of_unit(const struct run_pairs_plan *plan, double pairs)
{
	if (!plan->layouts)
		return pairs >= PAIRS_FOR_FOURS ? 4 : 2;
	size_t runs = 2 * (size_t)plan->pairs / plan->layouts;
	return runs < 4 ? 2 : runs / 4 * 4;
}

static void begin_unit(struct run_pairs *run_pairs)
{
	*array_add(&run_pairs->orders) = (unsigned char)random_below(&run_pairs->random, 2);
}

struct run_pairs *run_pairs_new(const struct run_pairs_plan *plan)
{
	assert(plan->pairs > 0);
	struct run_pairs *run_pairs = memory_new(1, sizeof(*run_pairs));

	run_pairs->plan = *plan;
	run_pairs->random = random_seeded(plan->seed);
	run_pairs->randomization = randomization_new(plan->seed + 1);
	run_pairs->unit_runs = runs_of_unit(plan, plan->pairs);
	run_pairs->next_look = UNITS_LEAST;
	run_pairs->look = (struct randomization_look){.estimate = NAN,
						      .low = -INFINITY,
						      .high = INFINITY,
						      .p = 1};
	begin_unit(run_pairs);
	return run_pairs;
}

void run_pairs_expect(struct run_pairs *run_pairs, double pair_seconds)
{
	const struct run_pairs_plan *plan = &run_pairs->plan;

	assert(!run_pairs->values.count);
	if (plan->seconds > 0 && pair_seconds > 0)
		run_pairs->unit_runs =
			runs_of_unit(plan, fmin(plan->pairs, plan->seconds / pair_seconds));
}

void run_pairs_free(struct run_pairs *run_pairs)
{
	if (!run_pairs)
		return;
	randomization_free(run_pairs->randomization);
	array_free(&run_pairs->values);
	array_free(&run_pairs->orders);
	array_free(&run_pairs->ratios);
	array_free(&run_pairs->totals);
	free(run_pairs);
}

size_t run_pairs_count(const struct run_pairs *run_pairs)
{
	return units_of(run_pairs) * run_pairs->unit_runs / 2;
}

bool run_pairs_is_done(const struct run_pairs *run_pairs)
{
	return run_pairs->is_done;
}

size_t run_pairs_unit(const struct run_pairs *run_pairs)
{
	return units_of(run_pairs);
}

/* The sequence of Thue and Morse, ABBA BAAB ..., in which polynomial drifts cancel. */
static enum run_side side_of(const struct run_pairs *run_pairs, size_t run)
{
	size_t within = run % run_pairs->unit_runs;
	bool is_odd = __builtin_parityll(within);

	return run_pairs->orders.items[run / run_pairs->unit_runs] != is_odd ? RUN_AFTER :
									       RUN_BEFORE;
}

enum run_side run_pairs_next(const struct run_pairs *run_pairs)
{
	return side_of(run_pairs, run_pairs->values.count);
}

/* Median of the logarithms of the unit's runs on this side. */
static double unit_location(const struct run_pairs *run_pairs, size_t unit, enum run_side side)
{
	size_t first = unit * run_pairs->unit_runs, count = 0;
	double *logarithms = memory_new(run_pairs->unit_runs, sizeof(*logarithms));

	for (size_t run = first; run < first + run_pairs->unit_runs; run++)
		if (side_of(run_pairs, run) == side)
			logarithms[count++] = log(run_pairs->values.items[run]);
	double median = summary_median(logarithms, count);
	free(logarithms);
	return median;
}

/* The share of the planned runs, or of the planned time, that is used up. */
static double progress_of(const struct run_pairs *run_pairs)
{
	double share = (double)units_of(run_pairs) / (double)most_units(run_pairs);

	if (run_pairs->plan.seconds > 0)
		share = fmax(share, run_pairs->seconds / run_pairs->plan.seconds);
	return fmin(share, 1);
}

/* No further unit fits into the planned runs and time. */
static bool is_used_up(const struct run_pairs *run_pairs)
{
	size_t units = units_of(run_pairs);
	double unit_seconds = units ? run_pairs->seconds / (double)units : 0;

	return units >= most_units(run_pairs) ||
	       (run_pairs->plan.seconds > 0 &&
		run_pairs->seconds + unit_seconds > run_pairs->plan.seconds);
}

static enum gate_verdict gate_of(const struct run_pairs *run_pairs)
{
	double limit = log1p(run_pairs->plan.gate);

	if (run_pairs->plan.gate < 0)
		return GATE_NONE;
	if (run_pairs->look.low > limit)
		return GATE_FAILED;
	return run_pairs->look.high <= limit ? GATE_PASSED : GATE_UNSURE;
}

static enum run_verdict verdict_of(const struct run_pairs *run_pairs)
{
	double smallest = log1p(run_pairs->plan.smallest);

	if (run_pairs->look.low >= -smallest && run_pairs->look.high <= smallest)
		return RUN_NO_CHANGE;
	if (run_pairs->look.low > 0)
		return RUN_SLOWER;
	return run_pairs->look.high < 0 ? RUN_FASTER : RUN_UNSURE;
}

static bool is_decided(const struct run_pairs *run_pairs)
{
	if (run_pairs->plan.needs_all)
		return false;
	if (run_pairs->plan.gate >= 0)
		return gate_of(run_pairs) != GATE_UNSURE;
	return verdict_of(run_pairs) != RUN_UNSURE;
}

static void look(struct run_pairs *run_pairs, double spent)
{
	size_t units = run_pairs->ratios.count;

	if (!units)
		return;
	run_pairs->warm_up = randomization_warm_up(run_pairs->totals.items, units);
	run_pairs->look = randomization_look(run_pairs->randomization, run_pairs->ratios.items,
					     run_pairs->warm_up, units, spent);
	run_pairs->looks++;
}

static void end_unit(struct run_pairs *run_pairs)
{
	size_t unit = units_of(run_pairs) - 1, units = unit + 1;
	double before = unit_location(run_pairs, unit, RUN_BEFORE);
	double after = unit_location(run_pairs, unit, RUN_AFTER);
	bool is_last = is_used_up(run_pairs);

	*array_add(&run_pairs->ratios) = after - before;
	*array_add(&run_pairs->totals) = after + before;
	if (is_last || (units >= run_pairs->next_look && !run_pairs->plan.needs_all)) {
		look(run_pairs, RUN_PAIRS_LEVEL * (is_last ? 1 : progress_of(run_pairs)));
		run_pairs->next_look = (size_t)fmax((double)units + 1, LOOK_GROWTH * (double)units);
	}
	run_pairs->is_done = is_last || (run_pairs->looks && is_decided(run_pairs));
	begin_unit(run_pairs);
}

void run_pairs_add(struct run_pairs *run_pairs, double value, double seconds)
{
	assert(value > 0 && !run_pairs->is_done);
	*array_add(&run_pairs->values) = value;
	run_pairs->seconds += seconds;
	if (run_pairs->values.count % run_pairs->unit_runs == 0)
		end_unit(run_pairs);
}

void run_pairs_stop(struct run_pairs *run_pairs)
{
	if (run_pairs->is_done)
		return;
	look(run_pairs, RUN_PAIRS_LEVEL);
	run_pairs->is_done = run_pairs->is_stopped = true;
}

static struct run_side_summary summary_of(const struct run_pairs *run_pairs, enum run_side side)
{
	size_t first = run_pairs->warm_up * run_pairs->unit_runs, count = 0;
	size_t end = run_pairs->ratios.count * run_pairs->unit_runs;
	double *values = memory_new(end + 1, sizeof(*values));
	struct run_side_summary summary = {NAN, NAN, NAN, NAN, NAN, 0};

	for (size_t run = first; run < end; run++)
		if (side_of(run_pairs, run) == side)
			values[count++] = run_pairs->values.items[run];
	if (count)
		summary = (struct run_side_summary){
			.median = summary_median(values, count),
			.low = summary_quantile(values, count, 0.25),
			.high = summary_quantile(values, count, 0.75),
			.least = summary_quantile(values, count, 0),
			.most = summary_quantile(values, count, 1),
			.runs = count,
		};
	free(values);
	return summary;
}

/* The median over pairs of neighbouring runs; equally many are AB and BA. */
static double position_of(const struct run_pairs *run_pairs)
{
	size_t first = run_pairs->warm_up * run_pairs->unit_runs, count = 0;
	size_t end = run_pairs->ratios.count * run_pairs->unit_runs;
	double *ratios = memory_new(end + 1, sizeof(*ratios));

	for (size_t run = first; run + 1 < end; run += 2)
		ratios[count++] =
			log(run_pairs->values.items[run + 1] / run_pairs->values.items[run]);
	double position = count ? exp(summary_median(ratios, count)) : NAN;
	free(ratios);
	return position;
}

struct run_pairs_result run_pairs_result(const struct run_pairs *run_pairs)
{
	size_t counted = run_pairs->ratios.count - run_pairs->warm_up;
	struct run_pairs_result result = {
		.ratio = exp(run_pairs->look.estimate),
		.low = exp(run_pairs->look.low),
		.high = exp(run_pairs->look.high),
		.p = run_pairs->look.p,
		.pairs = counted * run_pairs->unit_runs / 2,
		.warm_up = run_pairs->warm_up * run_pairs->unit_runs / 2,
		.looks = run_pairs->looks,
		.is_early = !run_pairs->is_stopped && !is_used_up(run_pairs),
		.position = position_of(run_pairs),
		.verdict = verdict_of(run_pairs),
		.gate = gate_of(run_pairs),
	};

	result.sides[RUN_BEFORE] = summary_of(run_pairs, RUN_BEFORE);
	result.sides[RUN_AFTER] = summary_of(run_pairs, RUN_AFTER);
	return result;
}
