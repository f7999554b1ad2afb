/* SPDX-License-Identifier: BSD-2-Clause */
/* function_cost - adds up targets by function, and estimates errors from windows. */
#include "analyze/diff/function_cost.h"

#include "base/text.h"

#include <math.h>

#define GROUPS_MOST 24
#define GROUPS_LEAST 4
#define GROUP_WINDOWS_LEAST 3
#define SCATTER_MOST 25.0
#define SCATTER_WINDOWS_LEAST 8

bool function_cost_has(const struct function_cost *cost, const struct recording_target *target)
{
	const char *name = target->function ? target->function : target->name;

	return text_equals(cost->name, name);
}

static struct function_cost *find(struct function_costs *costs,
				  const struct recording_target *target)
{
	for (size_t i = 0; i < costs->count; i++)
		if (function_cost_has(&costs->items[i], target))
			return &costs->items[i];
	struct function_cost *cost = &costs->items[costs->count++];
	*cost = (struct function_cost){
		.name = target->function ? target->function : target->name,
		.file = target->file,
	};
	return cost;
}

static double period_of(const struct recording *recording, int64_t run_id)
{
	const struct recording_run *run = recording_run(recording, run_id);
	return run && run->period_ns ? (double)run->period_ns : 1e6;
}

/*
 * How much more the samples of targets scatter between windows than independent ones would: the
 * variance of a window's number of samples, given its visits, by its expectation.
 */
static double scatter_of(const struct recording *recording, const struct recording_point *point,
			 int64_t target_id)
{
	double target_ns = 0, visits = 0, squares = 0, expected = 0;
	size_t windows = 0;

	for (unsigned pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < recording->experiments.count; i++) {
			const struct recording_experiment *experiment =
				&recording->experiments.items[i];
			const struct recording_visit *visit =
				recording_visit(experiment, point->id);
			if (experiment->target_id != target_id || !visit || !(visit->visits > 0))
				continue;
			double own_ns = (double)experiment->target_ns;
			double period_ns = period_of(recording, experiment->run_id);
			if (!pass) {
				target_ns += own_ns;
				visits += visit->visits;
				windows++;
				continue;
			}
			double mean = visit->visits * target_ns / visits / period_ns;
			squares += pow(own_ns / period_ns - mean, 2);
			expected += mean;
		}
	if (windows < SCATTER_WINDOWS_LEAST || !(expected > 0))
		return NAN;
	return fmin(SCATTER_MOST, squares / expected * (double)windows / (double)(windows - 1));
}

struct group_sum {
	double time_ns, visits;
};

#define PARTS 6

/* The standard deviation of the logarithms of a sixth's ratios. */
static double deviation_of_parts(const struct group_sum *groups, size_t count)
{
	double sum = 0, squares = 0;
	size_t parts = count < PARTS ? count : PARTS;

	for (size_t part = 0; part < parts; part++) {
		struct group_sum all = {0, 0};
		for (size_t i = part * count / parts; i < (part + 1) * count / parts; i++) {
			all.time_ns += groups[i].time_ns;
			all.visits += groups[i].visits;
		}
		double logarithm = log(all.time_ns / all.visits);
		sum += logarithm;
		squares += logarithm * logarithm;
	}
	double variance = (squares - sum * sum / (double)parts) / (double)(parts - 1);
	return isfinite(variance) ? sqrt(fmax(0, variance)) : INFINITY;
}

/*
 * The error of log(sum of times / sum of visits). A shared machine's speed drifts at all scales, so
 * two runs differ as the sixths of one do, however many there are (docs/decisions.md, "Two profiles
 * differ as the parts of one do").
 */
static double error_of_groups(const struct group_sum *groups, size_t count)
{
	double time_ns = 0, visits = 0, squares = 0;

	for (size_t i = 0; i < count; i++) {
		time_ns += groups[i].time_ns;
		visits += groups[i].visits;
	}
	for (size_t i = 0; i < count; i++)
		squares += pow(groups[i].time_ns - groups[i].visits * time_ns / visits, 2);
	double standard_error = sqrt(squares * (double)count / (double)(count - 1)) / time_ns;
	return fmax(standard_error, deviation_of_parts(groups, count));
}

/* A period needs the cores for the program alone; sampled time does not. */
static bool is_counted(const struct recording_experiment *experiment, bool only_baseline)
{
	if (only_baseline)
		return experiment->verdict == VERDICT_COUNTED && !(experiment->speedup > 0);
	return experiment->verdict != VERDICT_CUT_SHORT;
}

static size_t count_windows(const struct recording *recording, const struct recording_point *point,
			    bool only_baseline)
{
	size_t windows = 0;

	for (size_t i = 0; i < recording->experiments.count; i++)
		windows += is_counted(&recording->experiments.items[i], only_baseline) &&
			   recording_visit(&recording->experiments.items[i], point->id);
	return windows;
}

/* Neighbouring windows, in groups of equal number; returns the number of groups. */
static size_t group_windows(const struct recording *recording, const struct recording_point *point,
			    bool is_period, struct group_sum groups[GROUPS_MOST])
{
	size_t windows = count_windows(recording, point, is_period), next = 0;
	size_t count = windows / GROUP_WINDOWS_LEAST;

	count = count > GROUPS_MOST ? GROUPS_MOST : count;
	for (size_t i = 0; i < recording->experiments.count && count; i++) {
		const struct recording_experiment *experiment = &recording->experiments.items[i];
		const struct recording_visit *visit = recording_visit(experiment, point->id);
		if (!is_counted(experiment, is_period) || !visit)
			continue;
		struct group_sum *group = &groups[next++ * count / windows];
		double period_ns = recording_visit_period(visit, point->kind);
		group->visits += visit->visits;
		if (is_period)
			group->time_ns += isfinite(period_ns) ? period_ns * visit->visits : 0;
		else
			group->time_ns += (double)experiment->sampled_ns;
	}
	return count >= GROUPS_LEAST ? count : 0;
}

bool function_cost_period(const struct recording *recording, const struct recording_point *point,
			  double *period_ns, double *error)
{
	struct group_sum groups[GROUPS_MOST] = {{0}};
	size_t count = group_windows(recording, point, true, groups);
	double time_ns = 0, visits = 0;

	for (size_t i = 0; i < count; i++) {
		time_ns += groups[i].time_ns;
		visits += groups[i].visits;
	}
	if (!(time_ns > 0) || !(visits > 0))
		return false;
	*period_ns = time_ns / visits;
	*error = error_of_groups(groups, count);
	return true;
}

static double drift_error(const struct recording *recording, const struct recording_point *point)
{
	struct group_sum groups[GROUPS_MOST] = {{0}};
	size_t count = group_windows(recording, point, false, groups);

	return count ? error_of_groups(groups, count) : INFINITY;
}

static int compare_costs(const void *left, const void *right)
{
	const struct function_cost *a = left, *b = right;
	return (a->sampled_ns < b->sampled_ns) - (a->sampled_ns > b->sampled_ns);
}

/* Adds the samples of targets; each function's error is that of its samples' number. */
static void add_samples(struct function_costs *costs, const struct recording *recording,
			const struct recording_point *point)
{
	double *variances = memory_new(recording->targets.count, sizeof(*variances));
	double *hottest = memory_new(recording->targets.count, sizeof(*hottest));

	for (size_t i = 0; i < recording->samples.count; i++) {
		const struct recording_sample *sample = &recording->samples.items[i];
		const struct recording_target *target =
			recording_target(recording, sample->target_id);
		if (!target || target->kind == TARGET_EXTERNAL || target->kind == TARGET_CLASS)
			continue;
		struct function_cost *cost = find(costs, target);
		size_t number = (size_t)(cost - costs->items);
		double scatter = scatter_of(recording, point, target->id);
		double sampled_ns = (double)sample->sampled_ns;
		cost->sampled_ns += sampled_ns;
		variances[number] += sampled_ns * period_of(recording, sample->run_id) *
				     (isfinite(scatter) ? fmax(1, scatter) : 1);
		if (sampled_ns > hottest[number]) {
			hottest[number] = sampled_ns;
			cost->line = target->line;
		}
	}
	for (size_t i = 0; i < costs->count; i++)
		costs->items[i].count_error = sqrt(variances[i]) / costs->items[i].sampled_ns;
	free(variances);
	free(hottest);
}

struct function_costs function_costs_of(const struct recording *recording,
					const struct recording_point *point)
{
	struct function_costs costs = {
		.items = memory_new(recording->targets.count, sizeof(*costs.items)),
		.drift_error = drift_error(recording, point),
	};

	for (size_t i = 0; i < recording->totals.count; i++)
		if (recording->totals.items[i].point_id == point->id)
			costs.visits += (double)recording->totals.items[i].visits;
	for (size_t i = 0; i < recording->runs.count; i++)
		costs.all_ns += (double)recording->runs.items[i].sampled_ns;
	add_samples(&costs, recording, point);
	for (size_t i = 0; i < costs.count; i++)
		costs.items[i].per_visit_ns = costs.items[i].sampled_ns / costs.visits;
	costs.all_ns /= costs.visits;
	qsort(costs.items, costs.count, sizeof(*costs.items), compare_costs);
	return costs;
}

void function_costs_release(struct function_costs *costs)
{
	free(costs->items);
	*costs = (struct function_costs){0};
}
