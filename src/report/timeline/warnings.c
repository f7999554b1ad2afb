/* SPDX-License-Identifier: BSD-2-Clause */
/* warnings - what is missing in a timeline. */
#include "report/timeline/warnings.h"

#include "analyze/timeline/messages.h"
#include "base/memory.h"

struct warnings timeline_warnings(const struct timeline *timeline, const struct spans *spans,
				  const struct run_totals *totals)
{
	struct warnings warnings = {0};

	warnings_add_end(&warnings, totals);
	warnings_add_note(&warnings, timeline->run);
	if (spans->unmatched_ends)
		*array_add(&warnings) = text_format(
			"%llu ends of spans are ignored: they have no begin in their thread",
			(unsigned long long)spans->unmatched_ends);
	if (timeline->damaged_chunks)
		*array_add(&warnings) =
			text_format("%llu chunks of the file are left out: they are damaged",
				    (unsigned long long)timeline->damaged_chunks);
	if (spans->flows_left_out)
		*array_add(&warnings) = text_format(
			"flows are incomplete: %llu of their marks are left out, as there are "
			"more than "
			"%u; record a shorter time",
			(unsigned long long)spans->flows_left_out, FLOWS_MOST);
	if (timeline->messages_left_out)
		*array_add(&warnings) = text_format(
			"messages between hosts are incomplete: %llu of their ends are left out, "
			"as there are more than %u; record a shorter time",
			(unsigned long long)timeline->messages_left_out, MESSAGE_ENDS_MOST);
	if (spans->regions_left_out)
		*array_add(&warnings) = text_format(
			"parallel regions are incomplete: %llu names are left out, as they have "
			"more than "
			"%u spans; record a shorter time",
			(unsigned long long)spans->regions_left_out, REGION_SPANS_MOST);
	if (timeline->other_runs)
		*array_add(&warnings) =
			text_format("the file has %zu earlier timelines, too; this is the last",
				    timeline->other_runs);
	return warnings;
}
