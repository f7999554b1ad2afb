/* SPDX-License-Identifier: BSD-2-Clause */
/* prediction - what BEFORE's experiments say about a change of a function's cost. */
#pragma once

#include "analyze/diff/profile_pair.h"

/*
 * Of one function, whose cost became 1 - speedup of it. Where lines were sped up and not functions,
 * what is saved is taken from the function's measured lines, from all by the same factor.
 */
struct gain_estimate prediction_of(const struct profile_pair *pair,
				   const struct changed_function *function);
/* Of several changes together. */
struct gain_estimate prediction_joined(const struct gain_estimate *gains, size_t count);
