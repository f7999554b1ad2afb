/* SPDX-License-Identifier: BSD-2-Clause */
/* first_screen - a causal profile on one screen: what to do, what not, how sure that is. */
#pragma once

#include "report/causal/screen.h"
#include "report/causal/verdict.h"

#define FIRST_SCREEN_LINES 24

void first_screen_print(FILE *out, const struct report *report,
			const struct target_verdicts *verdicts);
/* Only its line of hot places without an answer: for a report that has no verdict. */
void first_screen_print_unanswered(FILE *out, const struct report *report,
				   const struct target_verdicts *verdicts);
/* The first screen for the page; empty without a verdict. */
json_t *first_screen_json(const struct report *report, const struct target_verdicts *verdicts);
