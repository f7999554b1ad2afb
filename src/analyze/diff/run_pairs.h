/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run_pairs - two programs that run in turn: who is next, when it is enough, and the ratio.
 *
 *	struct run_pairs *run_pairs = run_pairs_new(&plan);
 *	while (!run_pairs_is_done(run_pairs))
 *		run_pairs_add(run_pairs, seconds(run_pairs_next(run_pairs)));
 *	struct run_pairs_result result = run_pairs_result(run_pairs);
 *
 * The runs come in fours, ABBA or BAAB by chance, in which a linear drift and the effect of being
 * first cancel; where few pairs are planned, in twos. stats/randomization.h tests them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum run_side { RUN_BEFORE, RUN_AFTER }; /* A, B */

#define RUN_PAIRS_LEVEL 0.025 /* so that of 100 unchanged programs 2 or 3 are called changed */
#define RUN_PAIRS_NO_GATE (-1.0)

struct run_pairs_plan {
	unsigned pairs;   /* at most; at least 1 */
	double seconds;   /* of run time, both sides together, at most; 0: no limit */
	double smallest;  /* the smallest change that matters, as a fraction; 0: any does */
	double gate;      /* a slowdown that decides, as a fraction; or RUN_PAIRS_NO_GATE */
	unsigned layouts; /* memory layouts to change between, a unit of runs each; 0: none */
	uint64_t seed;    /* of the order */
	bool needs_all;   /* does not stop early */
};

enum run_verdict {
	RUN_UNSURE,   /* the interval holds 1 */
	RUN_SLOWER,   /* B takes longer */
	RUN_FASTER,   /* B takes less time */
	RUN_NO_CHANGE /* the interval lies within `smallest` of 1 */
};

enum gate_verdict { GATE_NONE, GATE_PASSED, GATE_FAILED, GATE_UNSURE };

struct run_side_summary {
	double median, low, high; /* of the side's runs, and their quartiles */
	double least, most;
	size_t runs;
};

struct run_pairs_result {
	struct run_side_summary sides[2];
	double ratio, low, high; /* of B's time to A's, with a 97.5 % interval; may be infinite */
	double p;
	size_t pairs;    /* that count */
	size_t warm_up;  /* pairs left out */
	size_t looks;    /* at the data */
	bool is_early;   /* it ended before the planned number of runs */
	double position; /* a run's time as the second of a pair, divided by that as the first */
	enum run_verdict verdict;
	enum gate_verdict gate;
};

struct run_pairs;

struct run_pairs *run_pairs_new(const struct run_pairs_plan *plan);
/* Before the first run: what an uncounted pair took. Where time is short, twos are used. */
void run_pairs_expect(struct run_pairs *run_pairs, double pair_seconds);
void run_pairs_free(struct run_pairs *run_pairs);
/* Finished pairs, those of the warm-up included. */
size_t run_pairs_count(const struct run_pairs *run_pairs);
bool run_pairs_is_done(const struct run_pairs *run_pairs);
enum run_side run_pairs_next(const struct run_pairs *run_pairs);
/* Number of the unit of the next run: runs of one unit share their memory layout. */
size_t run_pairs_unit(const struct run_pairs *run_pairs);
/* Of the run that run_pairs_next named; `value` > 0 is its time, or its time for each visit. */
void run_pairs_add(struct run_pairs *run_pairs, double value, double seconds);
/* Ends the runs before the plan does; an unfinished unit is left out. */
void run_pairs_stop(struct run_pairs *run_pairs);
/* At the end. NAN where there are no data. */
struct run_pairs_result run_pairs_result(const struct run_pairs *run_pairs);
