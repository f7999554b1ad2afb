/* SPDX-License-Identifier: BSD-2-Clause */
/* noise_sources - why intervals are as wide as they are, and what makes them narrower. */
#pragma once

#include "report/causal/verdict.h"
#include "report/report.h"

/* Of the first targets, a paragraph each; the text of `lever report --verbose`. */
void noise_sources_print(FILE *out, const struct target_verdicts *verdicts,
			 const struct report_options *options);
