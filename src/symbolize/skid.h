/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * skid - the code whose samples are of one instruction.
 *
 * A clock's interrupt waits until the oldest instruction has ended, and shows the next one. Where
 * an instruction is reached only from the one before it, its samples are thus of that one: code
 * that a compiler gives to a line is sampled a byte later, at (start, end] in place of
 * [start, end). That does not hold where a function begins, and where a jump leads: most samples
 * there are of the loop that jumps back. Known for x86-64, with Zydis; elsewhere nothing moves.
 *
 * A caller's address is inside its call, and moves to no other code by this.
 */
#pragma once

#include "symbolize/object/object.h"

struct skid; /* of the function that was asked for last */

void skid_free(struct skid *skid);
/*
 * Of an address at which code begins or ends: the first one at which a sample is of the code from
 * there on, itself or the next one. `*skid` is made at first.
 */
uint64_t skid_boundary(struct skid **skid, const struct object *object, uint64_t address);
