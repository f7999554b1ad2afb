/* SPDX-License-Identifier: BSD-2-Clause */
/* formats - the table of diff_report.h as arrays. */
#include "report/diff/diff_report.h"

#define TABLE_ROW(name, help) {#name, diff_pairs_##name, diff_profiles_##name, diff_samples_##name},
const struct diff_format diff_formats[] = {DIFF_FORMATS(TABLE_ROW)};

#define NAME(name, help) #name,
const char *const diff_format_names[] = {DIFF_FORMATS(NAME) NULL};

#define HELP(name, help) "; " #name ": " help
const char diff_format_help[] = "the format of the result" DIFF_FORMATS(HELP);
