/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * target_levels - a target and the code whose speedup stands, as the collector takes them: ranges
 * with levels (wire/delay.h).
 */
#pragma once

#include "experiment/target/target_kinds.h"
#include "experiment/target/target_spec.h"

/*
 * Arms the target; at the `level` of each of `standing` its code is always faster, in controls,
 * too. -E2BIG: too many ranges, or more than DELAY_LEVELS different speedups.
 */
int target_levels_send(const struct target_lookup *lookup, const struct target_spec *target,
		       const struct target_set *standing, struct error *error);
/* Its code has moved, or there is more of it: sends the ranges that it has now. */
void target_levels_resend(const struct target_lookup *lookup, const struct target_spec *target,
			  const struct target_set *standing);
