/* SPDX-License-Identifier: BSD-2-Clause */
/* verdict_table - the ranked verdicts of a text report, one line each, with a small curve. */
#pragma once

#include "report/causal/verdict.h"
#include "report/report.h"

void verdict_table_print(FILE *out, const struct target_verdicts *verdicts,
			 const struct report_options *options);
/* The terminal style of an outcome. */
const char *verdict_outcome_style(enum verdict_outcome outcome);
