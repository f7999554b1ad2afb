/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unanswered - hot functions that stand in no answer of a report, and why.
 *
 * A function is answered where it, most of its own code, or all that it calls has a verdict. An
 * answer about a function around it tells nothing of its parts.
 */
#pragma once

#include "report/causal/verdict.h"
#include "report/report.h"

#include <jansson.h>

#define UNANSWERED_LEAST 0.05 /* of the sampled time */
#define UNANSWERED_MOST 20    /* as many have so large a share */

struct unanswered_place {
	const struct causal_target *target; /* the one that was tried most, or would be tried */
	const char *function;               /* borrowed */
	double share;                       /* of its own code */
};

struct unanswered {
	struct unanswered_place items[UNANSWERED_MOST]; /* the largest share first */
	unsigned count;
};

/* None where the user said what to speed up. */
struct unanswered unanswered_of(const struct report *report,
				const struct target_verdicts *verdicts);
/*
 * What --target takes for it, borrowed. NULL: the place is a call of a library's function, by code
 * of which nothing else is known; by that name --target finds the function itself.
 */
const char *unanswered_option(const struct unanswered_place *place);
/* "not tried", "3 experiments are too few"; to be freed. */
char *unanswered_reason(const struct recording *recording, const struct causal_target *target);
/* The same for JSON, with reasons. */
json_t *unanswered_json(const struct report *report, const struct target_verdicts *verdicts);
