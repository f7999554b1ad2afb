/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * set_error - the error of a set whose members run side by side.
 *
 * Each member is charged in whole sampling periods. Members that meet then arrive up to a period
 * apart, which they do not after a real change, and the later one decides: gains are told too low,
 * the more the longer the period is beside a visit (docs/decisions.md, "Sets are charged by the
 * largest member").
 */
#pragma once

#include "analyze/causal/trials.h"

/*
 * Standard error of the gain per unit of speedup; 0 for a target that is no set, and for a set of
 * which one member runs at a time.
 */
double set_error_of(const struct recording *recording, const struct trials *trials,
		    const struct recording_target *target, const struct recording_point *point);
