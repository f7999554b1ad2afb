/* SPDX-License-Identifier: BSD-2-Clause */
/* sets - what sets of targets gain beyond their members, in words and as JSON. */
#pragma once

#include "report/causal/verdict.h"
#include "report/report.h"

#include <jansson.h>

/* A sentence for each set with a verdict. */
void sets_print(FILE *out, const struct report *report, const struct target_verdicts *verdicts,
		const struct report_options *options);
/* Members, and what is assumed; adds nothing for other targets. */
void sets_add_members(json_t *target, const struct recording *recording,
		      const struct recording_target *what);
/* The interaction of a set's effect; NULL for other targets. */
json_t *sets_interaction_json(const struct report *report, const struct causal_target *target,
			      const struct causal_effect *effect);
