/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile_pair - two causal profiles of a program, before and after a change: did it come true?
 *
 * The realised speedup of a function is s = 1 - c1 / c0, where c is its sampled time for each visit
 * (function_cost.h). The predicted gain is that of BEFORE's curve at s; the measured one is
 * 1 - p1 / p0 of the windows at speedup 0. Changed functions are those at a false discovery rate of
 * 5 % over all functions.
 */
#pragma once

#include "analyze/causal/causal.h"
#include "analyze/diff/function_cost.h"
#include "analyze/diff/run_pairs.h"
#include "base/error.h"

enum profile_side { PROFILE_BEFORE, PROFILE_AFTER };

enum came_true { CAME_TRUE, FELL_SHORT, BETTER_THAN_PREDICTED, CANNOT_TELL };

struct gain_estimate {
	double gain, low, high, error;
	double control_error; /* signed: the part of `error` by the unchanged functions' cost */
	bool is_known;
};

struct changed_function {
	const struct function_cost *sides[2]; /* NULL: only on the other side */
	double speedup, low, high; /* s, with a 95 % interval; NAN if one side lacks it */
	double p;
	bool is_changed;    /* at the false discovery rate, and not by the machine alone */
	double saved_share; /* of BEFORE's cost of a visit */
	struct gain_estimate predicted; /* of this change alone */
};

struct profile_pair {
	const struct recording *recordings[2];
	const struct recording_point *points[2];
	struct causal *causal[2];
	struct function_costs costs[2];
	struct changed_function *functions; /* largest saving or loss first */
	size_t count, changed;
	const struct changed_function *main; /* with the largest predicted effect; NULL: none */
	struct gain_estimate predicted, measured;
	/*
	 * Cost of the functions that did not change, after by before, and the standard error of its
	 * logarithm by the number of samples. Where they are a large part of the program, the ratio
	 * is that of the machine's speed, and `speedup` of changed functions is without it, as is
	 * `measured` as far as it follows (machine_speed.h).
	 */
	double other_ratio, other_error, follow_rate;
	bool is_corrected;
	enum came_true verdict;
	enum gate_verdict gate;
	struct {
		char **items;
		size_t count, capacity;
	} notes;      /* sentences: what else differs, and reasons of CANNOT_TELL */
	bool is_void; /* one of them makes the comparison void */
};

/*
 * -EINVAL with a sentence: different programs, no common progress point, no causal runs. `gate` is
 * that of run_pairs_plan. Keeps pointers into the recordings. The point is that of this name, or
 * NULL: the first common one.
 */
int profile_pair_new(const struct recording *before, const struct recording *after, double gate,
		     const char *point, struct profile_pair **result, struct error *error);
void profile_pair_free(struct profile_pair *pair);

/* The last run's: "orders" of ["env","A=1","/usr/bin/orders","5"]. NULL: unknown. To be freed. */
char *profile_pair_program(const struct recording *recording);
/* Time of functions with a name of their own (not "orders+0x1d60"), and of those that both have. */
struct profile_pair_common {
	double named[2], common[2], all[2]; /* by side */
};
/*
 * Are two programs the same one? Yes, where functions' names do not tell. Programs of one name need
 * hardly anything in common, as a version may be another from the ground up.
 */
bool profile_pair_is_common(const struct profile_pair_common *common, bool has_one_name);
bool profile_pair_has_name(const char *function);
