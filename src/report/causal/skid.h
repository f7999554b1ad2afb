/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * skid - lines whose samples stand at a line beside them.
 *
 * A clock's interrupt waits until the oldest instruction has ended, and shows the next one. A load
 * that waits for memory is thus sampled at the instruction behind it, which may be of another line.
 * Where symbolize/skid.h cannot tell whether control comes from before, that remains.
 * A line that was tried and is in hardly any sample may be such a load.
 */
#pragma once

#include "analyze/causal/causal.h"

#define SKID_LINES 3 /* as far as the line of the next instruction is looked for */

/* The line beside it that has the samples; NULL: none, or the target has samples of its own. */
const struct causal_target *skid_of(const struct causal *causal,
				    const struct causal_target *target);
