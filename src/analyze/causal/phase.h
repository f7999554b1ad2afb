/* SPDX-License-Identifier: BSD-2-Clause */
/* phase - corrects gains of a target that runs in a part of the time only (COZ, 3.4.4). */
#pragma once

#include "analyze/causal/trials.h"

struct phase_correction {
	double factor;         /* of a gain measured in the target's phase; 1: no phases are sure */
	double relative_error; /* of the factor; 0 if that is 1 */
};

struct phase_correction phase_correction_of(const struct recording *recording,
					    const struct trials_index *index, int64_t target_id);
