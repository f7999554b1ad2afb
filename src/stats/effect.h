/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * effect - computes a program speedup with its interval from experiment windows.
 *
 * Pure functions on numbers. A window's period is its effective duration per progress visit, or
 * its latency, or an end-to-end run's effective time; always ns, and smaller is better. Only
 * windows close in time compare, since shared machines drift: each window at a speedup s > 0 is
 * divided by its neighbouring control windows (s = 0) of the same target.
 *
 *	program speedup = 1 - p(s) / p(0)                      (COZ, section 3.2)
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct effect_window {
	uint64_t time_ns; /* the window's middle, on a clock that all windows share */
	double speedup;   /* 0 is a control window */
	double period_ns; /* controls: > 0; windows without an answer are left out by the caller */
	uint32_t run;     /* windows of different runs are never neighbours */
	unsigned index;   /* in its series (stats/warm_up.h), from 0 */
	double work_ns;   /* of the program per progress visit, waits included; 0: unknown */
	double cpu_ns;    /* its part that is CPU time, exactly; 0: unknown */
	double displaced; /* part of its effective time in which other programs had a core */
	double in_target; /* part of its time in which the target ran, 1 if all of it */
	/* Of the mean of a series: from its time to the farther end of the series. */
	uint64_t reach_ns;
};

struct effect_point {
	double speedup;
	double gain;      /* program speedup as a fraction; may be negative */
	double low, high; /* 95 % interval */
	double error;     /* standard error */
	double shared;    /* the part of error that the points have in common: shared controls */
	unsigned windows; /* windows at this speedup that had a control near them */
};

struct effect_slope {
	double slope, low, high; /* program speedup per unit of speedup; 95 % interval */
	unsigned windows;
};

/*
 * Program speedup at each distinct speedup among the windows (in any order), ascending in speedup,
 * speedup 0 included (gain 0, its interval from controls compared with controls) if there are at
 * least two controls. Writes at most `most` points; returns their number: 0 if the variance of the
 * windows cannot be estimated, as from one window with one control. A control is near a window if
 * both are of the same run and at most a second, or four usual spacings of windows, apart.
 */
size_t effect_estimate(const struct effect_window *windows, size_t count,
		       struct effect_point *points, size_t most);

/*
 * Windows within a second share the machine's state, which their scatter does not show: widens the
 * intervals to those of as many degrees of freedom as there are such stretches with windows above
 * speedup 0. `windows` are in the order of time.
 */
void effect_limit_freedom(struct effect_point *points, size_t count,
			  const struct effect_window *windows, size_t window_count);

/* Adds a standard error that all points of a curve share, of normal distribution. */
void effect_point_widen(struct effect_point *point, double error);

/*
 * The windows' scatter does not include the difference between virtual and real speedups. This
 * standard error of the method is added to each point above speedup 0, as an error that all points
 * of a curve share. Its size: docs/decisions.md, "The method's own error".
 */
#define EFFECT_METHOD_ERROR 0.006
#define EFFECT_METHOD_SHARE 0.005 /* of the gain, in addition */
void effect_add_method_error(struct effect_point *points, size_t count);

/*
 * Slope of a straight line through the origin, weighted by 1 / error^2; its interval is widened
 * where the points scatter about the line more than their errors explain. All 0 if no point is
 * above speedup 0. A caller that scales points (gain, low, high, error) scales `shared` too.
 */
struct effect_slope effect_slope(const struct effect_point *points, size_t count);

/*
 * The probability, two-sided, that points without any effect look as much like a line of a slope
 * within [least, most] as these do; 1 if no point is above speedup 0. `tendency` is the slope of
 * the line that fits them best, without bounds.
 */
double effect_probability(const struct effect_point *points, size_t count, double least,
			  double most, double *tendency);

/*
 * The probability, one-sided, that points of a line of this slope lie above it by as much as the
 * one that is farthest above; 1 if none is.
 */
double effect_probability_above(const struct effect_point *points, size_t count, double slope);

/*
 * Program speedup at any `speedup`, interpolated between the measured points by a smooth curve
 * through 0 at 0, with its interval. `windows` are those of the points that have at least a tenth
 * of the weight. Returns 0, or -1 if no point above speedup 0 is within 0.25.
 */
int effect_at(const struct effect_point *points, size_t count, double speedup,
	      struct effect_point *answer);

/*
 * Phase correction (COZ, eq. 5-8): t_A / T from the target's sampled time inside its own control
 * windows (target_ns of observed_ns) and in the whole run at speedup 0 (run_target_ns of run_ns).
 * Returns a factor in (0, 1]; 1 where it does not differ from 1 significantly.
 */
double effect_phase_factor(double target_ns, double observed_ns, double run_target_ns,
			   double run_ns, double sample_ns);
