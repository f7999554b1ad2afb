/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tail - what a virtual speedup does to the 99th percentile of the lengths of spans.
 *
 * Windows hold counts by length. At each speedup the windows' counts are pooled, the percentile is
 * read off, and compared with that at speedup 0; the interval is from drawing windows anew (the
 * bootstrap, Efron and Tibshirani 1993, by whole windows: spans of one window are alike).
 *
 * A span takes its length less its credit, and credit is sampled: where a span's time in the target
 * is hit by chance, credits of equal spans differ, and a percentile of the differences would be too
 * high. So in a bucket of equal lengths, credits are moved to their mean by as much as their
 * variance is that of sampling; what is beyond that is how spans of one length differ, and stays.
 *
 * There is no answer rather than a guess: with too few spans above the percentile, where it is not
 * many sampling periods long, or nearly as long as the windows.
 */
#pragma once

#include "stats/effect.h"

#define TAIL_SHARE 0.99
#define TAIL_BUCKETS 1024         /* numbers of buckets are below */
#define TAIL_BUCKET_WIDTH 0.03125 /* a bucket's lengths differ by less than that, as a share */
#define TAIL_SPANS_LEAST 1000     /* so that ten are above */
#define TAIL_WINDOWS_LEAST 4
#define TAIL_PERIODS_LEAST 10     /* that the percentile must be long at speedup 0 */
#define TAIL_PERIODS_AT_SPEEDUP 4 /* and at others */

/* Spans of one length. */
struct tail_bucket {
	unsigned bucket; /* 0: shorter than all that is measured */
	double spans;
	double weight;               /* with those that had begun too early to be measured */
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
	TAIL_FEW_SPANS,       /* or windows */
	TAIL_SHORT,           /* for the sampling period */
	TAIL_LONG,            /* for the windows */
	TAIL_FEW_AT_SPEEDUP,  /* the percentile is known at speedup 0 only */
	TAIL_UNMEASURED_TIME, /* said by callers: the spans' time is not in those measured */
	TAIL_PHASES,          /* said by callers: the windows are of the target's phases only */
};

struct tail {
	enum tail_status status;
	double length_ns;     /* the percentile at speedup 0; 0 if unknown */
	double spans;         /* at speedup 0 */
	double needed_factor; /* too few spans: how many times the windows would do; else 0 */
	struct effect_point *points; /* ascending, above 0; windows are those at the speedup */
	size_t count;
};

/*
 * Neighbouring speedups with few windows are taken together, up to TAIL_REACH apart. Points are to
 * be freed.
 */
#define TAIL_REACH 0.2
struct tail tail_estimate(const struct tail_window *windows, size_t count, double period_ns);
