/* SPDX-License-Identifier: BSD-2-Clause */
/* discoveries - what whole tables of targets show as sure, where nearly all have no effect. */
#pragma once

#include "drift.h"

/*
 * Runs so many programs of a thread whose path is one target, and of threads beside it whose code
 * has no effect. Prints tables, targets told as sure that have no effect, and paths found.
 */
void discoveries_print(const struct drift_settings *drift, unsigned tables, double seconds,
		       uint64_t seed);
