/* SPDX-License-Identifier: BSD-2-Clause */
/* terminal - how text reports use a terminal: width, styles, labels and line breaks. */
#pragma once

#include "report/report.h"

#define TERMINAL_INDENT 13 /* columns of a label */

/* The same options with a width between 60 and 132 columns. */
struct report_options terminal_fit(const struct report_options *given);
/* Begins a style (an SGR parameter such as "1"), or ends it (NULL), if colours are on. */
void terminal_style(FILE *out, const struct report_options *options, const char *style);
/* The label of a line, padded to TERMINAL_INDENT. */
void terminal_label(FILE *out, const struct report_options *options, const char *label);
/* Breaks lines at blanks; every line but the first is indented. */
void terminal_wrapped(FILE *out, const char *text, size_t indent, size_t columns);
