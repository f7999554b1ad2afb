/* SPDX-License-Identifier: BSD-2-Clause */
/* budget - divides the squared errors of points. */
#include "analyze/causal/budget.h"

#include "analyze/causal/causal.h"
#include "analyze/causal/trials.h"

#include <math.h>

static double squared(double value)
{
	return value * value;
}

double budget_total(const struct budget *budget)
{
	double total = 0;

	for (int part = 0; part < BUDGET_PARTS; part++)
		total += budget->variances[part];
	return total;
}

/* What the windows at a speedup say together. */
struct sums {
	double windows, effective_ns, delay_ns, visits;
};

static struct sums sums_at(const struct trials *trials, int64_t point_id, double speedup)
{
	struct sums sums = {0};

	for (size_t i = 0; i < trials->count; i++) {
		const struct recording_visit *visit = recording_visit(trials->items[i], point_id);
		if (!visit || fabs(trials->items[i]->speedup - speedup) > 1e-9)
			continue;
		sums.windows++;
		sums.effective_ns += (double)visit->duration_ns - (double)visit->delay_ns;
		sums.delay_ns += (double)visit->delay_ns;
		sums.visits += visit->visits;
	}
	return sums;
}

static double period_of(const struct recording *recording, const struct trials *trials)
{
	const struct recording_run *run =
		trials->count ? recording_run(recording, trials->items[0]->run_id) : NULL;
	return run ? (double)run->period_ns : 0;
}

/* Each sample of the target is a pause of speedup x period. */
static double samples_variance(const struct sums *sums, const struct sums *controls, double speedup,
			       double period_ns)
{
	double one_ns = speedup * period_ns;
	double usual_ns = controls->effective_ns / controls->visits * sums->visits;

	return usual_ns > 0 ? one_ns * sums->delay_ns / squared(usual_ns) : 0;
}

/* Divides the variance of the windows' scatter; what explains more than all of it shares it. */
static void divide(struct budget *budget, double displaced, double samples, double units)
{
	double all = budget->variances[BUDGET_WINDOWS], known = displaced + samples + units;
	double part = known > all ? all / known : 1;

	if (!isfinite(known))
		return;
	budget->variances[BUDGET_DISPLACED] = part * displaced;
	budget->variances[BUDGET_SAMPLES] = part * samples;
	budget->variances[BUDGET_UNITS] = part * units;
	budget->variances[BUDGET_WINDOWS] = fmax(0, all - part * known);
}

void budget_begin(struct causal_effect *effect, const struct recording *recording,
		  const struct trials *trials, const struct budget_noise *noise)
{
	struct sums controls = sums_at(trials, effect->point->id, 0);
	double period_ns = period_of(recording, trials);

	effect->budgets = memory_new(effect->count + 1, sizeof(*effect->budgets));
	for (size_t i = 0; i < effect->count; i++) {
		const struct effect_point *point = &effect->points[i];
		struct sums sums = sums_at(trials, effect->point->id, point->speedup);
		struct budget *budget = &effect->budgets[i];
		budget->variances[BUDGET_WINDOWS] = squared(point->error);
		if (!(point->speedup > 0) || !(sums.visits > 0) || !(controls.visits > 0))
			continue;
		double left = 1 - point->gain;
		divide(budget, squared(left * noise->displaced),
		       samples_variance(&sums, &controls, point->speedup, period_ns),
		       squared(left * noise->units) * (1 / sums.windows + 1 / controls.windows));
	}
}

void budget_add(struct causal_effect *effect, enum budget_part part)
{
	for (size_t i = 0; effect->budgets && i < effect->count; i++) {
		struct budget *budget = &effect->budgets[i];
		double grown = squared(effect->points[i].error) - budget_total(budget);
		if (isfinite(grown))
			budget->variances[part] += fmax(grown, 0);
	}
}

void budget_scale(struct causal_effect *effect, double factor)
{
	for (size_t i = 0; effect->budgets && i < effect->count; i++)
		for (int part = 0; part < BUDGET_PARTS; part++)
			effect->budgets[i].variances[part] *= squared(factor);
}

enum budget_part budget_most(const struct budget *budget)
{
	enum budget_part most = 0;

	for (int part = 1; part < BUDGET_PARTS; part++)
		if (budget->variances[part] > budget->variances[most])
			most = (enum budget_part)part;
	return most;
}

size_t budget_widest(const struct causal_effect *effect)
{
	size_t widest = effect->count;
	double width = -1;

	for (size_t i = 0; effect->budgets && i < effect->count; i++) {
		const struct effect_point *point = &effect->points[i];
		if (!(point->speedup > 0) || !(point->high - point->low > width))
			continue;
		width = point->high - point->low;
		widest = i;
	}
	return widest;
}
