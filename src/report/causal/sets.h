/* SPDX-License-Identifier: BSD-2-Clause */
/* sets - what sets of targets gain beyond their members, in words and as JSON. */
#pragma once

#include "analyze/causal/interaction.h"
#include "report/causal/verdict.h"
#include "report/report.h"

#include <jansson.h>

/* Of a set's verdict, at SETS_SPEEDUP or the verdict's speedup; not measured for others. */
#define SETS_SPEEDUP 0.5 /* what is gained only together grows with it */
struct interaction sets_interaction(const struct report *report,
				    const struct target_verdict *verdict);
/* Do its members surely gain more together than apart? */
bool sets_is_more(const struct interaction *found);
/* Was the set found by Lever, and not named by the user? */
bool sets_is_found(const struct recording *recording, const struct recording_target *target);
/* "left and right: nothing alone, +31 ±3 together if each is 50 % faster"; to be freed. */
char *sets_together(const struct report *report, const struct target_verdict *verdict);
/* The first set that a search found and no experiment measured, as a sentence; NULL: none. */
char *sets_found_late(const struct report *report);
/* What came of the searches for sets, as sentences; NULL: there was none. To be freed. */
char *sets_search_text(const struct recording *recording);
/* An array of searches, with the sets that were measured. */
json_t *sets_searches_json(const struct recording *recording);

/* A sentence for each set with a verdict. */
void sets_print(FILE *out, const struct report *report, const struct target_verdicts *verdicts,
		const struct report_options *options);
/* Members, and what is assumed; adds nothing for other targets. */
void sets_add_members(json_t *target, const struct recording *recording,
		      const struct recording_target *what);
/* The interaction of a set's effect; NULL for other targets. */
json_t *sets_interaction_json(const struct report *report, const struct causal_target *target,
			      const struct causal_effect *effect);
