/* SPDX-License-Identifier: BSD-2-Clause */
/* warnings - warnings of all kinds of report: runs that were cut short, and notes of the engine. */
#include "report/warnings.h"

#include "base/cleanup.h"

#include <string.h>

void warnings_add_end(struct warnings *warnings, const struct run_totals *totals)
{
	if (totals->unfinished)
		*array_add(warnings) = text_format(
			"%s was cut short or is not finished: this is what it had written",
			totals->runs == 1 ? "the recording" : "a run");
}

static void add_once(struct warnings *warnings, const char *line)
{
	for (size_t i = 0; i < warnings->count; i++) {
		if (!strcmp(warnings->items[i], line))
			return;
	}
	*array_add(warnings) = text_copy(line);
}

void warnings_add_note(struct warnings *warnings, const struct recording_run *run)
{
	AUTO(text) char *note = text_copy(run->note);
	char *rest = note;

	for (char *line; (line = strsep(&rest, "\n"));)
		if (*line)
			add_once(warnings, line);
}

void warnings_add_notes(struct warnings *warnings, const struct recording *recording)
{
	for (size_t i = 0; i < recording->runs.count; i++)
		warnings_add_note(warnings, &recording->runs.items[i]);
}

void warnings_release(struct warnings *warnings)
{
	for (size_t i = 0; i < warnings->count; i++)
		free(warnings->items[i]);
	array_free(warnings);
}
