/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * header - what every text report begins with: what was run, and warnings about it.
 */
#pragma once

#include "report/report.h"
#include "report/run_totals.h"
#include "report/warnings.h"

#define HEADER_INDENT 13 /* where lines begin, behind their names */

/* The same with a width in which a report can be read. */
struct report_options header_fit(const struct report_options *given);
/* The name of a line, in its column. */
void header_label(FILE *out, const struct report_options *options, const char *label);
/* "run": how long, where, and how it ended. */
void header_run(FILE *out, const struct run_totals *totals, const struct report_options *options);
/* Breaks at blanks; every line but the first is indented. */
void header_wrapped(FILE *out, const char *text, size_t indent, size_t columns);
void header_warnings(FILE *out, const struct warnings *warnings,
		     const struct report_options *options);
