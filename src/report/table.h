/* SPDX-License-Identifier: BSD-2-Clause */
/* table - the ranked answers of a text report, one line each, with a small curve. */
#pragma once

#include "report/answer.h"
#include "report/report.h"

void table_print(FILE *out, const struct answers *answers, const struct report_options *options);
/* Starts a style (an SGR parameter such as "1"), or ends it (NULL), where colours are wanted. */
void table_style(FILE *out, const struct report_options *options, const char *style);
/* The style in which a verdict is shown. */
const char *table_verdict_style(enum answer_verdict verdict);
