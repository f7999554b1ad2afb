/* SPDX-License-Identifier: BSD-2-Clause */
/* paced_share - a trimmed mean over paused windows, and two bounds on it. */
#include "analyze/causal/paced_share.h"

#include "base/memory.h"
#include "stats/distribution.h"

#include <math.h>
#include <stdlib.h>

#define NEAR_LEAST_NS 1000000000u
#define NEAR_DURATIONS 4
#define TRIMMED 0.2 /* of the windows, at either end */
/* Neighbouring windows share a control: the variance of their mean is 4/3 of independent ones'. */
#define SHARED_CONTROLS 1.3333333333333333
#define SIGNS_LEAST 7 /* windows; fewer must all be above the bound */

static bool is_near(const struct paced_window *control, const struct paced_window *paused)
{
	uint64_t a = control->start_ns, b = paused->start_ns,
		 near = NEAR_DURATIONS * paused->duration_ns;

	if (near < NEAR_LEAST_NS)
		near = NEAR_LEAST_NS;
	return !control->is_paused && control->run_id == paused->run_id &&
	       (a > b ? a - b : b - a) <= near;
}

/* By the ratio of rates. */
static double share_by_rate(const struct paced_window *before, const struct paced_window *paused,
			    const struct paced_window *after, double rate)
{
	double least = 2 * paused->effective / (before->effective + after->effective);

	return least < 1 ? (rate - least) / (1 - least) : NAN;
}

/* Of the window between two others; NAN if these are not its controls. */
static double share_between(const struct paced_window *before, const struct paced_window *paused,
			    const struct paced_window *after)
{
	if (!is_near(before, paused) || !is_near(after, paused))
		return NAN;
	return share_by_rate(before, paused, after,
			     2 * paused->rate / (before->rate + after->rate));
}

/* What it has more than the share of CPU time for wall time. */
static double relief_between(const struct paced_window *before, const struct paced_window *paused,
			     const struct paced_window *after)
{
	double work = before->rate * before->spent_ns + after->rate * after->spent_ns;

	if (!is_near(before, paused) || !is_near(after, paused) || !(work > 0))
		return NAN;
	return share_between(before, paused, after) -
	       share_by_rate(before, paused, after, 2 * paused->rate * paused->spent_ns / work);
}

static int compare_shares(const void *left, const void *right)
{
	const double *a = left, *b = right;
	return (*a > *b) - (*a < *b);
}

/* The growth of `spent_ns` with wall time between the same; NAN likewise. */
static double growth_between(const struct paced_window *before, const struct paced_window *paused,
			     const struct paced_window *after)
{
	if (!is_near(before, paused) || !is_near(after, paused))
		return NAN;
	double longer = 1 / paused->rate - (1 / before->rate + 1 / after->rate) / 2;
	double more = paused->spent_ns - (before->spent_ns + after->spent_ns) / 2;
	return longer > 0 ? more / longer : NAN;
}

typedef double between_windows(const struct paced_window *before, const struct paced_window *paused,
			       const struct paced_window *after);

static size_t find_shares(const struct paced_window *windows, size_t count,
			  between_windows *between, double *shares)
{
	size_t found = 0;

	for (size_t i = 1; i + 1 < count; i++) {
		double share = windows[i].is_paused ?
				       between(&windows[i - 1], &windows[i], &windows[i + 1]) :
				       NAN;
		if (isfinite(share))
			shares[found++] = share;
	}
	qsort(shares, found, sizeof(*shares), compare_shares);
	return found;
}

/* Of ascending shares: trimmed mean and winsorized error. Returns the degrees of freedom. */
static double trim(const double *shares, size_t count, struct paced_share *result)
{
	size_t cut = count < 5 ? 0 : (size_t)(TRIMMED * (double)count);
	double sum = 0, winsorized = 0, squares = 0, number = (double)count;

	for (size_t i = 0; i < count; i++) {
		size_t at = i < cut ? cut : i + cut >= count ? count - cut - 1 : i;
		winsorized += shares[at] / number;
		sum += at == i ? shares[i] : 0;
	}
	for (size_t i = 0; i < count; i++) {
		size_t at = i < cut ? cut : i + cut >= count ? count - cut - 1 : i;
		squares += (shares[at] - winsorized) * (shares[at] - winsorized);
	}
	double kept = (double)(count - 2 * cut);
	result->share = sum / kept;
	result->error = sqrt(SHARED_CONTROLS * squares / (number - 1) / number) * number / kept;
	return kept - 1;
}

/*
 * The largest order statistic that lies above the median by chance `chance` at most: the number of
 * shares below the median is binomial with 1/2.
 */
static double bound_by_signs(const double *shares, size_t count, double chance)
{
	double part = pow(0.5, (double)count), sum = 0;
	size_t at = 0;

	if (count < SIGNS_LEAST)
		return shares[0];
	while (at < count && sum + part <= chance) {
		sum += part;
		part *= (double)(count - at) / (double)(at + 1);
		at++;
	}
	return shares[at ? at - 1 : 0];
}

struct paced_share paced_share_of(const struct paced_window *windows, size_t count, size_t points)
{
	double *shares = memory_new(count, sizeof(*shares));
	size_t found = find_shares(windows, count, share_between, shares);
	struct paced_share result = {.low = -INFINITY, .windows = (unsigned)found};

	if (found >= PACED_WINDOWS_LEAST) {
		double chance = PACED_CHANCE / (double)(points ? points : 1);
		double freedom = trim(shares, found, &result);
		double by_signs = bound_by_signs(shares, found, chance);
		double reach = hypot(student_quantile(1 - chance, freedom) * result.error,
				     normal_quantile(1 - chance) * PACED_METHOD_ERROR);
		result.low = fmin(by_signs, result.share - reach);
		result.error = hypot(result.error, PACED_METHOD_ERROR);
	}
	free(shares);
	return result;
}

static struct paced_share mean_of(const struct paced_window *windows, size_t count,
				  between_windows *between)
{
	double *values = memory_new(count, sizeof(*values));
	size_t found = find_shares(windows, count, between, values);
	struct paced_share result = {.low = -INFINITY, .windows = (unsigned)found};

	if (found >= PACED_WINDOWS_LEAST)
		trim(values, found, &result);
	free(values);
	return result;
}

struct paced_share paced_relief_of(const struct paced_window *windows, size_t count)
{
	return mean_of(windows, count, relief_between);
}

struct paced_share paced_growth_of(const struct paced_window *windows, size_t count)
{
	return mean_of(windows, count, growth_between);
}
