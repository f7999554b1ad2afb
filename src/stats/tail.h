/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tail - what a virtual speedup does to the 99th percentile of the lengths of spans.
 *
 * Windows hold counts by length. The counts of all windows at one speedup are pooled, and the
 * percentile of the pool is compared with that at speedup 0. The interval comes from resampling
 * whole windows (the bootstrap, Efron and Tibshirani 1993), since spans of one window are alike.
 *
 * The length of a span at a speedup is its measured length less its credit, which is an estimate
 * from samples: the credits of equal spans differ by sampling noise, which would raise the
 * percentile. So within a bucket of equal lengths, credits are shrunk towards their mean by as much
 * of their variance as sampling explains; the rest is a true difference between spans, and stays.
 *
 * No answer is given with too few spans above the percentile, and where the percentile is shorter
 * than some sampling periods or nearly as long as the windows.
 */
#pragma once

#include "stats/effect.h"

#define TAIL_SHARE 0.99
#define TAIL_BUCKETS 1024         /* bucket numbers are below */
#define TAIL_BUCKET_WIDTH 0.03125 /* lengths within a bucket differ by less than this share */
#define TAIL_SPANS_LEAST 1000     /* ten of these are above the percentile */
#define TAIL_WINDOWS_LEAST 4
#define TAIL_PERIODS_LEAST 10     /* least length of the percentile at speedup 0, in periods */
#define TAIL_PERIODS_AT_SPEEDUP 4 /* the same at other speedups */

/* Spans of one length. */
struct tail_bucket {
	unsigned bucket; /* 0: too short to be measured one by one */
	double spans;
	double weight;               /* includes spans that began before their window */
	double length_ns, credit_ns; /* means */
	double credit_squares, credit_cubes;
};

struct tail_window {
	double speedup;
	const struct tail_bucket *buckets;
	size_t count;
};

enum tail_status {
	TAIL_ANSWERED,
	TAIL_NOT_MEASURED,    /* no lengths at all */
	TAIL_FEW_SPANS,       /* or too few windows */
	TAIL_SHORT,           /* too few sampling periods long */
	TAIL_LONG,            /* nearly as long as a window */
	TAIL_FEW_AT_SPEEDUP,  /* the percentile is known at speedup 0 only */
	TAIL_UNMEASURED_TIME, /* set by callers: most span time is in spans not measured singly */
	TAIL_PHASES,          /* set by callers: the windows cover the target's phases only */
};

struct tail {
	enum tail_status status;
	double length_ns;     /* the percentile at speedup 0; 0 if unknown */
	double spans;         /* at speedup 0 */
	double needed_factor; /* too few spans: so many times the windows are needed; else 0 */
	struct effect_point *points; /* ascending, above 0; windows are those at the speedup */
	size_t count;
};

/*
 * Pools neighbouring speedups with few windows, up to TAIL_REACH apart. The caller frees the
 * points.
 */
#define TAIL_REACH 0.2
struct tail tail_estimate(const struct tail_window *windows, size_t count, double period_ns);
