/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * samples_pair - two recordings of `lever record`, before and after a change: which functions take
 * more or less time.
 *
 * A function's cost is the time of its own samples for one run of the program, or for one second
 * where a recording is of processes that ran already. With three runs or more on both sides the
 * error is how runs differ (Student's t test with a pooled relative variance); with fewer, it is
 * that of the number of samples, and 1 % a side for what differs between runs. Changed functions
 * are those at a false discovery rate of 5 % over all with 0.5 % of the time or more.
 */
#pragma once

#include "analyze/diff/profile_pair.h"
#include "analyze/diff/samples_cost.h"
#include "base/memory.h"

struct samples_change {
	double unit_ns[2];        /* by side, for a run or a second */
	double change, low, high; /* after / before - 1, with a 95 % interval; NAN: few samples */
	double p;
	bool is_sure;
};

struct samples_function {
	const struct samples_cost *sides[2]; /* NULL: never sampled there */
	struct samples_change change;
};

struct samples_pair {
	const struct recording *recordings[2];
	struct samples *samples[2];
	struct samples_costs costs[2];
	bool is_per_second;
	bool has_run_errors; /* errors are how runs differ */
	double run_error;    /* standard error of after / before by that, as a fraction */
	double units[2];     /* runs or seconds, by side */
	struct samples_change on_cpu, waiting; /* of all functions */
	struct samples_function *functions;    /* the largest difference in time first */
	size_t count, changed;
	enum gate_verdict gate; /* of the time on CPU */
	ARRAY(char *) notes;    /* sentences */
};

/*
 * -EINVAL with a sentence: no samples, or different programs. `gate` is that of run_pairs_plan, for
 * the time on CPU. Keeps pointers into the recordings.
 */
int samples_pair_new(const struct recording *before, const struct recording *after, double gate,
		     struct samples_pair **result, struct error *error);
void samples_pair_free(struct samples_pair *pair);

/* The row of a function: of its side after the change, or before if it is gone. */
const struct samples_cost *samples_function_either(const struct samples_function *function);
