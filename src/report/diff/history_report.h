/* SPDX-License-Identifier: BSD-2-Clause */
/* history_report - the formats of `lever history`: a new one is a writer and a row here. */
#pragma once

#include "analyze/diff/history.h"
#include "report/report.h"

typedef void history_writer(FILE *out, const struct history *history,
			    const struct report_options *options);

/* FORMAT(name, help) */
#define HISTORY_FORMATS(FORMAT)                   \
	FORMAT(text, "a table, the default")      \
	FORMAT(json, "all figures, for programs") \
	FORMAT(html, "a page for a browser")

#define HISTORY_FORMAT_DECLARE(name, help) history_writer history_##name;
HISTORY_FORMATS(HISTORY_FORMAT_DECLARE)

extern history_writer *const history_writers[];
extern const char *const history_format_names[]; /* in the same order, NULL-ended */
extern const char history_format_help[];
