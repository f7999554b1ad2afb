/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * warnings - what the reader of a report must know of the run: disturbances, and limits it reached.
 */
#include "experiment/session/state.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <string.h>

#define DISPLACEMENT_TOLD 0.05 /* share of a window's time */

static void add_losses(char **text, const struct session *session,
		       const struct collector_counters *counters)
{
	bool is_kernel = !strcmp(collector_engine(session->collector), "kernel");

	if (counters->lost_events)
		text_add_line(text, text_format("%llu events of processes and files were lost, so "
						"processes or code may be missing; profile fewer "
						"processes at once",
						(unsigned long long)counters->lost_events));
	if (counters->untracked_tasks && is_kernel) /* the other engine's note has them */
		text_add_line(text,
			      text_format("%llu threads were not profiled, since the kernel had no "
					  "memory for their state; profile fewer processes",
					  (unsigned long long)counters->untracked_tasks));
}

static void add_limits(char **text, const struct session *session,
		       const struct collector_counters *counters)
{
	unsigned left_out = session->listening ? point_listening_left_out(session->listening) : 0;

	if (counters->dropped_points)
		text_add_line(text,
			      text_format("the program has more than %d progress points; visits of "
					  "the others are not counted; leave points out of the "
					  "program (LEVER_DISABLE in some of its files)",
					  WIRE_POINTS_MOST));
	if (left_out)
		text_add_line(text, text_format("the points of %u processes are not counted, since "
						"%d processes are the most; choose some with --pid "
						"or --comm",
						left_out, POINT_LISTENING_MOST));
}

char *session_warnings(const struct session *session, const struct collector_counters *counters)
{
	char *text = NULL;

	if (session->displacement.accepted > DISPLACEMENT_TOLD)
		text_add_line(
			&text,
			text_format("other programs, or the hypervisor, disturbed the machine: "
				    "windows with up to %.0f %% of their time lost were used",
				    100 * session->displacement.accepted));
	text_add_line(&text, sampling_rate_warning(&session->sampling_rate,
						   session->driver.run.period_ns));
	text_add_line(&text, collector_note(session->collector));
	text_add_line(&text, text_copy(sampled_code_warnings(session->code)));
	text_add_line(&text, progress_points_warnings(session->points));
	add_limits(&text, session, counters);
	add_losses(&text, session, counters);
	return text;
}
