/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cycle_parts - windows that hold parts of a program's cycles, and what they leave unknown.
 *
 * A program that works in batches, or fills a buffer and waits until it is taken, makes progress in
 * one part of a cycle. What a faster target saves may come in another one. A window shorter than a
 * cycle sees a part alone, so that all windows together may agree on a wrong gain. What they leave
 * is that the target gains something between nothing and all its time. A window of several cycles,
 * as long as the user asked for, holds no parts that matter.
 */
#pragma once

#include "analyze/causal/trials.h"

/*
 * Drops such windows if there are enough others. A recorder does so for its own run; this holds for
 * all runs of a file.
 */
void cycle_parts_drop(const struct recording *recording, struct trials *trials);
/* Of the longest cycle that is longer than windows which count; 0: there is none. */
double cycle_parts_length_ns(const struct recording *recording, const struct trials *trials);
/* Of the program's wall time at speedup 0, the target's part, with a margin: it gains no more. */
double cycle_parts_most(const struct recording *recording, const struct trials_index *index,
			int64_t target_id);
/* The interval of such a gain reaches over all that may be so; `most`: at a speedup of 1. */
void cycle_parts_widen(struct effect_point *point, double most);
