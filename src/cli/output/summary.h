/* SPDX-License-Identifier: BSD-2-Clause */
/* summary - what a command prints when it has recorded. */
#pragma once

#include "analyze/causal/causal.h"
#include "report/report.h"

#include <stdbool.h>

/* Is it a terminal that can renew a line, and knows colours? */
bool summary_is_renewable(FILE *out);
/* With the stream's width, and colours if it is a terminal. */
struct report_options summary_options(FILE *out, unsigned most);
/* A target's effect is known well enough to be told: the report has a row. */
bool summary_has_answer(const struct causal *causal);
/* Prints on stderr how the program failed, if it did. `status`: of waitpid; < 0: unknown. */
void summary_program_end(int status);
