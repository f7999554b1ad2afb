/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tally - the session's own view of its results while it runs: the best target so far, and whether
 * the answer is sure enough to stop. Same estimators as the report, without the phase correction.
 */
#pragma once

#include "profile/recording.h"
#include "stats/effect.h"

struct tally;

struct tally_best {
	int64_t target_id, point_id;
	struct effect_point at_quarter; /* at a speedup of 25 % */
	double widest; /* half of the widest interval among its measured speedups */
	size_t points; /* measured speedups */
};

struct tally *tally_new(void);
void tally_free(struct tally *tally);
/* `place`: of the experiment in its stretch (stats/settle.h). */
void tally_add(struct tally *tally, const struct recording_experiment *experiment, unsigned place,
	       const struct recording_point *point_of_visit, const struct recording_visit *visit);
/* How many of a target's first windows of a stretch are too early: the level of stats/settle.h. */
unsigned tally_settling(const struct tally *tally, int64_t target_id);
unsigned tally_targets(const struct tally *tally);
/* The target and point with the highest lower bound of the slope; false if there is none yet. */
bool tally_best(const struct tally *tally, struct tally_best *best);
