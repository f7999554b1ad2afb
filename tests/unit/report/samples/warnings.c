/* SPDX-License-Identifier: BSD-2-Clause */
/* warnings - what weakens the figures of samples. */
#include "report/samples/warnings.h"

#include "check.h"

TEST("the share of short call chains counts those of samples that were lost then")
{
	struct recording_run run = {.finished = true,
				    .samples = 600,
				    .lost = 900,
				    .unwound_badly = 660};
	struct recording recording = {.runs = {.items = &run, .count = 1}};
	struct warnings warnings = samples_warnings(&recording);
	const char *found = NULL;

	for (size_t i = 0; i < warnings.count; i++)
		if (strstr(warnings.items[i], "lack their outer functions"))
			found = warnings.items[i];
	CHECK(found && strncmp(found, "44 % ", 5) == 0);
	warnings_release(&warnings);
}
