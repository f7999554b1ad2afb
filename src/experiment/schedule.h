/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * schedule - which code to speed up next, and by how much.
 *
 * Decisions only: no clock, no thread, no file. The same seed and the same weights give the same
 * schedule, and so it is tested.
 *
 * Windows come in blocks on one target: control, speedup, control, speedup, ..., control. So every
 * window has its own target's control before and after it (COZ, section 2: a line's own baseline),
 * and half of all windows have s = 0. The target of a block is drawn in proportion to its weight
 * (recently sampled time); the speedups of a target come from its own shuffled deck, so that every
 * step comes equally often.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCHEDULE_BLOCK 3 /* speedups in a block */

struct schedule;

struct schedule_plan {
	size_t target;  /* index of the weight that was drawn */
	double speedup; /* 0: a control */
	bool begins_block;
};

/* `speedups`: fractions; zeros are ignored, controls come anyway. None left: controls only. */
struct schedule *schedule_new(uint64_t seed, const double *speedups, size_t count);
bool schedule_has_speedups(const struct schedule *schedule);
void schedule_free(struct schedule *schedule);

/*
 * The next window. Weights (>= 0, one per target; targets may only be added at the end) are looked
 * at when a block starts. Returns false if no weight is positive.
 */
bool schedule_next(struct schedule *schedule, const double *weights, size_t count,
		   struct schedule_plan *plan);
/* Does the next window belong to the block of the one before? */
bool schedule_is_in_block(const struct schedule *schedule);
/* A factor in [0.85, 1.15], for lengths and periods that must not synchronize with the program. */
double schedule_jitter(struct schedule *schedule);
/* The rest of the block is given up (its target is no longer useful). */
void schedule_end_block(struct schedule *schedule);
