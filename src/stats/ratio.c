/* SPDX-License-Identifier: BSD-2-Clause */
/* ratio - pairs experiment windows with the controls beside them. */
#include "stats/ratio.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "stats/summary.h"

#include <math.h>
#include <stdbool.h>

#define NEAR_LEAST_NS 1e9
#define NEAR_SPACINGS 4

/* Two controls agree if they differ by less than this many standard deviations of a difference. */
#define AGREE_DEVIATIONS 4

CLEANUP_DEFINE(windows, struct effect_window *, free, NULL)
CLEANUP_DEFINE(numbers, size_t *, free, NULL)
CLEANUP_DEFINE(reals, double *, free, NULL)

/* One run's windows while they are paired. */
struct pairing {
	struct ratio_set *set;
	const struct effect_window *windows;
	const size_t *controls; /* numbers of the run's controls, ascending in time */
	size_t control_count;
	double near_ns;
	double agree; /* by how much logarithms of controls that agree may differ */
};

static int compare_windows(const void *left, const void *right)
{
	const struct effect_window *a = left, *b = right;
	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return (a->speedup > b->speedup) - (a->speedup < b->speedup);
}

/* Ratios come in time order; the sort is not stable, so the windows' numbers decide ties. */
struct numbered_ratio {
	struct ratio ratio;
	size_t number;
};

static int compare_ratios(const void *left, const void *right)
{
	const struct numbered_ratio *a = left, *b = right;
	if (a->ratio.speedup != b->ratio.speedup)
		return a->ratio.speedup < b->ratio.speedup ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static bool is_control(const struct effect_window *window)
{
	return window->speedup == 0;
}

static bool is_usable(const struct effect_window *window)
{
	return isfinite(window->period_ns) && isfinite(window->speedup) && window->speedup >= 0 &&
	       (window->period_ns > 0 || window->speedup > 0);
}

static double near_limit_ns(const struct effect_window *windows, size_t count)
{
	AUTO(reals) double *spacings = memory_new(count, sizeof(*spacings));
	size_t known = 0;

	for (size_t i = 1; i < count; i++)
		if (windows[i].run == windows[i - 1].run)
			spacings[known++] = (double)(windows[i].time_ns - windows[i - 1].time_ns);
	double usual = known ? summary_median(spacings, known) : 0;
	return fmax(NEAR_LEAST_NS, NEAR_SPACINGS * usual);
}

/* The nth control of the run if there is one and it is near the window, else NULL. */
static const size_t *near_control(const struct pairing *pairing, size_t window, size_t nth)
{
	if (nth >= pairing->control_count)
		return NULL;
	const size_t *control = &pairing->controls[nth];
	const struct effect_window *one = &pairing->windows[window];
	const struct effect_window *other = &pairing->windows[*control];
	uint64_t a = one->time_ns, b = other->time_ns;
	double reach = (double)one->reach_ns + (double)other->reach_ns;
	return (double)(a > b ? a - b : b - a) - reach <= pairing->near_ns ? control : NULL;
}

/* Of the ratio, or of RATIO_LEAST if that is larger. */
static double ratio_position(double ratio)
{
	return log((fmax(ratio, RATIO_LEAST) + RATIO_OFFSET) / (1 + RATIO_OFFSET));
}

static void add_ratio(struct pairing *pairing, size_t window, const size_t *before,
		      const size_t *after)
{
	const struct effect_window *windows = pairing->windows;
	struct ratio ratio = {
		.speedup = windows[window].speedup,
		.controls = {before ? *before : *after, after ? *after : *before},
		.weights = {1, 0},
	};
	if (before && after) {
		double span_ns = (double)(windows[*after].time_ns - windows[*before].time_ns);
		double passed_ns = (double)(windows[window].time_ns - windows[*before].time_ns);
		ratio.weights[1] = span_ns > 0 ? passed_ns / span_ns : 0.5;
		ratio.weights[0] = 1 - ratio.weights[1];
	}
	double usual = 0; /* logarithm of what the controls give */
	for (int i = 0; i < 2; i++) {
		double weight = ratio.weights[i];
		usual += weight * log(windows[ratio.controls[i]].period_ns);
		ratio.control_variance += weight * weight;
	}
	double value = windows[window].period_ns / exp(usual);
	ratio.position = ratio_position(value);
	pairing->set->items[pairing->set->count++] = ratio;
}

/* `passed` is the number of the run's undisturbed controls before the window. */
static void latency_window(struct pairing *pairing, size_t window, size_t passed)
{
	bool serves = passed < pairing->control_count && pairing->controls[passed] == window;
	const size_t *before = passed ? near_control(pairing, window, passed - 1) : NULL;
	const size_t *after = near_control(pairing, window, passed + serves);

	if (!before && !after)
		return;
	if (is_control(&pairing->windows[window]))
		pairing->set->paired_controls++;
	if (!serves || passed % 2)
		add_ratio(pairing, window, before, after);
}

static double difference(const struct pairing *pairing, size_t a, size_t b)
{
	const struct effect_window *windows = pairing->windows;
	return fabs(log(windows[a].period_ns / windows[b].period_ns));
}

/* Does the nth of the run's controls agree with half of the two before and the two after it? */
static bool is_undisturbed(const struct pairing *pairing, const size_t *controls, size_t count,
			   size_t nth)
{
	size_t first = nth < 2 ? 0 : nth - 2, last = nth + 2 < count ? nth + 2 : count - 1;
	size_t others = last - first, agreeing = 0;

	for (size_t i = first; i <= last; i++)
		if (i != nth && difference(pairing, controls[nth], controls[i]) <= pairing->agree)
			agreeing++;
	return others < 2 || 2 * agreeing >= others;
}

/* Makes the run's undisturbed controls, of `count`, the ones to pair with. */
static void choose_controls(struct pairing *pairing, const size_t *controls, size_t count,
			    size_t *chosen)
{
	pairing->controls = chosen;
	pairing->control_count = 0;
	for (size_t i = 0; i < count; i++)
		if (is_undisturbed(pairing, controls, count, i))
			chosen[pairing->control_count++] = controls[i];
}

static void pair_run(struct pairing *pairing, size_t first, size_t end)
{
	AUTO(numbers) size_t *controls = memory_new(end - first, sizeof(*controls));
	AUTO(numbers) size_t *chosen = memory_new(end - first, sizeof(*chosen));
	size_t count = 0, passed = 0;

	for (size_t i = first; i < end; i++)
		if (is_control(&pairing->windows[i]))
			controls[count++] = i;
	choose_controls(pairing, controls, count, chosen);
	for (size_t i = first; i < end; i++) {
		latency_window(pairing, i, passed);
		if (passed < pairing->control_count && chosen[passed] == i)
			passed++;
	}
}

/*
 * From the median difference of successive controls, which is 0.6745 standard deviations of such
 * a difference, whatever a minority of the windows does.
 */
static double agree_limit(const struct pairing *pairing, size_t count)
{
	AUTO(reals) double *differences = memory_new(count, sizeof(*differences));
	size_t known = 0, last = count;

	for (size_t i = 0; i < count; i++) {
		if (!is_control(&pairing->windows[i]))
			continue;
		if (last < count && pairing->windows[last].run == pairing->windows[i].run)
			differences[known++] = difference(pairing, last, i);
		last = i;
	}
	if (!known)
		return INFINITY;
	return AGREE_DEVIATIONS * summary_median(differences, known) / 0.6744897501960817 + 1e-9;
}

static void sort_by_speedup(struct ratio_set *set)
{
	struct numbered_ratio *numbered = memory_new(set->count, sizeof(*numbered));
	for (size_t i = 0; i < set->count; i++)
		numbered[i] = (struct numbered_ratio){set->items[i], i};
	qsort(numbered, set->count, sizeof(*numbered), compare_ratios);
	for (size_t i = 0; i < set->count; i++)
		set->items[i] = numbered[i].ratio;
	free(numbered);
}

double ratio_at(double position)
{
	return 1 + (1 + RATIO_OFFSET) * expm1(position);
}

struct ratio_set ratio_set_new(const struct effect_window *windows, size_t count)
{
	AUTO(windows) struct effect_window *sorted = memory_new(count, sizeof(*sorted));
	struct ratio_set set = {.items = memory_new(count, sizeof(*set.items)), .windows = count};
	size_t usable = 0, end;

	for (size_t i = 0; i < count; i++)
		if (is_usable(&windows[i]))
			sorted[usable++] = windows[i];
	qsort(sorted, usable, sizeof(*sorted), compare_windows);
	struct pairing pairing = {.set = &set, .windows = sorted};
	pairing.near_ns = near_limit_ns(sorted, usable);
	pairing.agree = agree_limit(&pairing, usable);
	for (size_t first = 0; first < usable; first = end) {
		for (end = first; end < usable && sorted[end].run == sorted[first].run;)
			end++;
		pair_run(&pairing, first, end);
	}
	sort_by_speedup(&set);
	return set;
}

void ratio_set_free(struct ratio_set *set)
{
	free(set->items);
	*set = (struct ratio_set){0};
}
