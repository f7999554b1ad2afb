/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * retry_loops - loops that compute a value and start again if another thread has replaced the one
 * that it was computed from: a compare-and-exchange whose success leaves the loop.
 *
 * Work, in contrast to spin_loops.h, but how much of it is done depends on how threads meet. Loops
 * that only wait, as for a lock, have the same form. x86-64 only.
 */
#pragma once

#include "symbolize/spin/loop.h"
#include "symbolize/spin/spin_loops.h"

/* Whether there may be such a loop in the code, by its bytes. */
bool retry_loops_may_be(const struct loop_function *function);
/* Appends the code of the function's retry loops, in any order, maybe with repetitions. */
void retry_loops_find(const struct loop_function *function, struct spin_ranges *ranges);
