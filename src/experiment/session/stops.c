/* SPDX-License-Identifier: BSD-2-Clause */
/* stops - compares the clock with what was sampled meanwhile. */
#include "experiment/session/state.h"

#define STOP_LEAST_NS 2000000000ull /* the engine's own work between two looks takes less */
#define SAMPLED_MOST 20             /* at most one part of so many of a stop */

void session_stops_look(struct session *session, uint64_t now)
{
	struct session_stops *stops = &session->stops;
	struct collector_counters counters;

	collector_counters(session->collector, &counters);
	uint64_t gap_ns = stops->looked_ns ? now - stops->looked_ns : 0;
	if (!session->over_ns && gap_ns >= STOP_LEAST_NS &&
	    (counters.sampled_ns - stops->sampled_ns) * SAMPLED_MOST < gap_ns)
		stops->sum_ns += gap_ns;
	stops->looked_ns = now;
	stops->sampled_ns = counters.sampled_ns;
}
