/* SPDX-License-Identifier: BSD-2-Clause */
/* show - a profile's text report, as `lever run` ends with it and `lever report` prints it. */
#pragma once

#include "analyze/causal/causal.h"
#include "report/report.h"

#include <stdbool.h>

/* Width and colour as they suit the stream. */
struct report_options summary_options(FILE *out, unsigned most);
/* Is there a target whose speedup was measured against a control? */
bool summary_has_answer(const struct causal *causal);
/* Says on stderr that the program failed, if waitpid said so; status < 0: unknown. */
void summary_program_end(int status);
