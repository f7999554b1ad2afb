/* SPDX-License-Identifier: BSD-2-Clause */
/* first_screen - a causal profile on one screen: what to do, what not, how sure that is. */
#pragma once

#include "report/causal/verdict.h"
#include "report/report.h"

#define FIRST_SCREEN_LINES 24

void first_screen_print(FILE *out, const struct report *report,
			const struct target_verdicts *verdicts);
