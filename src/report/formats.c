/* SPDX-License-Identifier: BSD-2-Clause */
/* formats - the table of formats.h as arrays. */
#include "report/formats.h"

#include <assert.h>
#include <string.h>

enum {
	KIND_causal = RUN_CAUSAL,
	KIND_samples = RUN_SAMPLES,
	KIND_timeline = RUN_TIMELINE,
	KIND_scale = RUN_SCALE
};

#define NO_WRITER(kind, name)
#define TABLE_WRITER(kind, name) [KIND_##kind] = report_##kind##_##name,
#define TABLE_ROW(name, suffix, is_for_terminal, help, writers) \
	{#name, suffix, is_for_terminal, {writers}},
const struct report_format report_formats[] = {REPORT_FORMATS(TABLE_ROW, TABLE_WRITER)};

#define NAME(name, suffix, is_for_terminal, help, writers) #name,
const char *const report_format_names[] = {REPORT_FORMATS(NAME, NO_WRITER) NULL};

#define HELP(name, suffix, is_for_terminal, help, writers) "; " #name ": " help
const char report_format_help[] = "the format of the report" REPORT_FORMATS(HELP, NO_WRITER);

int report_format_find(const char *name)
{
	int number = 0;

	while (strcmp(report_format_names[number], name)) {
		number++;
		assert(report_format_names[number]);
	}
	return number;
}
