/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * block_budget - how likely a target gets the next block, by what it may gain and by the blocks
 * that it has had.
 *
 * A run of 40 s has about 50 blocks. Drawn in proportion to what each may gain they go to the
 * largest places, which are around the others. So each block makes the next one of the same target
 * less likely: places that may gain a fifth of the largest get nearly as many, and those that may
 * gain next to nothing get none until the others are known.
 */
#pragma once

#include <stdbool.h>

/*
 * `value`: what the target may gain, a fraction. `is_wrapper`: most of its time is inside of places
 * that can be tried themselves.
 */
double block_budget_weight(double value, double blocks, bool is_wrapper);
