/* SPDX-License-Identifier: BSD-2-Clause */
/* charge_check - compares the growth of G with bounds that follow from samples. */
#include "analyze/causal/charge_check.h"

#include <math.h>
#include <stdbool.h>

/*
 * Samples are a count, and ticks cost more where threads pause: G may exceed its bound by this
 * factor of k and by this part of the window.
 */
#define EXCESS_FACTOR 3.0
#define EXCESS_SHARE 0.1
/* With this many threads in the target at least, G grows by this part of s * min(1, k) at least. */
#define MISSING_THREADS 0.3
#define MISSING_SHARE 0.02
/* Not charged, of all samples in the target, and of a thread's time; less may be chance. */
#define UNRECOGNIZED_PART 0.3
#define UNRECOGNIZED_THREADS 0.02

/* Pauses are nearly all of a window beyond this part of it, if one in so much time was cut, ... */
#define WHOLE_SHARE 0.9
#define WHOLE_CUT_NS 4000000
#define WHOLE_THREADS 3 /* ... or so many threads are in the target, and pay late */

static double part(uint64_t time_ns, uint64_t duration_ns)
{
	return duration_ns ? (double)time_ns / (double)duration_ns : 0;
}

/* Of the window and the two beside it, the largest mean number of threads in the target. */
static double threads_near(const struct charge_window *windows, size_t count, size_t at)
{
	size_t first = at ? at - 1 : 0, last = at + 1 < count ? at + 1 : at;
	double most = 0;

	for (size_t i = first; i <= last; i++)
		most = fmax(most, part(windows[i].target_ns, windows[i].duration_ns));
	return most;
}

struct usual {
	double growth;  /* of G by ticks, as a part of the time */
	double threads; /* mean number in the target */
};

/* Of the windows at speedup 0. */
static struct usual usual_of(const struct charge_window *windows, size_t count)
{
	double delay_ns = 0, duration_ns = 0, target_ns = 0;

	for (size_t i = 0; i < count; i++) {
		if (windows[i].speedup > 0)
			continue;
		delay_ns += (double)windows[i].delay_ns;
		duration_ns += (double)windows[i].duration_ns;
		target_ns += (double)windows[i].target_ns;
	}
	if (!(duration_ns > 0))
		return (struct usual){0};
	return (struct usual){delay_ns / duration_ns, target_ns / duration_ns};
}

/* Samples in the target that were not charged; after the first of a new file there are a few. */
static bool is_unrecognized(const struct charge_window *window)
{
	double not_charged = part(window->unrecognized_ns, window->duration_ns);
	double all = not_charged + part(window->target_ns, window->duration_ns);

	return not_charged > fmax(UNRECOGNIZED_PART * all, UNRECOGNIZED_THREADS);
}

void charge_check(const struct charge_window *windows, size_t count, enum charge_verdict *verdicts)
{
	struct usual usual = usual_of(windows, count);

	for (size_t i = 0; i < count; i++) {
		const struct charge_window *window = &windows[i];
		double growth = part(window->delay_ns, window->duration_ns);
		double near = threads_near(windows, count, i);
		double own = part(window->target_ns, window->duration_ns);

		verdicts[i] = CHARGE_AGREES;
		if (!(window->speedup > 0) || !window->sampled_ns)
			continue;
		if (growth >
		    window->speedup * fmin(1, EXCESS_FACTOR * near) + usual.growth + EXCESS_SHARE)
			verdicts[i] = CHARGE_EXCESSIVE;
		else if ((own > MISSING_THREADS &&
			  growth < MISSING_SHARE * window->speedup * fmin(1, own)) ||
			 is_unrecognized(window))
			verdicts[i] = CHARGE_MISSING;
		else if (growth > WHOLE_SHARE &&
			 (window->capped * WHOLE_CUT_NS > window->duration_ns ||
			  usual.threads > WHOLE_THREADS))
			verdicts[i] = CHARGE_WHOLE;
	}
}
