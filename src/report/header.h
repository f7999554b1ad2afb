/* SPDX-License-Identifier: BSD-2-Clause */
/* header - the lines with which every text report begins: the run, and warnings about it. */
#pragma once

#include "report/report.h"
#include "report/run_totals.h"
#include "report/warnings.h"

/* "run": how long, on which machine, and how it ended. */
void header_run(FILE *out, const struct run_totals *totals, const struct report_options *options);
void header_warnings(FILE *out, const struct warnings *warnings,
		     const struct report_options *options);
