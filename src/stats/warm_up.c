/* SPDX-License-Identifier: BSD-2-Clause */
/* warm_up - compares early windows of series with late ones, and their work with controls'. */
#include "stats/warm_up.h"

#include "base/memory.h"
#include "stats/distribution.h"

#include <math.h>

#define SERIES_LEAST 3
#define SURE 0.9995    /* either side: of some dozens of tests a run, few are wrong */
#define WORK_SURE 0.99 /* a false alarm costs time, no accuracy */
#define UNNOTICED 0.975
#define CHANGE_LEAST 0.02 /* smaller ones do not matter */
#define WORK_KNOWN 0.9    /* where this program's queues are known to empty at some speedup */
#define WORK_LEAST 0.02   /* of the work of a visit */
#define WORK_LIKELY 0.01
#define LIKELY 0.975
#define SPREAD_LEAST 1e-3 /* of logarithms: smaller ones are rounding errors */
#define BOUND_WINDOWS 3   /* of a point that bounds others: one window alone may be far off */

/* Indexes within a series that are compared. */
static const struct level {
	unsigned skipped, early_end, late, series;
} levels[WARM_UP_LEVELS] = {{0, 1, 3, 4}, {4, 6, 10, 12}, {12, 16, 20, 24}, {30, 36, 44, 48}};

unsigned warm_up_skipped(unsigned level)
{
	return levels[level].skipped;
}

unsigned warm_up_series(unsigned level)
{
	return levels[level].series;
}

unsigned warm_up_bin_of(double speedup)
{
	return speedup > 0 ? 1 + (unsigned)fmin(3, fmax(0, ceil(4 * speedup - 1e-9) - 1)) : 0;
}

unsigned warm_up_level_at(const struct warm_up *warm_up, double speedup)
{
	return warm_up->levels[warm_up_bin_of(speedup)];
}

double warm_up_imbalance_at(const struct warm_up *warm_up, double speedup)
{
	return warm_up->imbalance[warm_up_bin_of(speedup)];
}

static bool continues(const struct effect_window *before, const struct effect_window *window)
{
	return window->index > before->index && window->speedup == before->speedup &&
	       window->run == before->run;
}

/* The number of windows of the series that begins here. */
static size_t series_at(const struct effect_window *windows, size_t count)
{
	size_t end = 1;

	while (end < count && continues(&windows[end - 1], &windows[end]))
		end++;
	return end;
}

/* The mean of a logarithm over the windows of a series at some indexes; NAN without any. */
struct mean {
	double sum, count;
};

static void mean_add(struct mean *mean, double value)
{
	mean->sum += value;
	mean->count++;
}

static double mean_of(const struct mean *mean)
{
	return mean->count > 0 ? mean->sum / mean->count : NAN;
}

/* A series as the tests of one level see it. */
struct summary {
	unsigned bin;
	double speedup;
	double change;      /* of log(period), from early windows to late ones */
	double work_change; /* the same of log(work) */
	double work;        /* log(work) of early windows; NAN if unknown */
	double last_work;   /* of its last window */
	double period;      /* mean log(period) */
	double load;        /* log(work / period) of its last window */
	bool is_long;       /* enough windows for the last one to be late */
	double reference;   /* work of the controls beside it */
};

static struct summary summary_of(const struct effect_window *windows, size_t count,
				 const struct level *level)
{
	struct mean early = {0}, late = {0}, work = {0}, late_work = {0}, all = {0};
	double last_work = NAN, load = NAN;

	for (size_t i = 0; i < count; i++) {
		unsigned index = windows[i].index;
		double period = log(windows[i].period_ns); /* not finite: by the noise of pauses */
		double amount = windows[i].work_ns > 0 ? log(windows[i].work_ns) : NAN;
		bool is_early = index >= level->skipped && index < level->early_end;
		if (is_early)
			mean_add(&early, period);
		else if (index >= level->late)
			mean_add(&late, period);
		if (!isfinite(amount))
			continue;
		last_work = amount;
		load = amount - period;
		mean_add(&all, period);
		if (is_early)
			mean_add(&work, amount);
		else if (index >= level->late)
			mean_add(&late_work, amount);
	}
	return (struct summary){.bin = warm_up_bin_of(windows[0].speedup),
				.speedup = windows[0].speedup,
				.change = mean_of(&late) - mean_of(&early),
				.work = mean_of(&work),
				.work_change = mean_of(&late_work) - mean_of(&work),
				.last_work = last_work,
				.period = mean_of(&all),
				.load = load,
				.is_long = windows[count - 1].index >= levels[0].late};
}

/* Sums of a regression through the origin, of values over x. */
struct fit {
	double xx, xy, yy, count;
};

static void fit_add(struct fit *fit, double x, double y)
{
	if (!isfinite(y))
		return;
	fit->xx += x * x;
	fit->xy += x * y;
	fit->yy += y * y;
	fit->count++;
}

static double fit_squares(const struct fit *fit)
{
	return fit->xx > 0 ? fmax(0, fit->yy - fit->xy * fit->xy / fit->xx) : 0;
}

static double fit_slope(const struct fit *fit)
{
	return fit->xx > 0 ? fit->xy / fit->xx : 0;
}

/* Half of the slope's interval, by its one-sided probability; INFINITY with too few values. */
static double fit_reach(const struct fit *fit, double probability)
{
	if (fit->count < SERIES_LEAST || !(fit->xx > 0))
		return INFINITY;
	double freedom = fit->count - 1;
	return student_quantile(probability, freedom) * sqrt(fit_squares(fit) / freedom / fit->xx);
}

/* The tests of one level, by bin. */
struct tests {
	struct fit change[WARM_UP_BINS], work[WARM_UP_BINS];
	struct fit drift;               /* change over speedup, of all bins but the controls */
	unsigned windows[WARM_UP_BINS]; /* that count at this level */
};

/* The error of a bin's mean, from the spread within all bins; its t by their freedom. */
static bool is_sure(const struct fit *fits, unsigned bin, double least, double probability)
{
	double squares = 0, freedom = 0;

	for (unsigned i = 0; i < WARM_UP_BINS; i++) {
		squares += fit_squares(&fits[i]);
		freedom += fmax(0, fits[i].count - 1);
	}
	if (fits[bin].count < SERIES_LEAST || freedom < SERIES_LEAST - 1)
		return false;
	if (fabs(fit_slope(&fits[bin])) < least)
		return false;
	double own = fit_squares(&fits[bin]) / (fits[bin].count - 1);
	double spread = fmax(sqrt(fmax(squares / freedom, own)), SPREAD_LEAST);
	double reach = student_quantile(probability, freedom) * spread / sqrt(fits[bin].count);
	return fabs(fit_slope(&fits[bin])) >= reach;
}

/* The mean difference of work, if it is likely, and below 0; else 0. */
static double imbalance_of(const struct tests *tests, unsigned bin)
{
	const struct fit *work = &tests->work[bin];
	double mean = fit_slope(work), error = fit_reach(work, LIKELY);

	return -mean >= WORK_LIKELY && (isinf(error) || -mean > error) ? mean : 0;
}

/* More work for a visit is contention or spinning, and no sign of warm-up. */
static bool lacks_work(const struct tests *tests, unsigned bin, double probability)
{
	return (!bin || fit_slope(&tests->work[bin]) < 0) &&
	       is_sure(tests->work, bin, WORK_LEAST, probability);
}

static bool is_warming_up(const struct tests *tests, unsigned bin, double probability)
{
	return is_sure(tests->change, bin, CHANGE_LEAST, SURE) ||
	       (probability > 0 && lacks_work(tests, bin, probability));
}

/* After the longest series work differs as at their beginning: not by a queue that empties. */
static bool persists(const struct tests *first, const struct tests *last, unsigned bin)
{
	double early = fit_slope(&first->work[bin]), late = fit_slope(&last->work[bin]);

	return last->work[bin].count > 0 && fabs(early) >= WORK_LEAST && early * late > 0 &&
	       fabs(late) > 0.7 * fabs(early) && !is_sure(first->change, bin, CHANGE_LEAST, SURE) &&
	       !is_sure(last->change, bin, CHANGE_LEAST, SURE);
}

/*
 * Busy cores in the last windows of long series of controls: single ones may still be filling the
 * queues that a speedup has emptied. NAN with too few of them.
 */
static double settled_load(const struct summary *series, size_t count)
{
	struct mean load = {0};

	for (size_t i = 0; i < count; i++)
		if (!series[i].bin && series[i].is_long && isfinite(series[i].load))
			mean_add(&load, series[i].load);
	return load.count >= SERIES_LEAST ? mean_of(&load) : NAN;
}

/* Sets the work that controls beside each series have: the last before and the next after it. */
static void find_references(struct summary *series, size_t count)
{
	double load = settled_load(series, count), before = NAN;

	for (size_t i = 0; i < count; i++)
		series[i].reference = isnan(load) ? series[i].last_work : series[i].period + load;
	for (size_t i = 0; i < count; i++) {
		double after = NAN;
		if (!series[i].bin) {
			before = series[i].reference;
			continue;
		}
		for (size_t j = i + 1; j < count && !isfinite(after); j++)
			if (!series[j].bin)
				after = series[j].reference;
		series[i].reference = isnan(before) ? after :
				      isnan(after)  ? before :
						      (before + after) / 2;
	}
}

static struct tests test_level(const struct effect_window *windows, size_t count,
			       const struct level *level)
{
	struct tests tests = {0};
	struct summary *series = memory_new(count, sizeof(*series));
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		tests.windows[warm_up_bin_of(windows[i].speedup)] +=
			windows[i].index >= level->skipped;
	for (size_t i = 0; i < count;) {
		size_t size = series_at(&windows[i], count - i);
		series[found++] = summary_of(&windows[i], size, level);
		i += size;
	}
	find_references(series, found);
	for (size_t i = 0; i < found; i++) {
		const struct summary *one = &series[i];
		fit_add(&tests.change[one->bin], 1, one->change);
		if (!one->bin)
			fit_add(&tests.work[0], 1, one->work_change);
		if (!one->bin)
			continue;
		fit_add(&tests.drift, one->speedup, one->change);
		fit_add(&tests.work[one->bin], 1, one->work - one->reference);
	}
	free(series);
	return tests;
}

static enum warm_up_work work_of(const struct tests *tests)
{
	const struct tests *last = &tests[WARM_UP_LEVELS - 1];
	enum warm_up_work work = WARM_UP_WORK_UNKNOWN;

	for (unsigned bin = 1; bin < WARM_UP_BINS; bin++) {
		if (persists(&tests[0], last, bin))
			return WARM_UP_WORK_DIFFERS;
		if (last->work[bin].count > 0 && lacks_work(&tests[0], bin, WORK_SURE))
			work = WARM_UP_WORK_TELLS;
	}
	return work;
}

enum warm_up_work warm_up_work_of(enum warm_up_work a, enum warm_up_work b)
{
	return a > b ? a : b;
}

/* The highest level that has windows of the bin, up to this one. */
static unsigned measured_level(const struct tests *tests, unsigned bin, unsigned level)
{
	while (level && !tests[level].windows[bin])
		level--;
	return level;
}

/* How sure less work must be to be a sign; 0: it is none. */
static double work_probability(enum warm_up_work work, unsigned bin)
{
	if (work == WARM_UP_WORK_DIFFERS)
		return 0;
	return work == WARM_UP_WORK_TELLS && bin ? WORK_KNOWN : WORK_SURE;
}

struct warm_up warm_up_detect(const struct effect_window *windows, size_t count,
			      enum warm_up_work work)
{
	struct warm_up warm_up = {0};
	struct tests tests[WARM_UP_LEVELS];

	for (unsigned level = 0; level < WARM_UP_LEVELS; level++)
		tests[level] = test_level(windows, count, &levels[level]);
	warm_up.work = work_of(tests);
	work = warm_up_work_of(work, warm_up.work);
	bool by_work = work != WARM_UP_WORK_DIFFERS;
	for (unsigned bin = 0; bin < WARM_UP_BINS; bin++) {
		unsigned level = 0;
		double probability = work_probability(work, bin);
		while (level < WARM_UP_LEVELS && is_warming_up(&tests[level], bin, probability))
			level++;
		warm_up.is_drifting |= level == WARM_UP_LEVELS;
		level -= level == WARM_UP_LEVELS;
		warm_up.levels[bin] = level;
		warm_up.measured[bin] = measured_level(tests, bin, level);
		if (bin && by_work)
			warm_up.imbalance[bin] = imbalance_of(&tests[warm_up.measured[bin]], bin);
		if (level > warm_up.level)
			warm_up.level = level;
	}
	warm_up.is_undecided = work == WARM_UP_WORK_UNKNOWN && warm_up.level;
	const struct fit *drift = &tests[warm_up.level].drift;
	warm_up.undetected_drift = fabs(fit_slope(drift)) + fit_reach(drift, UNNOTICED);
	return warm_up;
}

/* The mean of the series' windows from the index `skipped` on; returns whether there are any. */
static bool late_mean(const struct effect_window *windows, size_t count, unsigned skipped,
		      struct effect_window *mean)
{
	double time = 0, period = 0, work = 0, cpu = 0, displaced = 0, in_target = 0, members = 0;
	double end = (double)(windows[count - 1].time_ns - windows[0].time_ns);

	for (size_t i = 0; i < count; i++) {
		if (windows[i].index < skipped)
			continue;
		time += (double)(windows[i].time_ns - windows[0].time_ns);
		period += windows[i].period_ns;
		work += windows[i].work_ns;
		cpu += windows[i].cpu_ns;
		displaced += windows[i].displaced;
		in_target += windows[i].in_target;
		members++;
	}
	*mean = windows[0];
	double middle = members > 0 ? time / members : 0;
	mean->time_ns += (uint64_t)middle;
	mean->reach_ns = (uint64_t)fmax(middle, end - middle);
	mean->period_ns = period / members;
	mean->work_ns = work / members;
	mean->cpu_ns = cpu / members;
	mean->displaced = displaced / members;
	mean->in_target = in_target / members;
	return members > 0;
}

size_t warm_up_drop_early(struct effect_window *windows, size_t count,
			  const struct warm_up *warm_up)
{
	size_t kept = 0;

	for (size_t i = 0; i < count;) {
		size_t size = series_at(&windows[i], count - i);
		unsigned level = warm_up->measured[warm_up_bin_of(windows[i].speedup)];
		struct effect_window mean;
		bool has_late = level && late_mean(&windows[i], size, levels[level].skipped, &mean);
		for (size_t j = 0; j < size && !level; j++)
			windows[kept++] = windows[i + j];
		if (has_late)
			windows[kept++] = mean;
		i += size;
	}
	return kept;
}

/* Windows at this speedup are late enough, as is known: earlier ones differed. */
static bool has_settled(const struct warm_up *warm_up, double speedup)
{
	unsigned bin = warm_up_bin_of(speedup);

	return warm_up->levels[bin] && warm_up->measured[bin] == warm_up->levels[bin] &&
	       !(warm_up->imbalance[bin] < 0) && !warm_up->is_drifting;
}

/* Beyond the settled interval the settled gain counts; within it, the two are averaged. */
static void bound_by(struct effect_point *point, const struct effect_point *settled)
{
	double below = fmax(point->gain - point->low, settled->gain - settled->low);
	bool is_beyond = point->gain > settled->high;

	if (!(settled->gain < point->gain))
		return;
	point->gain = is_beyond ? settled->gain : (point->gain + settled->gain) / 2;
	point->low = point->gain - below;
	point->high = fmax(point->gain, fmin(point->high, settled->high));
}

void warm_up_bound(const struct warm_up *warm_up, struct effect_point *points, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = i + 1; j < count && points[i].speedup > 0; j++)
			if (!has_settled(warm_up, points[i].speedup) &&
			    has_settled(warm_up, points[j].speedup) &&
			    points[j].windows >= BOUND_WINDOWS)
				bound_by(&points[i], &points[j]);
}
