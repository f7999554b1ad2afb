/* SPDX-License-Identifier: BSD-2-Clause */
/* expected - the reports beside this file, and comparing with them. */
#pragma once

#include "report/formats.h"

#include <stdbool.h>

/* The root of the source. */
const char *expected_source_root(void);
/*
 * Compares with NAME.FORMAT, and prints the difference; with GOLDEN_RENEW set it writes the file.
 */
bool expected_equals(const char *name, const char *format, const char *actual);

/*
 * The report on a recording, 100 columns wide, by the name of its format; to be freed. The filter
 * is for samples, and may be NULL.
 */
char *expected_report(const struct recording *recording, enum run_kind kind, const char *format,
		      const struct report_options *options, const struct samples_filter *filter);
