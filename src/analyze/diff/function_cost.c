/* SPDX-License-Identifier: BSD-2-Clause */
/* function_cost - adds up targets by function, and estimates errors from windows. */
#include "analyze/diff/function_cost.h"

#include "base/text.h"
#include "profile/window_values.h"

#include <math.h>

#define GROUPS_MOST 24
#define GROUPS_LEAST 4
#define GROUP_WINDOWS_LEAST 3
#define SCATTER_MOST 25.0
#define SCATTER_WINDOWS_LEAST 8

bool function_cost_has(const struct function_cost *cost, const struct recording_target *target)
{
	const char *name = target->function ? target->function : target->name;

	for (size_t i = 0; i < cost->joined_count; i++)
		if (text_equals(cost->joined[i], name))
			return true;
	return text_equals(cost->name, name);
}

bool function_cost_join(struct function_cost *cost, const struct function_cost *other)
{
	double own_error = cost->count_error * cost->sampled_ns;
	double other_error = other->count_error * other->sampled_ns;

	if (cost->joined_count == COST_NAMES_MOST)
		return false;
	cost->joined[cost->joined_count++] = other->name;
	cost->sampled_ns += other->sampled_ns;
	cost->per_visit_ns += other->per_visit_ns;
	cost->count_error = hypot(own_error, other_error) / cost->sampled_ns;
	return true;
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
	double work_ns; /* sampled, in the same windows */
};

/* Groups as a few parts of about equal number; returns the number of parts. */
static size_t parts_of_groups(const struct group_sum *groups, size_t count,
			      struct group_sum parts[COST_PARTS])
{
	size_t parts_count = count < COST_PARTS ? count : COST_PARTS;

	for (size_t part = 0; part < parts_count; part++) {
		parts[part] = (struct group_sum){0};
		for (size_t i = part * count / parts_count; i < (part + 1) * count / parts_count;
		     i++) {
			parts[part].time_ns += groups[i].time_ns;
			parts[part].visits += groups[i].visits;
			parts[part].work_ns += groups[i].work_ns;
		}
	}
	return parts_count;
}

/* The standard deviation of the logarithms of a part's ratios. */
static double deviation_of_parts(const struct group_sum *groups, size_t count)
{
	struct group_sum parts[COST_PARTS];
	double sum = 0, squares = 0;
	size_t parts_count = parts_of_groups(groups, count, parts);

	for (size_t part = 0; part < parts_count; part++) {
		double logarithm = log(parts[part].time_ns / parts[part].visits);
		sum += logarithm;
		squares += logarithm * logarithm;
	}
	double variance = (squares - sum * sum / (double)parts_count) / (double)(parts_count - 1);
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
		double period_ns = window_visit_period(visit, point->kind);
		group->visits += visit->visits;
		group->work_ns += window_sampled_work(experiment, visit) * visit->visits;
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

size_t function_cost_parts(const struct recording *recording, const struct recording_point *point,
			   struct cost_part parts[COST_PARTS])
{
	struct group_sum groups[GROUPS_MOST] = {{0}}, sums[COST_PARTS];
	size_t count = parts_of_groups(groups, group_windows(recording, point, true, groups), sums);

	for (size_t i = 0; i < count; i++) {
		parts[i].period_ns = sums[i].time_ns / sums[i].visits;
		parts[i].work_ns = sums[i].work_ns / sums[i].visits;
		if (!(parts[i].period_ns > 0) || !(parts[i].work_ns > 0))
			return 0;
	}
	return count;
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

/* Lines and functions; of what holds several of these only if there is nothing else. */
static bool is_counted_kind(const struct recording *recording, enum target_kind kind)
{
	if (kind == TARGET_EXTERNAL || kind == TARGET_CLASS || kind == TARGET_SET)
		return false;
	if (kind == TARGET_LINE || kind == TARGET_FUNCTION || kind == TARGET_SYSTEM_CALL)
		return true;
	for (size_t i = 0; i < recording->samples.count; i++) {
		const struct recording_target *other =
			recording_target(recording, recording->samples.items[i].target_id);
		if (other && (other->kind == TARGET_LINE || other->kind == TARGET_FUNCTION))
			return false;
	}
	return true;
}

struct sample_sum {
	double sampled_ns, variance;
};

/* A function that is a target has rows of its own beside those of its lines. */
struct function_sums {
	struct sample_sum lines, whole;
	double hottest_ns;
};

static void add_sample(struct function_costs *costs, struct function_sums *sums,
		       const struct recording *recording, const struct recording_point *point,
		       const struct recording_sample *sample)
{
	const struct recording_target *target = recording_target(recording, sample->target_id);

	if (!target || !is_counted_kind(recording, target->kind))
		return;
	struct function_cost *cost = find(costs, target);
	struct function_sums *own = &sums[cost - costs->items];
	struct sample_sum *sum = target->kind == TARGET_FUNCTION ? &own->whole : &own->lines;
	double scatter = scatter_of(recording, point, target->id);
	double sampled_ns = (double)sample->sampled_ns;

	sum->sampled_ns += sampled_ns;
	sum->variance += sampled_ns * period_of(recording, sample->run_id) *
			 (isfinite(scatter) ? fmax(1, scatter) : 1);
	if (sampled_ns > own->hottest_ns) {
		own->hottest_ns = sampled_ns;
		cost->line = target->line;
	}
}

/* Adds the samples of targets; each function's error is that of its samples' number. */
static void add_samples(struct function_costs *costs, const struct recording *recording,
			const struct recording_point *point)
{
	struct function_sums *sums = memory_new(recording->targets.count + 1, sizeof(*sums));

	for (size_t i = 0; i < recording->samples.count; i++)
		add_sample(costs, sums, recording, point, &recording->samples.items[i]);
	for (size_t i = 0; i < costs->count; i++) {
		bool is_whole = sums[i].whole.sampled_ns >= sums[i].lines.sampled_ns;
		const struct sample_sum *sum = is_whole ? &sums[i].whole : &sums[i].lines;
		costs->items[i].sampled_ns = sum->sampled_ns;
		costs->items[i].count_error = sqrt(sum->variance) / sum->sampled_ns;
	}
	free(sums);
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
