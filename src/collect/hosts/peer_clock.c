/* SPDX-License-Identifier: BSD-2-Clause */
/* peer_clock - keeps the quickest round trips. */
#include "collect/hosts/peer_clock.h"

/* Round trips come in the order in which they were answered; what does not is no answer of ours. */
void peer_clock_add(struct peer_clock *clock, const struct hosts_times *times, uint64_t now_ns)
{
	struct recording_clock bound = {
		.time_ns = times->answered_ns,
		.low_ns = (int64_t)(times->sent_ns - times->answered_ns),
		.high_ns = (int64_t)(now_ns - times->answered_ns),
	};
	struct recording_clock *last =
		clock->bounds.count ? &clock->bounds.items[clock->bounds.count - 1] : NULL;

	if (times->sent_ns > now_ns || (last && bound.time_ns <= last->time_ns))
		return;
	if (!last || bound.time_ns / PEER_CLOCK_EVERY_NS != last->time_ns / PEER_CLOCK_EVERY_NS)
		*array_add(&clock->bounds) = bound;
	else if (bound.high_ns - bound.low_ns < last->high_ns - last->low_ns)
		*last = bound;
}
